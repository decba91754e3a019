package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

const header = `# Defaults where users start

Made by ` + "`make regimes`" + `; change the program, not this page. Seed %d;
the outcome does not depend on the number of cores.

[Simulation-based calibration](sbc.md) draws parameters from the prior. This page
does not: it shows, for readers who want to know how the defaults behave on ordinary data, streams whose parameters
are fixed and whose configuration only names columns
(columns are scaled by their first rows). Some of the data do not fit the model. For the published 95 %% intervals of a parameter,
averaged over its variables, a table has

- the share that contain the truth after the first and after the tenth shard, with standard errors;
- the sd ratio, of the published sd to the root mean square error, (mean z²)^(-1/2), or none where no sd exists;
- in a second table, single effects that an average hides: the intercept, the largest of four or more levels or coefficients (the one farthest
  from their mean) and the one that is farthest from its truth, in sds of the posterior, on average, and how often its interval holds it. The last is far by chance, too: of 20 right ones 2.2, of 100 2.7;
- the flags that were raised, with the share of the replicates.

A regime is **covered** if all coverages are within .93 to .97, up to three standard
errors, and no sd ratio is below .8. It is **flagged** if that is not so and at least 95 %% of the replicates have a flag then, or if intervals that are too short
are so only where a flag is up: the replicates without one have a coverage of .93, up to three standard errors of theirs, and an sd ratio of .8. It is **wide** if
that is not so either, and intervals hold the truth in more than 97 %%: they are safe, and say less than they could.
Otherwise it is **off**. With fixed parameters an exact posterior need not cover the truth in
95 %%: the prior has an effect, above all where rows are few.
`

// section writes what was found of a regime.
func (g *regime) section(w io.Writer, f *found) {
	fmt.Fprintf(w, "\n### %s\n\n%s\n\n%d replicates", g.title(), g.about, len(f.outcomes))
	if g.settings != "" {
		fmt.Fprintf(w, "; settings `%s`", g.settings)
	}
	fmt.Fprintf(w, ". **%s**.\n\n", strings.ToUpper(f.verdict()[:1])+f.verdict()[1:])
	if len(f.params) > 0 {
		f.table(w)
		f.effectTable(w)
	}
	for look, name := range looks {
		f.silence(w, look)
		names, shares, _ := f.raised(look)
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(w, "\nFlags after the %s:", name)
		for i, flag := range names {
			fmt.Fprintf(w, "%s `%s` %.3f", map[bool]string{true: ",", false: ""}[i > 0], flag, shares[flag])
		}
		fmt.Fprintln(w, ".")
	}
	if note := notes[g.title()]; note != "" {
		fmt.Fprintf(w, "\n%s\n", note)
	}
}

// silence writes what intervals are in the replicates that no flag is up in, where that decides.
func (f *found) silence(w io.Writer, look int) {
	s := f.silent(look)
	if len(s.outcomes) == 0 || len(s.outcomes) == len(f.outcomes) || !f.untold(look) {
		return
	}
	all := make([]string, len(f.params))
	for p, name := range f.params {
		c := s.cell(look, p)
		all[p] = fmt.Sprintf("`%s` %.3f (%.3f), sd ratio %.2f", name, c.coverage, c.se, c.ratio)
	}
	fmt.Fprintf(w, "\nThe %d replicates without a flag after the %s: %s.\n", len(s.outcomes), looks[look], strings.Join(all, "; "))
}

// table writes the coverage of each parameter.
func (f *found) table(w io.Writer) {
	fmt.Fprint(w, "| parameter |")
	for _, look := range looks {
		fmt.Fprintf(w, " %s: 95 %% | sd ratio |", look)
	}
	fmt.Fprint(w, "\n| --- |"+strings.Repeat(" --- | --- |", len(looks))+"\n")
	for p, name := range f.params {
		fmt.Fprintf(w, "| `%s` |", name)
		for look := range looks {
			c := f.cell(look, p)
			ratio := "none"
			if !math.IsNaN(c.ratio) {
				ratio = fmt.Sprintf("%.2f", c.ratio)
			}
			fmt.Fprintf(w, " %.3f (%.3f) | %s |", c.coverage, c.se, ratio)
		}
		fmt.Fprintln(w)
	}
}
