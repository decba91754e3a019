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
	// Rank is of the newest shard, which is valid until it returns. The highest come first, NaN last, equal ones in byte
	// order of the keys; nil: all in byte order.
	Rank func(Now) float64
}

// timed reports whether the times of records matter.
func (w *Wanted) timed() bool { return w.From != 0 || w.To != 0 }

// has reports whether a key with these points is wanted.
func (f *Feed) has(w *Wanted, e *entry) (wanted bool) {
	if !w.timed() {
		return w.Flag == "" || slices.Contains(f.now(e, &f.head).Flags, w.Flag)
	}
	f.heads(e, func(p *Point) bool {
		between := p.Time >= w.From && (w.To == 0 || p.Time <= w.To)
		wanted = between && (w.Flag == "" || slices.Contains(p.Flags(), w.Flag))
		return !wanted
	})
	return wanted
}

// Found returns keys of the partitions that this process works on, of those that
// changed since it was started and are still remembered.
func (f *Feed) Found(w Wanted) []string {
	type ranked struct {
		key  string
		rank float64
	}
	var found []ranked
	f.each(func(e *entry) {
		if e.points.Len() == 0 || !f.has(&w, e) {
			return
		}
		r := ranked{key: string(f.keyOf(e))}
		if w.Rank != nil {
			f.head.Key = r.key
			if r.rank = w.Rank(f.now(e, &f.head)); math.IsNaN(r.rank) {
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
