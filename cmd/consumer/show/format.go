package show

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// short prints a number for people: four digits, or a hyphen for none.
func short(x float64) string {
	if !jsontext.Defined(x) {
		return "-"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// exact prints a number for programs: the shortest form that reads back the
// same, or nothing for none.
func exact(x float64) string {
	if !jsontext.Defined(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// csvWriter prints one line per variable.
type csvWriter struct {
	w      *csv.Writer
	header bool
}

func newCSV(out io.Writer) *csvWriter { return &csvWriter{w: csv.NewWriter(out)} }

func (c *csvWriter) write(p *pipeline.Posterior) error {
	if !c.header {
		c.header = true
		if err := c.w.Write(append([]string{"key", "kind", "variant", "t", "n", "time", "variable"}, cdf.RowColumns[:]...)); err != nil {
			return err
		}
	}
	s := p.Summary
	for i := range s.Rows {
		r := &s.Rows[i]
		line := []string{p.Key, p.Kind, p.Variant, fmt.Sprint(s.T), fmt.Sprint(s.N), recorded(p), r.Variable}
		for _, x := range r.Numbers() {
			line = append(line, exact(*x))
		}
		if err := c.w.Write(line); err != nil {
			return err
		}
	}
	c.w.Flush()
	return c.w.Error()
}

// recorded is the time of the input record as JSON has it.
func recorded(p *pipeline.Posterior) string { return string(jsontext.AppendTime(nil, p.Time)) }

// writeLine prints one posterior as one line for people.
func writeLine(out io.Writer, p *pipeline.Posterior) error {
	var b strings.Builder
	s := p.Summary
	fmt.Fprintf(&b, "%s  t=%d n=%d", term.HarmlessText(p.Key), s.T, s.N)
	for i := range s.Rows {
		fmt.Fprintf(&b, "  %s=%s", term.HarmlessText(s.Rows[i].Variable), plusMinus(&s.Rows[i]))
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}

// plusMinus prints a variable in one cell, with as many digits as its sd
// makes worth reading.
func plusMinus(r *cdf.Row) string {
	mean, sd := r.Mean, r.SD
	if !jsontext.Defined(mean) {
		return short(r.Median)
	}
	if !jsontext.Defined(sd) {
		return short(mean)
	}
	decimals := max(0, 1-int(math.Floor(math.Log10(sd))))
	if !(sd > 0) || decimals > 6 || math.Abs(mean)+sd >= 1e7 {
		return short(mean) + "±" + strconv.FormatFloat(sd, 'g', 2, 64)
	}
	return fmt.Sprintf("%.*f±%.*f", decimals, mean, decimals, sd)
}

// writeDetails prints one posterior in full for people.
func writeDetails(out io.Writer, p *pipeline.Posterior) error {
	var b strings.Builder
	s := p.Summary
	fmt.Fprintf(&b, "key\t%s\nmodel\t%s (%s), configuration %s\n", term.HarmlessText(p.Key), p.Kind, p.Variant, p.Config)
	fmt.Fprintf(&b, "absorbed\t%d shards, %d rows (%s after forgetting)\n", s.T, s.N, short(s.NEff))
	w := p.Waiting
	if last := "last record"; s.T > 0 {
		if w.Rows > 0 {
			last = "last shard"
		}
		fmt.Fprintf(&b, "%s\t%s offset %d, %s\n", last, p.Source, p.Offset, recorded(p))
	}
	if w.Rows > 0 {
		fmt.Fprintf(&b, "waiting\t%d rows of %d records for the next shard, %d bytes, from %s offset %d, %s, to the last record, offset %d\n",
			w.Rows, w.Records, w.Bytes, p.Source, w.Began.Offset, jsontext.AppendTime(nil, w.Began.Time), w.Last.Offset)
	}
	if sc := s.Score; sc.Rows > 0 {
		fmt.Fprintf(&b, "last shard, predicted\t%d rows: log density %s, rmse %s, inside their 95%% interval %s\n",
			sc.Rows, short(sc.LogDensity), short(sc.RMSE), percent(sc.Coverage95))
	}
	if len(s.PriorDominated) > 0 {
		fmt.Fprintf(&b, "mostly prior\t%s\n", term.HarmlessText(strings.Join(s.PriorDominated, ", ")))
	}
	if len(s.WeakMixing) > 0 {
		fmt.Fprintf(&b, "mixes weakly\t%s\n", term.HarmlessText(strings.Join(s.WeakMixing, ", ")))
	}
	if len(s.Flags) > 0 {
		fmt.Fprintf(&b, "warnings\t%s\n", strings.Join(s.Flags, ", "))
	}
	if o := s.Outliers; o.Rows > 0 {
		fmt.Fprintf(&b, "outliers\t%d rows, the last in shard %d at offset %d\n", o.Rows, o.T, p.Outlier)
	}
	if len(s.Drops) > 0 {
		fmt.Fprintf(&b, "left out\t%s\n", app.Dropped(s.Drops))
	}
	if err := app.Tabulate(out, b.String(), 0); err != nil {
		return err
	}
	if s.T == 0 {
		return nil
	}
	b.Reset()
	b.WriteString("\nVARIABLE\tMEAN\tSD\t2.5%\tMEDIAN\t97.5%\tESS\tR-HAT\t\n")
	for i := range s.Rows {
		r := &s.Rows[i]
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", term.HarmlessText(r.Variable),
			short(r.Mean), short(r.SD), short(r.Q025), short(r.Median), short(r.Q975), short(r.ESSBulk), short(r.RHat))
	}
	return app.Tabulate(out, b.String(), tabwriter.AlignRight)
}

func percent(x float64) string {
	if !jsontext.Defined(x) {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", x*100)
}
