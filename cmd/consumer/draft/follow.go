package draft

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// reduce leaves out features that follow from others, of which a model could not tell whose
// the effect is. Of two that follow from each other it is the later column, of a fine and a
// coarse one, as town and country, the coarse: the fine one's levels have all that it says.
func (m *Model) reduce() {
	if !m.Kind.Features || count(m.columns, numericFeature, categoricalFeature) < 1 {
		return
	}
	roles := cdf.Roles{Response: cdf.Feature{Name: m.response.name}, Features: []cdf.Feature{}, Intercept: true}
	if m.formula != nil {
		roles = m.formula.Roles()
	}
	for i := range m.columns {
		switch g := &m.columns[i]; {
		case m.formula != nil:
		case g.role == numericFeature:
			roles.Features = append(roles.Features, cdf.Feature{Name: g.name})
		case g.role == categoricalFeature:
			roles.Features = append(roles.Features, cdf.Feature{Name: g.name, Levels: g.levels()})
		}
	}
	for _, f := range m.profile.rows.Find(&roles, "level") {
		i := slices.IndexFunc(m.columns, func(g given) bool { return g.name == f.Column })
		if m.formula == nil && f.Everywhere() && i >= 0 {
			m.columns[i].role, m.columns[i].why = leftOut, f.Words()+": its effect would be part of theirs"
			continue
		}
		m.follow = append(m.follow, f)
	}
}

// sorted reports rows that come in the order of the response, but for one in a hundred: of
// others every second falls. Of few rows that may be chance.
func (m *Model) sorted() bool {
	r := m.response
	return 100*r.falls <= r.after && r.distinct() > 2 && r.after >= 99*len(m.profile.Keys) && !m.Kind.Time
}

// least is the range of values below which their squares are none that numbers hold, see cdf's constants.
const least = 1e-150

// tiny reports different values whose squared distances are no numbers.
func (c *column) tiny() bool {
	return c.kind == cdf.Float && c.infinite == 0 && c.least < c.most && c.most-c.least < least
}

// huge reports values whose squared distances are beyond all numbers, so that a shard of them is refused.
func (c *column) huge() bool { return math.IsInf(c.m2, 0) || math.IsNaN(c.m2) }

// farthest is the value that is farthest from 0.
func (c *column) farthest() float64 {
	if -c.least > c.most {
		return c.least
	}
	return c.most
}

// responds says of the values of the response that they have nothing to learn, not as they are, or classes.
func (m *Model) responds() string {
	r, name := m.response, plain(m.response.name)
	switch {
	case r.distinct() == 1 && r.infinite == 0:
		return fmt.Sprintf("the response %s is constant: %s in every row that has one: there is nothing to learn", name, r.only())
	case r.keyed() && len(m.profile.Keys) > 1:
		return fmt.Sprintf("the response %s is the same in all rows of a key, whose model has nothing to learn: explain another, or take another key or none", name)
	case r.tiny():
		return fmt.Sprintf("the values of the response %s differ by less than %g, whose square no number holds, and it is taken as constant: send it in another unit, or its logarithm", name, least)
	case m.Kind.Response == kind.Real && !r.binary() && r.distinct() == 2 && r.kind != cdf.Time && r.infinite == 0 && r.values >= fewestClasses:
		return fmt.Sprintf("the response %s has two values, %s and %s: if they are classes, send 0 and 1, which kind probit explains by the chance of a 1", name, number(r.least), number(r.most))
	}
	return ""
}

// fewestClasses is how many responses of two values there have to be before these look like classes.
const fewestClasses = 20

// Notes say of terms that follow from others, and are there all the same, that no effect can
// be told from theirs, and what else of the rows keeps the model from learning.
func (m *Model) Notes() (all []string) {
	if m.sorted() {
		units := ", and units are taken from the first"
		if m.constant() {
			units = ""
		}
		all = append(all, fmt.Sprintf("the rows come in the order of %s, which hardly ever falls: what is learnt of some is no guide to the next%s; "+
			"sort them by when they came about, or shuffle them", plain(m.response.name), units))
	}
	if m.own != nil {
		all = append(all, m.own.why)
	}
	if m.Dated() {
		all = append(all, fmt.Sprintf("the response %s is a time, which is learnt as the seconds since 1970: effects and errors are in seconds; "+
			"if what is between two times is meant, make that the response, as a number of days", plain(m.response.name)))
	}
	if text := m.responds(); text != "" {
		all = append(all, text)
	}
	if m.likelier != "" {
		all = append(all, m.likelier)
	}
	all = append(all, m.pooled...)
	all = append(all, m.standIns()...)
	all = append(all, m.spellings()...)
	for i := range m.follow {
		f := &m.follow[i]
		if f.Column == m.response.name {
			if m.response.tiny() {
				continue // whatever follows from it is lost in the rounding
			}
			all = append(all, fmt.Sprintf("the response %s %s: that says all about it; leave out what it is made of, and ask what the rest explains", plain(f.Column), f.Words()))
			continue
		}
		all = append(all, fmt.Sprintf("%s %s: whose the effect is cannot be told there, and the intervals of all of them stay about as wide as the prior's; leave one out", plain(f.Column), f.Words()))
	}
	return all
}
