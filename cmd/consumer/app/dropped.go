package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

// mostReasons is how many reasons for dropped rows a line tells apart.
const mostReasons = 6

// Dropped says what rows were left out for, the most frequent first: "1,100 without
// price, 104 where log(sold) is not finite".
func Dropped(list []cdf.Drop) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b cdf.Drop) int { return cmp.Compare(b.Rows, a.Rows) })
	var parts []string
	for i := range list {
		if i == mostReasons {
			rest := int64(0)
			for _, d := range list[i:] {
				rest += d.Rows
			}
			parts = append(parts, fmt.Sprintf("%s for %d other reasons", cli.Count(rest), len(list)-i))
			break
		}
		name, words := term.Cut(list[i].Column, 40), "without %s"
		switch list[i].Reason {
		case cdf.DropUnlisted:
			words = "with a level of %s that is not listed"
		case cdf.DropUndefined:
			words = "where %s is not finite"
		}
		parts = append(parts, cli.Count(list[i].Rows)+" "+fmt.Sprintf(words, name))
	}
	return strings.Join(parts, ", ")
}
