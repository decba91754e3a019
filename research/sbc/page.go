package main

import (
	"bytes"
	"fmt"
	"strings"
)

const header = `# Simulation-based calibration

Made by ` + "`go run ./research/sbc`" + `; change the program, not this page. Seed %d;
the outcome does not depend on the number of cores.

Whether the published posteriors are calibrated, for readers who want evidence beyond single examples.

Parameters are drawn from the prior, data are simulated from them, and the data are
processed in several shards with ` + "`columns.scaling: none`" + `. If draws, moments and
intervals are those of the posterior, then over the replicates (Talts et al. 2018,
arXiv:1804.06788)

- the truth's rank among 99 draws is uniform on 0 to 99. The tables have p-values of the
  Kolmogorov-Smirnov test (ranks made continuous), the χ² test on 20 bins and
  the simultaneous band of the cumulative histogram (below .01: outside the 99 %%
  band; Säilynoja et al. 2022, doi:10.1007/s11222-022-10090-6). The histogram
  shows ∪ if draws are too narrow, ∩ if they are too wide, a slope if they are shifted;
- z = (truth - mean) / sd has mean 0 and mean square 1. The sd ratio, of the
  published sd to the root mean square error, is (mean z²)^(-1/2);
- the published 50, 90 and 95 %% intervals contain the truth in that share of replicates.

Standard errors are in parentheses. Ranks test the draws; z and coverage test the
published moments and quantiles, which may be closed forms. Dependent draws are
thinned to 99. While a variable's effective sample size is below 99 the
replicate is run again with twice the draws, except where the table says that the number of
draws is the default. A table of a calibrated model
reports a departure with a probability of at most %g: each of its tests has the
level %g / number of tests in the table.
`

// page lays results out: one part per kind, one section per study.
type page struct {
	bytes.Buffer
	last string // the kind whose part was begun
}

func newPage(seed uint64) *page {
	p := &page{}
	fmt.Fprintf(p, header, seed, alarm, alarm)
	return p
}

// section writes a study's words around its result.
func (p *page) section(s *study, result string) {
	if s.kind != p.last {
		p.last = s.kind
		fmt.Fprintf(p, "\n## %s\n", s.kind)
	}
	fmt.Fprintf(p, "\n### %s\n\n%s\n\n%s", s.title(), s.about, result)
	if s.note != "" {
		fmt.Fprintf(p, "\n%s\n", s.note)
	}
}

// kept is the result of a study in a page, and the experiment it is of.
type kept struct{ about, result string }

// read finds the results in a page that this seed made, by the studies' titles.
func read(text string, seed uint64) (map[string]kept, error) {
	head, sections, _ := strings.Cut(text, "\n## ")
	if want := fmt.Sprintf(" Seed %d;\n", seed); !strings.Contains(head, want) {
		return nil, fmt.Errorf("it is not a page of seed %d", seed)
	}
	out := map[string]kept{}
	for _, section := range strings.Split(sections, "\n### ")[1:] {
		paragraphs := strings.Split(section, "\n\n")
		last := 2
		for last < len(paragraphs) && !strings.HasPrefix(paragraphs[last], "| variable |") {
			last++
		}
		if last >= len(paragraphs) {
			return nil, fmt.Errorf("%s has no table", paragraphs[0])
		}
		result := strings.TrimRight(strings.Join(paragraphs[2:last+1], "\n\n"), "\n") + "\n"
		out[paragraphs[0]] = kept{paragraphs[1], result}
	}
	return out, nil
}

// current reports, as an error, a result of another experiment than the
// study's.
func (k kept) current(s *study) error {
	if k.about != s.about || strings.Contains(k.result, "; settings ") != (s.settings != "") ||
		!strings.Contains(k.result, s.settingsText()) {
		return fmt.Errorf("%s: the table that is to be kept is of another experiment", s.title())
	}
	return nil
}
