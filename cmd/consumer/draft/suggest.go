package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// wide is from how many features on a regression is compressed.
const wide = 200

// ErrDraft reports a sample for which no model can be drafted as asked. It is
// wrapped with the column, and with what to ask for instead.
var ErrDraft = errors.New("no model can be drafted")

// Wish is what the user has settled. Empty fields are for Suggest to find.
type Wish struct {
	Response string
	Kind     string // linear, anova, dlm, probit, compressed or poisson
	Group    string
}

// Model is the draft of one entry of models.
type Model struct {
	Kind     string
	why      string
	others   []string // kinds that fit too, with what they would be for
	profile  *Profile
	response *column
	guessed  string // why this response, "" where it was asked for
	columns  []given
}

// Suggest drafts a model for the sample.
func (p *Profile) Suggest(w Wish) (*Model, error) {
	if p.Rows == 0 {
		return nil, fmt.Errorf("%w: the sample has no rows", ErrDraft)
	}
	m := &Model{profile: p}
	if err := m.choose(w.Response); err != nil {
		return nil, err
	}
	if w.Group != "" {
		g := p.find(w.Group)
		switch {
		case g == nil:
			return nil, fmt.Errorf("%w: no column %q for the group; the columns are %s", ErrDraft, w.Group, p.names())
		case g == m.response:
			return nil, fmt.Errorf("%w: column %q can't be response and group", ErrDraft, w.Group)
		case g.kind == cdf.Float || g.kind == cdf.Time:
			return nil, fmt.Errorf("%w: column %q holds numbers with fractions or times; groups are named by text, integers or truth values", ErrDraft, w.Group)
		}
	}
	m.columns = p.assign(m.response, w.Group)
	m.kind(w.Kind)
	if err := m.fits(); err != nil {
		return nil, err
	}
	m.settle(w.Group)
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
			return fmt.Errorf("%w: no column %q for the response; the columns are %s", ErrDraft, name, p.names())
		case m.response.kind == cdf.Text && m.response.distinct() == 2:
			levels := m.response.levels()
			return fmt.Errorf("%w: the response %q is text; kind probit takes it once it is recoded: 0 for %q, 1 for %q", ErrDraft, name, levels[0], levels[1])
		case m.response.kind == cdf.Text:
			return fmt.Errorf("%w: the response %q is text, and every kind takes numbers", ErrDraft, name)
		case m.response.values == 0:
			return fmt.Errorf("%w: the response %q has no value in the sample", ErrDraft, name)
		}
		return nil
	}
	able := func(c *column) bool {
		return c.numeric() && c.kind != cdf.Time && p.unusable(c) == "" && c.id() == "" && !c.timely()
	}
	for _, word := range responseWords {
		for _, c := range p.columns {
			if able(c) && has(c.name, []string{word}) {
				m.response, m.guessed = c, "chosen for its name"
				return nil
			}
		}
	}
	for _, c := range slices.Backward(p.columns) {
		if able(c) && !c.groups() {
			m.response, m.guessed = c, "chosen because it is the last column of numbers"
			return nil
		}
	}
	return fmt.Errorf("%w: no column of numbers could be the response; name one with --response (the columns are %s)", ErrDraft, p.names())
}

// kind settles the kind and says why.
func (m *Model) kind(wanted string) {
	r, features := m.response, count(m.columns, numericFeature, categoricalFeature)
	labels := count(m.columns, group)
	possible := map[string]string{
		"linear":     "regression on the features",
		"dlm":        "a level that wanders from row to row, without features",
		"compressed": "regression on a random projection of many columns",
	}
	why := map[string]string{}
	if r.binary() {
		why["probit"] = fmt.Sprintf("%s is 0 or 1", plain(r.name))
		possible["probit"] = "the chance of a 1"
	}
	if r.count() {
		possible["poisson"] = "counts, with effects of groups"
		if labels > 0 {
			why["poisson"] = fmt.Sprintf("%s counts (whole numbers from %s to %s) and %s names groups", plain(r.name), number(r.least), number(r.most), plain(first(m.columns, group).name))
		}
	}
	if labels > 0 {
		possible["anova"] = "a level of each group of one column"
	}
	if labels == 1 && features == 0 {
		why["anova"] = fmt.Sprintf("%s is the only other column of use, and it names groups", plain(first(m.columns, group).name))
	}
	if t := first(m.columns, clock); t != nil && features == 0 && labels == 0 {
		why["dlm"] = fmt.Sprintf("%s says when, and there is no feature", plain(t.name))
	}
	if features >= wide {
		why["compressed"] = fmt.Sprintf("there are %d features: a coefficient for each would take a state of %d squared", features, features)
	}
	why["linear"] = fmt.Sprintf("%s is a number with %s different values in the sample", plain(r.name), many(r))
	if features == 0 {
		delete(possible, "linear")
		delete(possible, "compressed")
		why["linear"] += "; there is no feature, so that only the intercept is learnt"
	}
	if features < 30 {
		delete(possible, "compressed")
	}
	for _, k := range []string{"probit", "poisson", "anova", "dlm", "compressed", "linear"} {
		if m.Kind == "" && why[k] != "" {
			m.Kind, m.why = k, why[k]
		}
	}
	if wanted != "" && wanted != m.Kind {
		m.why = fmt.Sprintf("asked for; %s would have been suggested, because %s", m.Kind, m.why)
		m.Kind = wanted
	}
	for _, k := range []string{"linear", "probit", "poisson", "anova", "dlm", "compressed"} {
		if k != m.Kind && possible[k] != "" {
			m.others = append(m.others, k+" ("+possible[k]+")")
		}
	}
}

func many(c *column) string {
	if c.full {
		return fmt.Sprintf("over %d", mostDistinct)
	}
	return fmt.Sprint(c.distinct())
}

// fits refuses a kind that would refuse the response.
func (m *Model) fits() error {
	r := m.response
	switch m.Kind {
	case "probit":
		if !r.binary() {
			return fmt.Errorf("%w: kind probit takes a response of 0 and 1, and %q goes from %s to %s with %s different values", ErrDraft, r.name, number(r.least), number(r.most), many(r))
		}
	case "poisson":
		if !r.whole || r.least < 0 {
			return fmt.Errorf("%w: kind poisson takes counts, and %q goes from %s to %s", ErrDraft, r.name, number(r.least), number(r.most))
		}
	case "anova":
		if first(m.columns, group) == nil {
			return fmt.Errorf("%w: kind anova needs a column that names groups; name one with --group (the columns are %s)", ErrDraft, m.profile.names())
		}
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
	grouped := m.Kind == "anova" || m.Kind == "poisson"
	featured := m.Kind != "anova" && m.Kind != "dlm"
	for i := range m.columns {
		g := &m.columns[i]
		switch {
		case g.role == clock && (m.Kind != "dlm" || g.kind != cdf.Integer || g != first(m.columns, clock)):
			g.role, g.why = leftOut, m.untimely(g)
		case g.role == group && grouped && g.name == chosen:
		case g.role == group && featured && g.distinct() <= mostLevels:
			g.role = categoricalFeature
		case g.role == group && grouped:
			g.role, g.why = leftOut, "another column names the groups; kind poisson takes several, see columns.groups"
			if m.Kind == "anova" {
				g.why = "another column names the groups, and kind anova takes one"
			}
		case g.role == group && m.Kind == "dlm":
			g.role, g.why = leftOut, "kind dlm takes no groups; as the key of the records it would give each a model of its own"
		case g.role == group:
			g.role, g.why = leftOut, fmt.Sprintf("names %d groups, and each would be a coefficient; it is one for kind anova or poisson, or for the key of the records", g.distinct())
		case (g.role == numericFeature || g.role == categoricalFeature) && !featured:
			g.role, g.why = leftOut, "kind "+m.Kind+" takes no features"
		}
	}
}

func (m *Model) untimely(g *given) string {
	switch {
	case m.Kind == "dlm" && g.kind == cdf.Time:
		return "a time; kind dlm takes each row as a step, or an integer column as the time"
	case m.Kind == "dlm":
		return "another column is the time"
	case g.kind == cdf.Time:
		return "a time, which is no feature unless it is listed: as seconds since 1970 it would be a trend"
	}
	return "it never falls and would be a trend; list it if you want one, or see kind dlm"
}

func (p *Profile) names() string {
	var all []string
	for _, c := range p.columns {
		all = append(all, plain(c.name))
	}
	if len(all) > 20 {
		all = append(all[:20], fmt.Sprintf("and %d more", len(all)-20))
	}
	return strings.Join(all, ", ")
}
