package cli

import (
	"cmp"
	"slices"
	"strings"
)

// mostWrong is how many letters a name may be wrong in, case aside.
const mostWrong = 2

// Near returns the names that a word may have been meant for, the likeliest first, at most
// most of them: those that differ in case, in one or two letters, or only go on.
func Near(word string, names []string, most int) []string {
	type near struct {
		name string
		rank int
	}
	low := strings.ToLower(word)
	var all []near
	for _, name := range names {
		other := strings.ToLower(name)
		switch n := distance(low, other); {
		case name == word:
		case n <= mostWrong && n < len(low):
			all = append(all, near{name, n})
		case low != "" && strings.HasPrefix(other, low):
			all = append(all, near{name, mostWrong + 1})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name))
	})
	var out []string
	for _, n := range all[:min(len(all), most)] {
		out = append(out, n.name)
	}
	return out
}
