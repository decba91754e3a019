package check

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const (
	perLevel   = 20 // rows for each listed level before one that is not among them is told
	mostLevels = 5  // in a sentence
	mostShared = 4  // rows for each of a level that is not listed, beyond which those are none that are rare
)

// values tells of levels that the configuration lists and no record has, of levels and keys that
// are the same but for how they are spelt, each of which is a coefficient or a model of its own, and of numbers that
// are dates.
func (i *inspector) values(k *checker) {
	if lists := rows.Alike(slices.Sorted(maps.Keys(i.met))); len(lists) > 0 {
		k.add(levelNote, "topic "+i.config.Kafka.Input, "make them one at their source where they mean the same", "keys are spelt in several ways, and each has a model of its own: %s", quoted(lists[0]))
	}
	for j := range i.models {
		b := i.models[j].rows.Batch()
		i.dated(k, j, b)
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
			sharing(k, feature, j, met, &b.Columns[at], b.Rows)
		}
	}
}

// dated tells of features that are numbers and look like dates: their effect would be a trend in jumps.
func (i *inspector) dated(k *checker, j int, b *cdf.Batch) {
	spec := i.config.Models[j].Spec
	named, only := spec.Columns.Named()
	for c := range b.Columns {
		column := &b.Columns[c]
		at := slices.IndexFunc(named, func(n cdf.Named) bool { return n.Name == column.Name })
		feature := at >= 0 && named[at].Role == "feature" && named[at].Number || at < 0 && !only
		if !feature || column.Type != cdf.Integer {
			continue
		}
		different := map[float64]bool{}
		for _, v := range column.Number {
			if !math.IsNaN(v) {
				different[v] = true
			}
		}
		if form := rows.Dated(column.Name, slices.Collect(maps.Keys(different))); form != "" {
			k.add(levelNote, fmt.Sprintf("models[%d]", j), fmt.Sprintf("send it as a time and take it into a formula, or leave it out of models[%d].columns.features", j),
				"%q is a feature and looks like dates that are written as numbers (%s)", term.Cut(column.Name, 40), form)
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

// sharing tells of levels that are not listed and have one coefficient together, where they are many of the rows:
// what is learnt is the mean of their effects, and moves with how often each comes.
func sharing(k *checker, f *cdf.Feature, j int, met []string, c *cdf.Column, rowsMet int) {
	if f.LevelsFirst || f.Other == "drop" || f.Other == "reject" {
		return
	}
	known := map[string]bool{}
	for _, level := range f.Levels {
		known[level] = true
	}
	others := slices.DeleteFunc(slices.Clone(met), func(level string) bool { return known[level] })
	labelled, shared := 0, 0
	for row := range rowsMet {
		if label, ok := c.Label(row); ok {
			labelled++
			if !known[label] {
				shared++
			}
		}
	}
	if len(others) > 1 && mostShared*shared > labelled && labelled >= perLevel {
		k.add(levelNote, fmt.Sprintf("models[%d]", j), fmt.Sprintf("list those that matter in models[%d].columns.features, for which a new kafka.group is needed", j),
			"%d levels of %q that are not listed share one coefficient, and are %d %% of the rows looked at: %s", len(others), term.Cut(f.Name, 40), 100*shared/labelled, quoted(others))
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
