package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

// ErrDraft reports a sample for which no model can be drafted as asked. It is
// wrapped with the column, and with what to ask for instead.
var ErrDraft = errors.New("no model can be drafted")

// mostClasses is how many levels a response of text has that are classes rather than names.
const mostClasses = 20

// Wish is what the user has settled. Empty fields are for Suggest to find.
type Wish struct {
	Response string
	Kind     string
	Group    string
	Formula  string   // in place of Response and Group
	Dates    []string // parts of times that are features, see DateParts
}

// Model is the draft of one entry of models.
type Model struct {
	Kind     *kind.Kind
	kinds    kind.Registry
	why      string
	others   []string // kinds that fit too, with what they would be for
	profile  *Profile
	response *column
	guessed  string // why this response, "" where it was asked for
	columns  []given
	formula  *formula.Formula // nil: columns are listed
	parts    []string         // of times that are its terms
	pooled   []string         // what is to be said of its levels
	follow   []collinear.Found
	own      *own    // nil: centre, scale and priors are the defaults
	likelier string  // what predicts the sample better, "" where nothing does
	worked   float64 // on that
}

// Suggest drafts a model of one of the kinds for the sample.
func (p *Profile) Suggest(kinds kind.Registry, w Wish) (*Model, error) {
	if p.Rows == 0 {
		return nil, fmt.Errorf("%w: the sample has no rows", ErrDraft)
	}
	m := &Model{kinds: kinds, profile: p}
	if w.Formula != "" {
		var err error
		if m.formula, err = p.adopt(&w); err != nil {
			return nil, err
		}
	}
	if err := m.choose(w.Response); err != nil {
		return nil, err
	}
	if w.Group != "" {
		g := p.find(w.Group)
		switch {
		case g == nil:
			return nil, p.unknown(w.Group, " for the group")
		case g == m.response:
			return nil, fmt.Errorf("%w: column %q can't be response and group", ErrDraft, w.Group)
		case g.kind == cdf.Float:
			return nil, fmt.Errorf("%w: column %q holds numbers with fractions; groups are named by text, integers, truth values, dates or times", ErrDraft, w.Group)
		}
	}
	m.columns = p.assign(m.response, w.Group)
	if m.formula != nil {
		m.heed()
	}
	if len(w.Dates) > 0 {
		if err := m.date(); err != nil {
			return nil, err
		}
	}
	m.chooseKind(w.Kind)
	if m.formula == nil && w.Kind == "" {
		m.group(w.Group)
	}
	if m.formula != nil {
		m.bear(w.Kind)
	}
	if err := m.fits(); err != nil {
		return nil, err
	}
	m.settle(w.Group)
	m.reduce()
	if len(w.Dates) > 0 {
		if err := m.compose(w.Dates); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// choose finds the response: the one asked for, one with such a name, or the
// last column of numbers.
func (m *Model) choose(name string) error {
	p := m.profile
	if name != "" {
		m.response = p.find(name)
		switch {
		case m.response == nil:
			return p.unknown(name, " for the response")
		case m.response.kind == cdf.Text && m.response.distinct() == 2:
			levels := m.response.levels()
			return fmt.Errorf("%w: the response %q is text; kind probit takes it once it is recoded: 0 for %q, 1 for %q", ErrDraft, name, levels[0], levels[1])
		case m.response.kind == cdf.Text:
			return fmt.Errorf("%w: the response %q is text, and every kind takes numbers%s", ErrDraft, name, m.response.recoded())
		case m.response.wide():
			return fmt.Errorf("%w: the response %q has integers beyond 2^53, which numbers do not hold: they are names, or should be in a larger unit", ErrDraft, name)
		case m.response.huge():
			return fmt.Errorf("%w: the values of the response %q go to %s, whose square no number holds: it needs another unit; if it means missing, %s",
				ErrDraft, name, number(m.response.farthest()), p.remedy())
		case m.response.values == 0:
			return fmt.Errorf("%w: the response %q has no value in the sample", ErrDraft, name)
		}
		return nil
	}
	for _, word := range responseWords {
		for _, c := range p.columns {
			if p.responds(c) && has(c.name, []string{word}) {
				m.response, m.guessed = c, "chosen for its name"
				return nil
			}
		}
	}
	for _, c := range slices.Backward(p.columns) {
		if p.responds(c) && !c.groups() {
			m.response, m.guessed = c, "chosen because it is the last column of numbers"
			return nil
		}
	}
	return fmt.Errorf("%w: no column of numbers could be the response; name one with --response (the columns are %s)", ErrDraft, p.names())
}

// recoded says what a response of a few classes can be made into: "" for other text.
func (c *column) recoded() string {
	if c.distinct() < 3 || c.distinct() > mostClasses || 2*c.distinct() > c.values {
		return ""
	}
	return fmt.Sprintf("; of %d classes kind probit explains one at a time: add a column that is 1 where %s is %q, for instance, and 0 elsewhere", c.distinct(), plain(c.name), c.levels()[0])
}

// chooseKind settles the kind and says why.
func (m *Model) chooseKind(wanted string) {
	seen, best := m.seen(), kind.Suggestion{By: -1}
	var possible []string
	for _, k := range m.kinds {
		if k.Suggest == nil {
			continue
		}
		s := k.Suggest(seen)
		if s.Why != "" && s.By > best.By {
			m.Kind, best = k, s
		}
	}
	m.why = best.Why
	if k, ok := m.kinds.Lookup(wanted); ok && k != m.Kind {
		m.why = fmt.Sprintf("asked for; %s would have been suggested, because %s", m.Kind.Name, best.Why)
		m.Kind = k
	}
	for _, k := range m.kinds {
		if k != m.Kind && k.Suggest != nil {
			if use := k.Suggest(seen).Use; use != "" {
				possible = append(possible, k.Name+" ("+use+")")
			}
		}
	}
	m.others = possible
}

// group gives up a kind that was not asked for and would leave out the groups that were: of
// few, which can be levels, it does not.
func (m *Model) group(wanted string) {
	if wanted == "" || m.Kind.Groups != kind.NoGroups || m.profile.find(wanted).distinct() <= mostLevels {
		return
	}
	for _, k := range m.kinds {
		if k.Groups != kind.NoGroups && k.Response == kind.Real {
			m.Kind, m.why = k, fmt.Sprintf("groups were asked for, and %s takes none", m.Kind.Name)
			return
		}
	}
}

// seen is what the kinds are told of the sample.
func (m *Model) seen() *kind.Profile {
	r := m.response
	p := &kind.Profile{Features: count(m.columns, numericFeature, categoricalFeature, dated)}
	t := first(m.columns, clock)
	if t != nil && m.profile.stepped(t.column) {
		p.Features++
		t = nil
	}
	p.Response.Name, p.Response.Distinct = plain(r.name), many(r)
	p.Response.Binary, p.Response.Count = r.binary(), r.count()
	p.Response.Least, p.Response.Most = r.least, r.most
	for i := range m.columns {
		if g := &m.columns[i]; g.role == group {
			p.Groups = append(p.Groups, plain(g.name))
		}
	}
	if t != nil {
		p.Clock = plain(t.name)
	}
	return p
}

func many(c *column) string {
	if c.full {
		return fmt.Sprintf("over %d", mostDistinct)
	}
	return fmt.Sprint(c.distinct())
}

// fits refuses a kind that would refuse the response.
func (m *Model) fits() error {
	r, k := m.response, m.Kind
	switch {
	case k.Response == kind.Binary && !r.binary():
		return fmt.Errorf("%w: kind %s takes a response of 0 and 1, and %q goes from %s to %s with %s different values", ErrDraft, k.Name, r.name, number(r.least), number(r.most), many(r))
	case k.Response == kind.Count && (!r.whole || r.least < 0):
		return fmt.Errorf("%w: kind %s takes counts, and %q goes from %s to %s", ErrDraft, k.Name, r.name, number(r.least), number(r.most))
	case k.Groups == kind.OneGroup && first(m.columns, group) == nil:
		return fmt.Errorf("%w: kind %s needs a column that names groups; name one with --group (the columns are %s)", ErrDraft, k.Name, m.profile.names())
	}
	return nil
}

// settle takes roles away that mean nothing to the kind.
func (m *Model) settle(wanted string) {
	chosen := ""
	if g := first(m.columns, group); g != nil {
		chosen = g.name
	}
	if wanted != "" {
		chosen = wanted
	}
	k, grouped := m.Kind, m.Kind.Groups != kind.NoGroups
	for i := range m.columns {
		g := &m.columns[i]
		switch {
		case g.role == clock && !k.Time && m.formula != nil && slices.Contains(m.formula.Columns(), g.name):
			g.role = dated
		case g.role == clock && !k.Time && m.formula != nil && !m.formula.Point():
			g.role, g.why = leftOut, notNamed
		case g.role == clock && !k.Time && k.Features && g.recurs():
			g.role = numericFeature
		case g.role == clock && (!k.Time || !g.steps() || g != first(m.columns, clock)):
			g.role, g.why = leftOut, m.untimely(g)
		case g.role == group && grouped && (g.name == chosen || m.groupsBy(g.name)):
		case g.role == group && k.Features && g.distinct() <= mostLevels:
			g.role = categoricalFeature
		case g.role == group && k.Groups == kind.OneGroup:
			g.role, g.why = leftOut, fmt.Sprintf("another column names the groups, and kind %s takes one", k.Name)
		case g.role == group && grouped:
			g.role, g.why = leftOut, fmt.Sprintf("another column names the groups; kind %s takes several, see columns.groups", k.Name)
		case g.role == group && !k.Features:
			g.role, g.why = leftOut, fmt.Sprintf("kind %s takes no groups; as the key of the records it would give each a model of its own", k.Name)
		case g.role == group:
			able := m.able(func(k *kind.Kind) bool { return k.Groups != kind.NoGroups })
			g.role, g.why = leftOut, fmt.Sprintf("names %d groups, and each would be a coefficient; it is one for kind %s, or for the key of the records", g.distinct(), able)
		case g.role == numericFeature && k.Features && k.Intercept && g.name == cdf.InterceptName && m.formula == nil:
			g.role, g.why = leftOut, fmt.Sprintf("its effect would have the name of the intercept; rename it, or ask for I(%s) in a formula", g.name)
		case (g.role == numericFeature || g.role == categoricalFeature) && !k.Features:
			g.role, g.why = leftOut, "kind "+k.Name+" takes no features"
		}
	}
}

// able names the kinds that a condition holds for.
func (m *Model) able(holds func(*kind.Kind) bool) string {
	return strings.Join(m.kinds.Names(holds), " or ")
}

func (m *Model) untimely(g *given) string {
	switch {
	case m.Kind.Time && g.kind == cdf.Time:
		return fmt.Sprintf("a time; kind %s takes each row as a step, or a column of integers or dates that never falls as the time", m.Kind.Name)
	case m.Kind.Time:
		return "another column is the time"
	case g.kind == cdf.Time:
		return "a time, which is not a feature unless listed: as seconds since 1970 it would be a trend; --dates makes features of it"
	}
	return "it never falls and would be a trend; list it if you want one, or see kind " + m.able(func(k *kind.Kind) bool { return k.Time })
}

// unknownColumn is the error of a column that the sample does not have.
type unknownColumn struct{ what string }

func (u unknownColumn) Error() string { return u.what }

// unknown returns the error of a wish for a column that there is not.
func (p *Profile) unknown(name, use string) error {
	what := fmt.Sprintf("no column %q%s", name, use)
	var all []string
	for _, c := range p.columns {
		all = append(all, c.name)
	}
	for _, near := range cli.Near(name, all, 1) {
		what += fmt.Sprintf(", did you mean %q", near)
	}
	return fmt.Errorf("%w: %w", ErrDraft, unknownColumn{what + "; the columns are " + p.names()})
}

func (p *Profile) names() string {
	var all []string
	for _, c := range p.columns {
		all = append(all, plain(c.name))
	}
	return strings.Join(cli.First(all, 20), ", ")
}
