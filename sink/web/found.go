package web

import (
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/sink/live"
)

// sorts are the orders that a list may have, each with the greatest first but
// those that end in _asc.
var sorts = []string{"effect", "effect_asc", "certainty", "flags", "newest", "rows"}

// seen reports whether only what this process has seen can answer.
func (f *filter) seen() bool { return f.flag != "" || f.from != 0 || f.to != 0 || f.sort != "" }

// chosen returns the keys that were asked for by name, in that order and
// without a bound but their number, or a page of those that the feed finds.
func (s *Server) chosen(f *filter) (page []string, more string) {
	found := func(string) bool { return true }
	candidates := f.keys
	if f.seen() {
		list := s.options.Feed.Found(live.Wanted{Flag: f.flag, From: f.from, To: f.to, Rank: f.rank()})
		if f.keys == nil {
			candidates = list
		} else {
			known := make(map[string]bool, len(list))
			for _, key := range list {
				known[key] = true
			}
			found = func(key string) bool { return known[key] }
		}
	}
	for _, key := range candidates {
		switch {
		case !found(key) || !f.passes(s.options.Store, key):
		case f.keys != nil || len(page) < f.limit:
			page = append(page, key)
		case f.sort != "":
			return page, "" // the place of a key may be another when the next page is asked for
		default:
			return page, page[len(page)-1]
		}
	}
	return page, ""
}

// rank returns what a list is sorted by, nil for byte order.
func (f *filter) rank() func(live.Now) float64 {
	mean, sd := slices.Index(cdf.RowColumns[:], "mean"), slices.Index(cdf.RowColumns[:], "sd")
	of := func(n live.Now, column int) float64 {
		v := firstOf(n.Point.Names, f.variables)
		if v < 0 {
			return math.NaN()
		}
		return numbersOf(n.Point, v)[column]
	}
	switch f.sort {
	case "effect":
		return func(n live.Now) float64 { return of(n, mean) }
	case "effect_asc":
		return func(n live.Now) float64 { return -of(n, mean) }
	case "certainty":
		return func(n live.Now) float64 { return math.Abs(of(n, mean)) / of(n, sd) }
	case "flags":
		return func(n live.Now) float64 { return float64(len(n.Flags)) }
	case "newest":
		return func(n live.Now) float64 { return float64(n.Point.Time) }
	case "rows":
		return func(n live.Now) float64 { return float64(n.Point.N) }
	}
	return nil
}

// firstOf returns the place of the first variable that is wanted, of an intercept
// only where there is no other: it says where the columns were centred, and
// nothing of what they do. -1: none is wanted.
func firstOf(names []string, wanted func(string) bool) int {
	intercept := -1
	for i, name := range names {
		if !wanted(name) {
			continue
		}
		if !strings.HasSuffix(name, "[intercept]") {
			return i
		}
		if intercept < 0 {
			intercept = i
		}
	}
	return intercept
}
