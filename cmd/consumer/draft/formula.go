package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models/kind"
)

// adopt takes the columns of the wish from its formula: the response, which the kind
// is chosen for, and the first of the groups.
func (p *Profile) adopt(w *Wish) (*formula.Formula, error) {
	f, err := formula.Parse(w.Formula)
	if err != nil {
		return nil, fmt.Errorf("%w: formula: %w", ErrDraft, err)
	}
	for _, name := range f.Columns() {
		if p.find(name) == nil {
			return nil, p.unknown(name, " for the formula")
		}
	}
	answers := f.Answers()
	if len(answers) == 0 {
		return nil, fmt.Errorf("%w: formula: the response has no column", ErrDraft)
	}
	w.Response = answers[0]
	if groups := f.Roles().Groups; len(groups) > 0 {
		w.Group = groups[0].Column
	}
	return f, nil
}

const notNamed = "the formula does not name it"

// groupsBy reports whether the formula has groups by a column.
func (m *Model) groupsBy(name string) bool {
	return m.formula != nil && slices.ContainsFunc(m.formula.Roles().Groups, func(c cdf.Group) bool { return c.Column == name })
}

// heed gives the columns the roles that the formula has for them, so that the kind is
// chosen for it.
func (m *Model) heed() {
	named := m.formula.Columns()
	for i := range m.columns {
		g := &m.columns[i]
		switch {
		case g.role == clock:
		case m.groupsBy(g.name):
			g.role = group
		case !slices.Contains(named, g.name) && !m.formula.Point():
			g.role, g.why = leftOut, notNamed
		case g.role == leftOut && slices.Contains(named, g.name): // at the reader's wish
			g.role, g.why = numericFeature, ""
			if g.kind == cdf.Text {
				g.role = categoricalFeature
			}
		case g.role == group:
			g.role = categoricalFeature
		}
	}
}

// bear gives up a kind that was not asked for and takes no terms, where the formula
// has some.
func (m *Model) bear(wanted string) {
	if wanted != "" || m.Kind.Features || !m.formula.Features() {
		return
	}
	if k := m.explaining(); k != nil {
		m.Kind, m.why = k, "the formula has terms"
	}
}

// explaining is the first kind that explains numbers by features alone, nil where there is none.
func (m *Model) explaining() *kind.Kind {
	for _, k := range m.kinds {
		if k.Features && k.Response == kind.Real && k.Groups == kind.NoGroups {
			return k
		}
	}
	return nil
}

// writeFormula writes the formula in place of the columns.
func (m *Model) writeFormula(line func(string, ...any)) {
	what := m.response.describe(m.profile)
	if refused := m.profile.refused(m.response); refused != "" {
		what += "; " + refused
	} else if missing := m.profile.Rows - m.response.values; missing > 0 {
		what += fmt.Sprintf("; %s of the rows have none: they are predicted, not learnt from", percent(missing, m.profile.Rows))
	}
	line("    # %s: %s.", plain(m.response.name), what)
	if len(m.parts) == 0 {
		line("    # Levels that the formula does not list are those of a key's first shard.")
	}
	line("    formula: %s", strings.TrimSpace(inline(m.formula.String())))
	for i := range m.columns {
		if g := &m.columns[i]; g.role == clock {
			line("    columns: {time: %s}  # %s; equal values are one step, gaps are missing ones", inline(g.name), g.describe(m.profile))
		}
	}
	if len(m.parts) > 0 {
		m.writeLeftOut(line)
	}
}
