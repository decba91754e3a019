package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf/lin"
)

// table is a study with its result.
type table struct {
	study
	rows    []calibration
	refused int
	refusal error
	chain   bool    // the draws are dependent
	least   float64 // 1 % quantile over replicates of the least effective sample size
	short   int     // replicates with a variable whose effective sample size stayed below ranked
}

func (s *study) tabulate(r *replication) *table {
	t := &table{study: *s, refused: r.refused, refusal: r.refusal}
	var least []float64
	for v, outcomes := range r.of {
		if len(outcomes) == 0 {
			return t
		}
		t.rows = append(t.rows, calibrate(r.variables[v], outcomes, len(r.of)))
		if v == 0 {
			least = make([]float64, len(outcomes))
			for i := range least {
				least[i] = math.Inf(1)
			}
		}
		for i, o := range outcomes {
			least[i] = min(least[i], o.ess)
		}
	}
	slices.Sort(least)
	t.least = least[len(least)/100]
	t.chain = !math.IsInf(least[0], 1)
	for _, e := range least {
		if !(e >= ranked) {
			t.short++
		}
	}
	return t
}

// calibrated is the verdict on a table without a departure or a refusal.
const calibrated = "calibrated"

// verdict says which variables depart in which tests.
func (t *table) verdict() string {
	var parts []string
	if t.refused > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", t.refused))
	}
	for _, c := range t.rows {
		if len(c.departures) > 0 {
			parts = append(parts, fmt.Sprintf("%s departs: %s", c.variable, strings.Join(c.departures, ", ")))
		}
	}
	if parts == nil {
		return calibrated
	}
	return strings.Join(parts, "; ")
}

// settingsText is how a result names the settings.
func (s *study) settingsText() string {
	if s.settings == "" {
		return ""
	}
	return fmt.Sprintf("; settings `%s`", s.settings)
}

// result is the table in Markdown behind a line that says what was run.
func (t *table) result() string {
	w := &strings.Builder{}
	n := 0
	if len(t.rows) > 0 {
		n = t.rows[0].n
	}
	fmt.Fprintf(w, "%d replicates%s", n, t.settingsText())
	if t.draws == 0 {
		fmt.Fprintf(w, "; draws as by default, nothing run again")
	} else if t.chain {
		fmt.Fprintf(w, "; %d draws per shard, thinned, the least effective sample size above %.0f in 99 %% of the replicates", t.draws, t.least)
		if t.short > 0 {
			fmt.Fprintf(w, ", below %d in %d of them in spite of %d draws", ranked, t.short, t.draws<<enlarge)
		}
	} else {
		fmt.Fprintf(w, "; independent draws")
	}
	fmt.Fprintf(w, ".\n")
	if t.refused > 0 {
		fmt.Fprintf(w, "\n**%d replicates were refused**, the first with: %v\n", t.refused, t.refusal)
	}
	fmt.Fprintf(w, "\n| variable | KS p | χ² p | band p | ranks | mean z | mean z² | sd ratio | 50 %% | 90 %% | 95 %% | verdict |\n")
	fmt.Fprintf(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range t.rows {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.variable,
			pValue(c.ks), pValue(c.chi), pValue(c.band), sparkline(c.histogram[:]), c.z, c.z2, c.sdRatio,
			c.coverage[0], c.coverage[1], c.coverage[2], c.verdict())
	}
	return w.String()
}

func (c *calibration) verdict() string {
	v := calibrated
	if len(c.departures) > 0 {
		v = "departs: " + strings.Join(c.departures, ", ")
	}
	if c.moments < c.n {
		v += fmt.Sprintf("; moments in %d", c.moments)
	}
	return v
}

func (e estimate) String() string {
	if !lin.Finite(e.value) {
		return "none"
	}
	return fmt.Sprintf("%.3f (%.3f)", e.value, e.se)
}

func pValue(p float64) string {
	if p < .001 {
		return fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%.3f", p)
}

// sparkline draws counts from 0 to twice their mean.
func sparkline(counts []int) string {
	const blocks = "▁▂▃▄▅▆▇█"
	bars, n := []rune(blocks), 0
	for _, c := range counts {
		n += c
	}
	var b strings.Builder
	for _, c := range counts {
		i := c * len(counts) * len(bars) / max(2*n, 1)
		b.WriteRune(bars[min(i, len(bars)-1)])
	}
	return b.String()
}
