package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const (
	perLevel   = 20 // rows for each listed level before one that is not among them is told
	mostLevels = 5  // in a sentence
)

// values tells of levels that the configuration lists and no record has, and of levels that
// are the same but for how they are spelt: each is a coefficient of its own.
func (i *inspector) values(k *checker) {
	for j := range i.models {
		b := i.models[j].rows.Batch()
		for f := range i.config.Models[j].Spec.Columns.Features {
			feature := &i.config.Models[j].Spec.Columns.Features[f]
			at := slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == feature.Name })
			if at < 0 || feature.Levels == nil && !feature.LevelsFirst {
				continue
			}
			subject, column := fmt.Sprintf("models[%d]", j), term.Cut(feature.Name, 40)
			met := labels(&b.Columns[at], b.Rows)
			if len(met) == 0 {
				continue
			}
			if lists := rows.Alike(met); len(lists) > 0 {
				k.add(levelNote, subject, "make them one at their source where they mean the same", "levels of %q are spelt in several ways, and each is one of its own: %s", column, quoted(lists[0]))
			}
			i.unmet(k, feature, j, met, b.Rows)
		}
	}
}

// unmet tells of listed levels that are not among those that were met.
func (i *inspector) unmet(k *checker, f *cdf.Feature, j int, met []string, rowsMet int) {
	var nobody []string
	for _, level := range f.Levels {
		if slices.Contains(met, level) {
			continue
		}
		near := slices.IndexFunc(met, func(m string) bool { return rows.Spelled(m) == rows.Spelled(level) && !slices.Contains(f.Levels, m) })
		if near >= 0 {
			k.add(levelWarning, fmt.Sprintf("models[%d]", j), fmt.Sprintf("write %q in models[%d].columns.features", met[near], j),
				"no record looked at has the level %q of %q, and some have %q, which is none of the levels listed", level, f.Name, met[near])
			continue
		}
		nobody = append(nobody, level)
	}
	if len(nobody) > 0 && rowsMet >= perLevel*len(f.Levels) {
		k.add(levelNote, fmt.Sprintf("models[%d]", j), "", "none of the %d newest rows has these levels of %q, which are listed: %s; nothing is learnt of them until some do", rowsMet, f.Name, quoted(nobody))
	}
}

// labels are those of a column, in the order that they come in.
func labels(c *cdf.Column, rows int) (all []string) {
	if c.Type == cdf.Float {
		return nil
	}
	seen := map[string]bool{}
	for row := range rows {
		if label, ok := c.Label(row); ok && !seen[label] {
			seen[label] = true
			all = append(all, label)
		}
	}
	return all
}

// quoted lists the first of some levels.
func quoted(levels []string) string {
	var some []string
	for _, level := range levels[:min(len(levels), mostLevels)] {
		some = append(some, rows.Quoted(term.Cut(level, 40)))
	}
	if more := len(levels) - len(some); more > 0 {
		some = append(some, fmt.Sprintf("%d more", more))
	}
	return strings.Join(some, ", ")
}
