package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/credence-stream/credence/models"
)

// suspects and convicts are the replicates of a drawn regime: of all, and of one that was off in so many.
const suspects, convicts = 60, 400

// draw returns the regime of a kind and a number, the same for ever.
func draw(kind string, number int) regime {
	r := rand.New(rand.NewPCG(uint64(number), 0x5ea7c4))
	g := drawn[kind](r)
	g.name, g.replicates, g.byName = fmt.Sprintf("drawn %d", number), suspects, true
	return g
}

// search draws regimes of each kind, from number first on, and writes sections of those whose intervals are short where no flag says so. What
// comes in an order a first shard cannot tell, so that the tenth is judged; a regime that is off is measured again, with other numbers.
func search(ctx context.Context, kinds []string, first, count int, seed uint64, out, progress io.Writer) error {
	for number := first; number < first+count; number++ {
		for _, kind := range kinds {
			g := draw(kind, number)
			found, err := g.measure(ctx, seed)
			if err != nil {
				return err
			}
			if found.verdictFrom(1) == "off" {
				g.replicates = convicts
				if found, err = g.measure(ctx, seed+1); err != nil {
					return err
				}
				if found.verdictFrom(1) == "off" {
					g.section(out, found)
				}
			}
			fmt.Fprintf(progress, "%s: %s\n", g.title(), found.verdictFrom(1))
		}
	}
	return nil
}

// searched are all kinds, or the one that is named.
func searched(only string) ([]string, error) {
	all := models.Kinds().Names()
	if only == "" {
		return all, nil
	}
	if !slices.Contains(all, only) {
		return nil, fmt.Errorf("-search looks at a kind of %s, not at %q", strings.Join(all, ", "), only)
	}
	return []string{only}, nil
}
