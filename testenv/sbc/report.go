package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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

const header = `# Simulation-based calibration

Made by ` + "`%s`" + `; change the program, not this page. Seed %d;
the outcome does not depend on the number of cores.

Parameters are drawn from the prior, data from them, and the data are
filtered in several shards with ` + "`columns.scaling: none`" + `. If draws, moments and
intervals are those of the posterior, then over replicates (Talts et al. 2018,
arXiv:1804.06788)

- the truth's rank among 99 draws is uniform on 0 to 99: p-values of the
  Kolmogorov-Smirnov test (ranks made continuous), the χ² test on 20 bins and
  the simultaneous band of the cumulated histogram (below .01: outside the 99 %%
  band; Säilynoja et al. 2022, doi:10.1007/s11222-022-10090-6). The histogram
  shows ∪ where draws are too narrow, ∩ too wide, a slope where they are shifted;
- z = (truth - mean) / sd has mean 0 and mean square 1. The sd ratio, of the
  published sd to the root mean square error, is (mean z²)^(-1/2);
- the published 50, 90 and 95 %% intervals cover the truth that often.

Standard errors in brackets. Ranks test the draws; z and coverage test the
published moments and quantiles, which may be closed forms. Dependent draws are
thinned to 99; while a variable's effective sample size is below 99 the
replicate is run again with twice the draws. A table of a calibrated model
names a departure with a probability of at most %g: each of its tests has the
level %g / number of tests in the table.
`

// section prints one table in Markdown.
func (t *table) section(w io.Writer) {
	fmt.Fprintf(w, "\n### %s: %s\n\n%s\n\n", t.kind, t.name, t.about)
	n := 0
	if len(t.rows) > 0 {
		n = t.rows[0].n
	}
	fmt.Fprintf(w, "%d replicates", n)
	if t.settings != "" {
		fmt.Fprintf(w, "; settings `%s`", t.settings)
	}
	if t.chain {
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
	if t.note != "" {
		fmt.Fprintf(w, "\n%s\n", t.note)
	}
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
	if e.value-e.value != 0 {
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
