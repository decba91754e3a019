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
does not: parameters are fixed, as nature has them, the configuration names columns
and nothing else (columns are scaled by their first rows), and some data are not
what the model takes them for. For the published 95 %% intervals of a parameter,
averaged over its variables, it gives

- how many hold the truth after the first shard and after the tenth, with standard errors;
- the sd ratio, of the published sd to the root mean square error, (mean z²)^(-1/2), none where no sd exists;
- the flags that were up, in which share of the replicates.

A regime is **covered** if all coverages are within .93 to .97 but for three standard
errors and no sd ratio is below .8, **flagged** if one is not and at least 95 %% of the replicates have a flag then,
otherwise **off**. With the truth fixed an exact posterior need not cover it at
95 %%: the prior pulls, and where rows are few it wins.
`

// section writes what was found of a regime.
func (g *regime) section(w io.Writer, f *found) {
	fmt.Fprintf(w, "\n### %s\n\n%s\n\n%d replicates", g.title(), g.about, len(f.outcomes))
	if g.settings != "" {
		fmt.Fprintf(w, "; settings `%s`", g.settings)
	}
	fmt.Fprintf(w, ". **%s**.\n\n", strings.ToUpper(f.verdict()[:1])+f.verdict()[1:])
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
	for look, name := range looks {
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
