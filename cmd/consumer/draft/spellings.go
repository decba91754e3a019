package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const mostAlike = 3 // spellings that a note has

// spellings say of levels, groups and keys which are the same but for how they are spelt, and
// of numbers that they are dates.
func (m *Model) spellings() (all []string) {
	if keys := alike(keysOf(m.profile)); keys != "" {
		all = append(all, "keys differ in spelling alone, each with a model of its own: "+keys+"; make them one where they mean the same")
	}
	all = append(all, m.profile.namesakes()...)
	for i := range m.columns {
		g := &m.columns[i]
		switch g.role {
		case clock, leftOut:
			// Numbers of days leap from month to month, and no part of a time is made of them.
			if form := g.dated(); form != "" && g.timely() {
				all = append(all, fmt.Sprintf("column %s looks like dates that are written as numbers (%s): write them as 2024-01-31 to have times of them", plain(g.name), form))
			}
		case categoricalFeature, group:
			if texts := alike(g.levels()); texts != "" {
				all = append(all, fmt.Sprintf("column %s has levels that differ in spelling alone, each with an effect of its own: %s; make them one where they mean the same", plain(g.name), texts))
			}
		case numericFeature:
			if form := g.dated(); form != "" {
				all = append(all, fmt.Sprintf("column %s looks like dates that are written as numbers (%s): write them as 2024-01-31 and ask for --dates, or leave it out", plain(g.name), form))
			}
			if g.floating() {
				all = append(all, fmt.Sprintf("column %s has whole numbers with a fraction of 0, as programs write names of groups where some are missing, and a slope is learnt of them: "+
					"write them as 7, not 7.0, with an empty field for none", plain(g.name)))
			}
		}
	}
	return all
}

// namesakes say of columns whose names are the same but for how they are spelt that no row has both: each row
// lacks one of them.
func (p *Profile) namesakes() (all []string) {
	var names []string
	for _, c := range p.columns {
		names = append(names, c.name)
	}
	for _, list := range rows.Alike(names) {
		values := 0
		for _, name := range list {
			c := p.find(name)
			values += c.values + c.infinite
		}
		if values <= p.Rows {
			all = append(all, fmt.Sprintf("columns differ in spelling alone, and hardly a row has more than one of them: %s; make them one where they mean the same", quoted(list)))
		}
	}
	return all
}

func keysOf(p *Profile) []string {
	keys := make([]string, 0, len(p.Keys))
	for key := range p.Keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// alike lists the first spellings of one text, "" where each has one.
func alike(texts []string) string {
	lists := rows.Alike(texts)
	if len(lists) == 0 {
		return ""
	}
	words := quoted(lists[0])
	if more := len(lists) - 1; more > 0 {
		words += ", and " + plural(more, "other", "others")
	}
	return words
}

// floating reports names of groups that became numbers with fractions.
func (c *column) floating() bool {
	return c.kind == cdf.Float && c.whole && !c.rounded() && c.values > 2*c.distinct() && has(c.name, groupWords) && !has(c.name, measureWords)
}

// quoted lists the first of some texts.
func quoted(texts []string) string {
	var some []string
	for _, text := range texts[:min(len(texts), mostAlike)] {
		if len(text) > 40 {
			text = term.Cut(text, 40)
		}
		some = append(some, rows.Quoted(text))
	}
	return strings.Join(some, ", ")
}

// dated says as what a column of integers looks like dates, "" for none.
func (c *column) dated() string {
	if c.kind != cdf.Integer || c.full {
		return ""
	}
	return rows.Dated(c.name, slices.Collect(maps.Keys(c.exact)))
}
