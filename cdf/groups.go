package cdf

import (
	"fmt"
	"slices"
	"strings"
)

// factor holds the levels of one grouping factor in order of first
// appearance among rows with a response.
type factor struct {
	levels []string
	index  map[string]int32
	// behind, while rows are checked, are levels that they have beside these; nil: those
	// that join stay.
	behind *behind
}

// behind are levels of rows that were checked and are not absorbed yet. Their indices
// follow those of the levels of the state.
type behind struct {
	index map[string]int32
	fresh []string // of the rows at hand
}

// forget takes back what the rows at hand brought.
func (w *behind) forget() {
	for _, level := range w.fresh {
		delete(w.index, level)
	}
	w.fresh = w.fresh[:0]
}

// term is what one grouping factor adds to the predictor: its intercept or
// one of its slopes.
type term struct {
	factor  int
	column  string
	slope   string // "," and the slope's column; empty for the intercept
	at      int    // its place among the slopes of all factors
	several bool   // the model has other terms, so names must tell them apart
}

// groupTerms lists the terms: per factor its intercept, then its slopes.
func groupTerms(groups []Group) []term {
	var list []term
	at := 0
	for f, g := range groups {
		list = append(list, term{factor: f, column: g.Column})
		for _, name := range g.Slopes {
			list = append(list, term{factor: f, column: g.Column, slope: "," + name, at: at})
			at++
		}
	}
	return list
}

// DistinctTerms returns ErrSchema where two variables of groups could have one name, whatever
// the levels: u[g,x=1] is of the level 1 of a column "g,x", and sigma2_u[g,x] is the
// variance of the slope x in g as well.
func DistinctTerms(groups []Group) error {
	seen := map[string]bool{}
	for _, t := range groupTerms(groups) {
		name := t.column + t.slope
		if seen[name] {
			return fmt.Errorf("%w: two terms of groups would be named %q: a column twice, a slope twice, or a column and a slope; rename one", ErrSchema, name)
		}
		seen[name] = true
	}
	for _, g := range groups {
		for _, other := range groups {
			if strings.HasPrefix(other.Column, g.Column+"=") {
				return fmt.Errorf("%w: the groups %q and %q: levels of one could be named as levels of the other; rename one", ErrSchema, g.Column, other.Column)
			}
		}
	}
	return nil
}

// named returns the slope after which a level would be named: "a,x" is what the slope x of the
// level a is called. "" is none.
func (g *Group) named(level string) string {
	for _, slope := range g.Slopes {
		if strings.HasSuffix(level, ","+slope) {
			return slope
		}
	}
	return ""
}

func newFactors(n int) []factor {
	factors := make([]factor, n)
	for i := range factors {
		factors[i].index = map[string]int32{}
	}
	return factors
}

// count is how many levels there are, with those behind.
func (f *factor) count() int {
	if f.behind != nil {
		return len(f.levels) + len(f.behind.index)
	}
	return len(f.levels)
}

func (f *factor) add(level string) int32 {
	i := int32(f.count())
	if w := f.behind; w != nil {
		if w.index == nil {
			w.index = map[string]int32{}
		}
		w.index[level], w.fresh = i, append(w.fresh, level)
		return i
	}
	f.levels = append(f.levels, level)
	f.index[level] = i
	return i
}

// waiting returns the index of a level behind those of the state, none where it is none.
func (f *factor) waiting(level string) int32 {
	if f.behind != nil {
		if i, known := f.behind.index[level]; known {
			return i
		}
	}
	return none
}

// truncate forgets the levels from n on.
func (f *factor) truncate(n int) {
	for _, level := range f.levels[n:] {
		delete(f.index, level)
	}
	f.levels = slices.Delete(f.levels, n, len(f.levels))
}

// without returns the factor without the levels of the given ascending
// indices; those behind them move up.
func (f *factor) without(gone []int32) factor {
	left := factor{levels: make([]string, 0, len(f.levels)), index: make(map[string]int32, len(f.levels))}
	for i, level := range f.levels {
		if len(gone) > 0 && int(gone[0]) == i {
			gone = gone[1:]
			continue
		}
		left.add(level)
	}
	return left
}

// enrol fills dst with the level of each admitted row: new levels of rows
// that will be absorbed join the factor, those of rows that are only
// predicted stay -1. With grow unset no level joins. Rows without a label that were
// admitted are the level of missing ones.
func (f *factor) enrol(dst []int32, c *Column, g *Group, in *intake, limit int, grow bool) error {
	in.labels.begin(c)
	for k, row := range in.rows {
		v, labelled := in.labels.at(c, int(row), f.index, none)
		if !labelled {
			v = none
			if i, known := f.index[missingLevel]; known {
				v = i
			}
		}
		if v == none && grow && in.observed(int(row)) {
			label := missingLevel
			if labelled {
				label, _ = c.Label(int(row))
			}
			if v = f.waiting(label); v == none {
				if len(label) > MaxName {
					return fmt.Errorf("%w: column %q has in row %d %s", ErrShard, c.Name, row+1, tooLong("a group", label))
				}
				if slope := g.named(label); slope != "" {
					return fmt.Errorf("%w: column %q has in row %d the level %q, and that is what the slope %q of a level is called: rename the level", ErrShard, c.Name, row+1, label, slope)
				}
				if limit > 0 && f.count() >= limit {
					return fmt.Errorf("%w: more than %d groups in column %q", ErrShard, limit, c.Name)
				}
				v = f.add(string([]byte(label))) // the batch is a view
			}
			if c.Type == Text && labelled {
				in.labels.codes[c.Code[row]] = v
			}
		}
		dst[k] = v
	}
	return nil
}
