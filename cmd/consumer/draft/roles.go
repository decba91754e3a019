package draft

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

const (
	// mostLevels is how many levels a categorical feature may have: each is a
	// coefficient of its own.
	mostLevels = 20
	// mostLacking is the share of the rows that may be in shards that are refused for want of a column: a few may be of no use anyway.
	mostLacking = .05
	// fewRows is a sample in which everything may look unique.
	fewRows = 20
)

// role is what a column serves as.
type role int

const (
	leftOut role = iota
	numericFeature
	categoricalFeature
	group
	clock
	dated // a time whose parts are features
)

// given is a column with the role that it got, and why where that is not plain.
type given struct {
	*column
	role  role
	why   string
	parts []string // dated: those that are features
}

// unusable says why a column can serve as nothing, "" where it can.
func (p *Profile) unusable(c *column) string {
	switch {
	case c.mixed:
		return "it has another type in some shards"
	case c.values == 0 && c.infinite == 0:
		return "no value in any row"
	case c.tiny():
		return fmt.Sprintf("its values differ by less than %g, whose square no number holds: it needs another unit", least)
	case c.huge():
		return fmt.Sprintf("its values go to %s, whose square no number holds: it needs another unit; if it means missing, %s", number(c.farthest()), p.remedy())
	case c.infinite > 0:
		return fmt.Sprintf("%s infinite, and a shard with such a value is refused", plural(c.infinite, "value is", "values are"))
	case c.kind != cdf.Text && 2*c.values < p.Rows:
		return fmt.Sprintf("%s of its values are missing, and a row without a feature is dropped", percent(p.Rows-c.values, p.Rows))
	case c.distinct() == 1:
		if c.values < p.Rows {
			return fmt.Sprintf("constant: %s in every row that has a value; if an empty field says something too, write what", c.only())
		}
		return fmt.Sprintf("constant: %s in every row", c.only())
	case c.keyed() && (c.kind != cdf.Text || c.values == p.Rows): // whether a label is there may differ
		return "the same in all rows of a key, whose model has nothing to compare it with"
	}
	return ""
}

// refused says of a column that shards of a topic are refused for it, "" where none is.
func (p *Profile) refused(c *column) string {
	switch lacking := p.lacking(c); {
	case lacking > 0:
		return percent(lacking, p.Rows) + " of the rows are in shards that have no such column, which are refused"
	case c.mixed:
		return "it has another type in some shards, which are refused"
	}
	return ""
}

// lacking is how many rows are in shards that have no such column, not even of nulls. An event without it has a null.
func (p *Profile) lacking(c *column) int {
	if p.Events || p.Of != 0 {
		return 0
	}
	return p.Rows - c.there
}

// only is the one value of a constant column.
func (c *column) only() string {
	if c.kind == cdf.Text {
		return plain(c.levels()[0])
	}
	return number(c.mean)
}

// timely reports a column that says when: times, or integers that never fall
// and have the name of a time.
func (c *column) timely() bool {
	return c.kind == cdf.Time || c.kind == cdf.Integer && c.rising && c.distinct() > 2 && has(c.name, timeWords)
}

// steps reports a column that can be the time of a model: integers, or dates that
// never fall.
func (c *column) steps() bool {
	return c.kind == cdf.Integer || c.kind == cdf.Time && c.dates && c.rising
}

// stepped reports a time whose steps each key goes through, as the weeks of patients: a feature
// where the kind has no time.
func (p *Profile) stepped(c *column) bool { return len(p.Keys) > 1 && c.recurs() }

// groups reports a column that names groups: texts or integers with such a
// name, or more texts than can be coefficients, that come back.
func (c *column) groups() bool {
	if c.distinct() < 2 || 2*c.distinct() > c.values {
		return false
	}
	named := has(c.name, groupWords)
	return c.kind == cdf.Text && (named || c.distinct() > mostLevels) || c.kind == cdf.Integer && named && !has(c.name, measureWords)
}

// assign gives every column but the response a role, as far as it does not
// depend on the kind.
func (p *Profile) assign(response *column, wanted string) []given {
	var all []given
	for _, c := range p.columns {
		if c == response {
			continue
		}
		g := given{column: c}
		switch {
		case c.name == wanted:
			g.role = group
		case p.unusable(c) != "":
			g.why = p.unusable(c)
		case float64(p.lacking(c)) > mostLacking*float64(p.Rows):
			g.why = p.refused(c)
		case c.timely():
			g.role = clock
		case c.id() != "":
			g.why = c.id()
		case c.groups():
			g.role = group
		case (c.kind == cdf.Text || c.wide()) && len(c.counts) <= mostLevels && !c.full:
			g.role = categoricalFeature
		case c.wide():
			g.why = "integers beyond 2^53, which numbers do not hold: it is none; as text, --text, they are levels or a key"
		case c.kind == cdf.Text:
			g.why = fmt.Sprintf("%d levels that hardly come back", c.distinct())
		default:
			g.role = numericFeature
		}
		all = append(all, g)
	}
	// The only column of use, if it names anything, names groups.
	steps := first(all, clock)
	if count(all, numericFeature, group) == 0 && count(all, categoricalFeature) == 1 && (steps == nil || !p.stepped(steps.column)) {
		first(all, categoricalFeature).role = group
	}
	return all
}

// count returns how many columns have one of the roles.
func count(all []given, roles ...role) (n int) {
	for i := range all {
		if slices.Contains(roles, all[i].role) {
			n++
		}
	}
	return n
}

// first returns the first column with a role, nil for none.
func first(all []given, r role) *given {
	i := slices.IndexFunc(all, func(g given) bool { return g.role == r })
	if i < 0 {
		return nil
	}
	return &all[i]
}
