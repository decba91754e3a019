package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/research/figure"
	"github.com/credence-stream/credence/research/study"
)

//go:embed report.md.tmpl
var reportText string

func (p *program) reportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report RESULTS",
		Short: "Turn what `run --json` printed, and the figures beside it, into a page (Markdown)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("want the file of results, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close() //nolint:errcheck // only read
			results, err := readResults(f)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return report(p.Stdout, results, filepath.Dir(args[0]))
		},
	}
}

// readResults reads lines of --json.
func readResults(r io.Reader) ([]study.Result, error) {
	var out []study.Result
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if _, ok := study.Lookup(l.Experiment); !ok {
			return nil, fmt.Errorf("line %d: unknown experiment %q", n, l.Experiment)
		}
		out = append(out, l.result())
	}
	return out, lines.Err()
}

// report writes the page. It shows the figures of folder, which is thought to
// lie beside it.
func report(w io.Writer, results []study.Result, folder string) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"experiments": func() string { return experimentTables(results, folder) },
		"times":       func() string { return timeTable(results) },
		"comparison":  func() string { return comparisonTable(study.Compare(results)) },
	}).Parse(reportText)
	if err != nil {
		return err
	}
	return t.Execute(w, nil)
}

// experimentTables is a section per experiment: a row per method and shard, a
// column per metric, below it why figures of the paper are not ours, and our
// own.
func experimentTables(results []study.Result, folder string) string {
	var b strings.Builder
	for _, e := range study.All() {
		mine := study.ResultsOf(results, e.Name)
		if len(mine) == 0 {
			continue
		}
		reps := 0
		for _, r := range mine {
			reps = max(reps, r.Reps)
		}
		fmt.Fprintf(&b, "### %s\n\n%s. %d replications; `go run ./cmd/paper run %s`.\n\n", e.Name, sentence(e.About), reps, e.Name)
		experimentTable(&b, mine)
		missing(&b, study.Missing(e.Name, mine))
		for _, file := range figure.Drawn(folder, e.Name) {
			what := strings.TrimSuffix(file, ".svg")
			fmt.Fprintf(&b, "![%s](%s/%s)\n\n", what, filepath.Base(folder), file)
		}
	}
	return strings.TrimSpace(b.String())
}

// sentence begins with a capital.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func experimentTable(b *strings.Builder, results []study.Result) {
	var metrics, rows []string
	var whys doubts
	cells := map[string]string{}
	for _, r := range results {
		row := fmt.Sprintf("`%s` | %d", r.Method, r.T)
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(metrics, r.Metric) {
			metrics = append(metrics, r.Metric)
		}
		cells[row+r.Metric] = cell(r, &whys)
	}
	fmt.Fprintf(b, "| method | t | %s |\n| --- | --- |%s\n", strings.Join(metrics, " | "), strings.Repeat(" --- |", len(metrics)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row)
		for _, m := range metrics {
			fmt.Fprintf(b, " %s |", cells[row+m])
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b)
	for i, why := range whys {
		fmt.Fprintf(b, "%d. %s.\n", i+1, sentence(why))
	}
	if len(whys) > 0 {
		fmt.Fprintln(b)
	}
}

// cell is our figure, its standard error, and the paper's.
func cell(r study.Result, whys *doubts) string {
	s := number(r.Mean)
	if !math.IsNaN(r.SE) && r.Metric != "state_bytes" {
		s += " ± " + digits(r.SE, 1)
	}
	if r.Paper == nil || r.Metric == study.Seconds {
		return s
	}
	mark := whys.mark(r.Paper)
	if mark == "" && !r.Paper.Agrees(r.Mean, r.SE) {
		mark = " [?]"
	}
	return s + fmt.Sprintf(" (paper: %s%s)", printed(r.Paper), mark)
}

// printed is a figure of the paper with its error or interval.
func printed(p *study.Printed) string {
	s := number(p.Value)
	if !math.IsNaN(p.SE) {
		s += " ± " + number(p.SE)
	}
	if !math.IsNaN(p.Lo) {
		s += fmt.Sprintf(", %s to %s", number(p.Lo), number(p.Hi))
	}
	return s
}

// missing lists what the paper prints and the results do not have.
func missing(b *strings.Builder, list []study.Printed) {
	var methods []string
	of := map[string][]string{}
	for i := range list {
		p := &list[i]
		if of[p.Method] == nil {
			methods = append(methods, p.Method)
		}
		of[p.Method] = append(of[p.Method], fmt.Sprintf("%s %s (t = %d)", p.Metric, printed(p), p.T))
	}
	for _, m := range methods {
		fmt.Fprintf(b, "Printed for %s, not run here: %s.\n\n", m, strings.Join(of[m], ", "))
	}
}

// timeTable sets run times of the paper's methods beside ours, as multiples of
// C-DF's.
func timeTable(results []study.Result) string {
	ours := map[[2]string]float64{}
	for _, r := range results {
		if r.Metric == study.Seconds {
			ours[[2]string{r.Experiment, r.Method}] = r.Mean
		}
	}
	base := map[string]float64{}
	var b strings.Builder
	fmt.Fprintln(&b, "| experiment | method | paper, seconds | of C-DF | here, seconds | of `cdf` | of `cdf-paper` |\n"+
		"| --- | --- | --- | --- | --- | --- | --- |")
	for _, p := range study.Figures() {
		if p.Metric != study.Seconds {
			continue
		}
		if p.Method == "C-DF" { // the first row of its table
			base[p.Experiment] = p.Value
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |", p.Experiment, p.Method, printed(&p), number(p.Value/base[p.Experiment]))
		mine, ran := ours[[2]string{p.Experiment, study.Ours(p.Method)}]
		if !ran {
			fmt.Fprintln(&b, " not run | | |")
			continue
		}
		fmt.Fprintf(&b, " %s |", number(mine))
		for _, cdf := range []string{"cdf", "cdf-paper"} {
			if v, ok := ours[[2]string{p.Experiment, cdf}]; ok {
				fmt.Fprintf(&b, " %s |", number(mine/v))
			} else {
				fmt.Fprint(&b, " |")
			}
		}
		fmt.Fprintln(&b)
	}
	return strings.TrimSpace(b.String())
}

// number has three digits, or all those before the point.
func number(v float64) string { return digits(v, 3) }

// digits has n digits, or all those before the point, and an exponent for
// what is very small or large only.
func digits(v float64, n int) string {
	if size := math.Abs(v); size < 1e12 && (size >= math.Pow10(n-1) || v == math.Trunc(v)) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", n, v)
}

// doubts collects the reasons why figures do not reproduce, each once.
type doubts []string

// mark returns the number of the reason, as in [2], "" without one.
func (d *doubts) mark(p *study.Printed) string {
	why := p.Doubt()
	if why == "" {
		return ""
	}
	i := slices.Index(*d, why)
	if i < 0 {
		i = len(*d)
		*d = append(*d, why)
	}
	return fmt.Sprintf(" [%d]", i+1)
}

func comparisonTable(list []study.Comparison) string {
	var b strings.Builder
	fmt.Fprintln(&b, "| experiment | t | coverage: corrected | paper's rule | of predictions: corrected | paper's rule | covers closer to .95 "+
		"| accuracy: corrected | paper's rule | at least as accurate |\n"+
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	pair := func(v [2]float64) {
		for _, x := range v {
			if math.IsNaN(x) {
				fmt.Fprint(&b, " |")
			} else {
				fmt.Fprintf(&b, " %.3f |", x)
			}
		}
	}
	for _, c := range list {
		fmt.Fprintf(&b, "| %s | %d |", c.Experiment, c.T)
		pair(c.Coverage)
		pair(c.Predictive)
		fmt.Fprintf(&b, " %s |", c.CoversCloser())
		pair(c.Accuracy)
		fmt.Fprintf(&b, " %s |\n", c.AsAccurate())
	}
	return strings.TrimSpace(b.String())
}
