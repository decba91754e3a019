package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/term"
)

// Formats of what tail and get print.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatCSV   = "csv"
)

// formatFlag adds --format and its shorthand --json.
type formatFlag struct {
	format string
	json   bool
}

func (f *formatFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "", "table, json or csv (default: table on a terminal, else json)")
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
}

// choose returns the format for out.
func (f *formatFlag) choose(out io.Writer) (string, error) {
	switch f.format {
	case "":
		if f.json || !term.IsTerminal(out) {
			return formatJSON, nil
		}
		return formatTable, nil
	case formatTable, formatJSON, formatCSV:
		if f.json && f.format != formatJSON {
			return "", usagef("--json and --format %s contradict each other", f.format)
		}
		return f.format, nil
	default:
		return "", usagef("--format %s: %q is none of: table, json, csv", f.format, f.format)
	}
}

// csvWriter prints one line per variable.
type csvWriter struct {
	w      *csv.Writer
	header bool
}

func newCSV(out io.Writer) *csvWriter { return &csvWriter{w: csv.NewWriter(out)} }

func (c *csvWriter) write(r *record) error {
	if !c.header {
		c.header = true
		if err := c.w.Write(append([]string{"key", "kind", "variant", "t", "n", "time", "variable"}, columnNames()...)); err != nil {
			return err
		}
	}
	for i := range r.Posterior {
		v := &r.Posterior[i]
		line := []string{r.Key, r.Kind, r.Variant, fmt.Sprint(r.T), fmt.Sprint(r.N), r.Time, v.Variable}
		for _, x := range v.numbers() {
			line = append(line, exact(x))
		}
		if err := c.w.Write(line); err != nil {
			return err
		}
	}
	c.w.Flush()
	return c.w.Error()
}

// writeLine prints one record as one line for people.
func writeLine(out io.Writer, r *record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  t=%d n=%d", r.Key, r.T, r.N)
	for i := range r.Posterior {
		fmt.Fprintf(&b, "  %s=%s", r.Posterior[i].Variable, plusMinus(&r.Posterior[i]))
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}

// plusMinus prints a variable in one cell, with as many digits as its sd
// makes worth reading.
func plusMinus(v *variable) string {
	if v.Mean == nil {
		return short(v.Median)
	}
	if v.SD == nil {
		return short(v.Mean)
	}
	mean, sd := *v.Mean, *v.SD
	decimals := max(0, 1-int(math.Floor(math.Log10(sd))))
	if !(sd > 0) || decimals > 6 || math.Abs(mean)+sd >= 1e7 {
		return short(v.Mean) + "±" + strconv.FormatFloat(sd, 'g', 2, 64)
	}
	return fmt.Sprintf("%.*f±%.*f", decimals, mean, decimals, sd)
}

// writeDetails prints one posterior in full for people.
func writeDetails(out io.Writer, r *record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "key\t%s\nmodel\t%s (%s), configuration %s\n", r.Key, r.Kind, r.Variant, r.Config)
	fmt.Fprintf(&b, "absorbed\t%d shards, %d rows (%s after forgetting)\n", r.T, r.N, short(r.NEff))
	fmt.Fprintf(&b, "last record\t%s/%d offset %d, %s\n", r.Source.Topic, r.Source.Partition, r.Source.Offset, r.Time)
	if s := r.Score; s.Rows > 0 {
		fmt.Fprintf(&b, "last shard, predicted\t%d rows: log density %s, rmse %s, inside their 95%% interval %s\n",
			s.Rows, short(s.LogDensity), short(s.RMSE), percent(s.Coverage95))
	}
	if len(r.PriorDominated) > 0 {
		fmt.Fprintf(&b, "mostly prior\t%s\n", strings.Join(r.PriorDominated, ", "))
	}
	if err := tabulate(out, b.String(), 0); err != nil {
		return err
	}
	b.Reset()
	b.WriteString("\nVARIABLE\tMEAN\tSD\t2.5%\tMEDIAN\t97.5%\tESS\tR-HAT\t\n")
	for i := range r.Posterior {
		v := &r.Posterior[i]
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", v.Variable,
			short(v.Mean), short(v.SD), short(v.Q025), short(v.Median), short(v.Q975), short(v.ESSBulk), short(v.RHat))
	}
	return tabulate(out, b.String(), tabwriter.AlignRight)
}

// tabulate prints cells that are separated by tabs.
func tabulate(out io.Writer, cells string, flags uint) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', flags)
	if _, err := io.WriteString(w, cells); err != nil {
		return err
	}
	return w.Flush()
}

func percent(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", *x*100)
}
