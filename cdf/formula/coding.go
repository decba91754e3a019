package formula

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// part is an atom in one column or a run of columns. Reduced, it lacks the column
// that it would share with the intercept.
type part struct {
	of      *settled
	reduced bool
}

// run is a product of parts, each once: some columns of X.
type run []part

func (r run) has(p part) bool { return slices.Contains(r, p) }

// same reports whether two runs have the same parts.
func (r run) same(other run) bool {
	return len(r) == len(other) && !slices.ContainsFunc(r, func(p part) bool { return !other.has(p) })
}

// key is the same for the same parts.
func (r run) key() string {
	places := make([]int, 0, len(r))
	for _, p := range r {
		place := 2 * p.of.place
		if p.reduced {
			place++
		}
		places = append(places, place)
	}
	slices.Sort(places)
	return fmt.Sprint(places)
}

func contains(list []run, r run) bool {
	return slices.ContainsFunc(list, r.same)
}

// mostFactors bounds the factors of one term: it has 2^n parts.
const mostFactors = 6

// pieces takes a term apart into what it spans, as patsy and formulaic do: every factor
// is 1 and a reduced factor.
func pieces(t []*settled) []run {
	list := []run{nil}
	for _, s := range t {
		var next []run
		for _, r := range list {
			next = append(next, append(slices.Clone(r), part{s, s.spans()}))
			if s.spans() {
				next = append(next, r)
			}
		}
		list = next
	}
	return list
}

// joined puts pieces together again where they make whole factors: r and r with a
// reduced factor more are r with the whole factor.
func joined(list []run) []run {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b run) int { return len(a) - len(b) })
	var done []run
next:
	for _, r := range sorted {
		for i, less := range done {
			more, one := difference(r, less)
			if !one || !r[more].reduced {
				continue
			}
			whole := slices.Clone(r)
			whole[more].reduced = false
			done = joined(append(slices.Delete(slices.Clone(done), i, i+1), whole))
			continue next
		}
		if !contains(done, r) {
			done = append(done, r)
		}
	}
	return done
}

// difference returns the one part of r that less lacks, where that is all.
func difference(r, less run) (at int, one bool) {
	if len(r) != len(less)+1 {
		return 0, false
	}
	at = -1
	for i, p := range r {
		switch {
		case less.has(p):
		case at >= 0:
			return 0, false
		default:
			at = i
		}
	}
	return at, at >= 0
}

// columnOf is one column that is made.
type columnOf struct {
	name     string
	cells    []cell
	siblings int // of the first of a run: how many there are
}

// cell is a factor of a column's product: an atom's number, one of its columns, or
// whether it has a level.
type cell struct {
	place int // of the atom
	field int
}

// build lays the columns of X out.
func (d *derivation) build(limit int) error {
	if limit <= 0 {
		limit = mostColumns
	}
	spanned := map[string]bool{}
	for _, t := range d.terms {
		factors := 0
		for _, s := range t {
			if s.spans() {
				factors++
			}
		}
		if factors > mostFactors {
			return fmt.Errorf("%w: a term of %d factors; it has at most %d", cdf.ErrSchema, factors, mostFactors)
		}
		var fresh []run
		for _, r := range pieces(t) {
			if k := r.key(); !spanned[k] {
				spanned[k] = true
				fresh = append(fresh, r)
			}
		}
		for _, r := range joined(fresh) {
			if len(r) > 0 { // the intercept is the engine's
				d.lay(r, limit)
			}
			if len(d.columns) > limit {
				return r.tooMany(limit)
			}
		}
	}
	return d.name()
}

// tooMany says which run makes more columns than there may be, and what makes fewer.
func (r run) tooMany(limit int) error {
	labels, counts, levels := make([]string, len(r)), make([]string, len(r)), false
	for i, p := range r {
		labels[i], counts[i] = p.of.label, fmt.Sprint(len(p.fields()))
		levels = levels || p.of.levels != nil
	}
	remedies := []string{"ask for fewer"}
	if levels {
		remedies = []string{"merge rare levels"}
	}
	if len(r) > 1 {
		remedies = append(remedies, "add them up ("+strings.Join(labels, " + ")+")")
	}
	if levels && len(r) == 1 {
		remedies = append(remedies, "make them groups, (1 | "+labels[0]+")")
	}
	return &cdf.WidthError{What: fmt.Sprintf("the formula makes more than %d columns of coefficients, the limit; %s has %s", limit,
		strings.Join(labels, ":"), strings.Join(counts, " x ")), Fewer: remedies}
}

// mostColumns bounds them where no limit is set.
const mostColumns = 1_000_000

// lay adds the columns of a run: those of the first part change fastest.
func (d *derivation) lay(r run, limit int) {
	list := []columnOf{{}}
	for _, p := range slices.Backward(r) {
		var next []columnOf
		for _, rest := range list {
			for _, f := range p.fields() {
				c := columnOf{name: p.of.label + f.suffix, cells: append([]cell{{p.of.place, f.at}}, rest.cells...)}
				if rest.name != "" {
					c.name += ":" + rest.name
				}
				if next = append(next, c); len(d.columns)+len(next) > limit {
					d.columns = append(d.columns, next...)
					return
				}
			}
		}
		list = next
	}
	if r.siblings() {
		list[0].siblings = len(list)
	}
	d.columns = append(d.columns, list...)
}

// siblings reports whether the columns are those of the levels of one factor beside its baseline, or a number in each of these.
func (r run) siblings() bool {
	levels := 0
	for _, p := range r {
		switch {
		case p.reduced && p.of.levels != nil:
			levels++
		case len(p.fields()) > 1:
			return false
		}
	}
	return levels == 1
}

// field is one of the columns of an atom, with what its name has behind the atom's.
type field struct {
	at     int
	suffix string
}

func (p part) fields() []field {
	s := p.of
	var list []field
	switch {
	case s.levels != nil:
		for i, level := range s.levels {
			switch {
			case !p.reduced:
				list = append(list, field{i, "[" + level + "]"})
			case i != s.baseline:
				list = append(list, field{i, "[T." + level + "]"})
			}
		}
	case s.several != nil:
		for i, name := range s.several.fields {
			if !p.reduced || i > 0 {
				list = append(list, field{i, "[" + name + "]"})
			}
		}
	default:
		list = append(list, field{})
	}
	return list
}
