package live

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Wanted says which keys Found returns, and in what order.
type Wanted struct {
	Flag string // those with this flag; empty: with any or none
	// From and To bound the times of records in milliseconds since 1970, both
	// included; 0 is no bound. With a bound a key is found by its shards between, and the
	// flag counts if it held after one of them; without one it counts after the newest.
	From, To int64
	// Rank is of the newest shard. The highest come first, NaN last, equal ones in byte
	// order of the keys; nil: all in byte order.
	Rank func(Now) float64
}

// timed reports whether the times of records matter.
func (w *Wanted) timed() bool { return w.From != 0 || w.To != 0 }

// has reports whether a key with these points is wanted.
func (w *Wanted) has(e *entry) bool {
	if !w.timed() {
		return w.Flag == "" || slices.Contains(e.now().Flags, w.Flag)
	}
	return slices.ContainsFunc(e.points, func(p Point) bool {
		between := p.Time >= w.From && (w.To == 0 || p.Time <= w.To)
		return between && (w.Flag == "" || slices.Contains(p.Flags(), w.Flag))
	})
}

// Found returns keys of the partitions that this process works on, of those that
// changed since it was started and are still remembered.
func (f *Feed) Found(w Wanted) []string {
	type ranked struct {
		key  string
		rank float64
	}
	var found []ranked
	f.each(func(key string, e *entry) {
		if len(e.points) == 0 || !w.has(e) {
			return
		}
		r := ranked{key: key}
		if w.Rank != nil {
			if r.rank = w.Rank(e.now()); math.IsNaN(r.rank) {
				r.rank = math.Inf(-1)
			}
		}
		found = append(found, r)
	})
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.key, b.key))
	})
	keys := make([]string, len(found))
	for i := range found {
		keys[i] = found[i].key
	}
	return keys
}

// now is what is known of an entry that has a point.
func (e *entry) now() Now {
	last := e.points[len(e.points)-1]
	return Now{Point: last.Point, Sums: e.sums, Flags: flags(last.Point, e.inside)}
}
