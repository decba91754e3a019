package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// suspects and convicts are the replicates of a drawn regime: of all, and of one that was off in so many.
const suspects, convicts = 60, 400

// draw returns the regime of a sort and a number, the same for ever.
func draw(sort string, number int) regime {
	r := rand.New(rand.NewPCG(uint64(number), 0x5ea7c4))
	g := drawn[sort](r)
	g.name, g.replicates, g.byName = strings.TrimPrefix(fmt.Sprintf("%s drawn %d", sort, number), g.kind+" "), suspects, true
	return g
}

// search draws regimes of each sort, from number first on, and writes sections of those that are off; they were measured again, with other numbers.
func search(ctx context.Context, sorts []string, first, count int, seed uint64, out, progress io.Writer) error {
	for number := first; number < first+count; number++ {
		for _, sort := range sorts {
			g := draw(sort, number)
			found, err := g.measure(ctx, seed)
			if err != nil {
				return err
			}
			off := g.suspect(found)
			if off != "" {
				g.replicates = convicts
				if found, err = g.measure(ctx, seed+1); err != nil {
					return err
				}
				if off = g.suspect(found); off != "" {
					g.section(out, found)
					found.besides(out)
				}
			}
			fmt.Fprintf(progress, "%s: %s\n", g.title(), cmp.Or(off, found.verdictFrom(1)))
		}
	}
	return nil
}

// suspect says what is off in streams without a flag, or nothing: intervals that are short behind ten shards; behind the first of data that the model is
// for, since what comes in an order, or of another law, a first shard cannot tell; a posterior that is another one than that of the same rows in one shard.
func (g *regime) suspect(f *found) string {
	silent := f.silent(1)
	switch {
	case f.verdictFrom(1) == "off":
		return "off"
	case !g.other && f.misses(0):
		return "off at first"
	case float64(len(silent.outcomes)) >= mostlyListed*float64(len(f.outcomes)) && slices.Max(silent.apart()) > mostFar:
		return "apart"
	}
	return ""
}

// leastHeld is the share of intervals that hold the truth behind a first shard without a flag at least. Of five rows those of a variance in units of their own sd hold it
// in .91.
const leastHeld = .9

// misses reports whether intervals of a parameter hold its truth too seldom after a look, in the replicates without a flag.
func (f *found) misses(look int) bool {
	silent := f.silent(look)
	for p := range f.params {
		c := silent.cell(look, p)
		if c.said*float64(len(silent.outcomes)) >= mostlyListed*float64(len(f.outcomes)) && !(c.coverage > leastHeld-3*c.se) {
			return true
		}
	}
	return false
}

// searched are all sorts of drawn regimes, or the one that is named.
func searched(only string) ([]string, error) {
	all := slices.Sorted(maps.Keys(drawn))
	if only == "" {
		return all, nil
	}
	if !slices.Contains(all, only) {
		return nil, fmt.Errorf("-search looks at one of %s, not at %q", strings.Join(all, ", "), only)
	}
	return []string{only}, nil
}
