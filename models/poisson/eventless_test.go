package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// groupRates returns rates of groups. Groups before the given one have no event; those of the others have the mean 2 and effects of sd 1/2.
func groupRates(r *rand.Rand, groups, without int) []float64 {
	rates := make([]float64, groups)
	for g := range rates {
		if rates[g] = 1e-12; g >= without {
			rates[g] = 2 * math.Exp(.5*r.NormFloat64())
		}
	}
	return rates
}

// groupShard returns a shard of so many rows of every group.
func groupShard(r *rand.Rand, rates []float64, times int) *cdf.Shard {
	sh := &cdf.Shard{Rows: times * len(rates), Cols: 1, Group: [][]int32{nil}}
	for i := range sh.Rows {
		g := i % len(rates)
		sh.X, sh.Group[0] = append(sh.X, 1), append(sh.Group[0], int32(g))
		sh.Y = append(sh.Y, simulate.Count(r, rates[g]))
	}
	return sh
}

// groupStream feeds shards, of a row of every group so many times, to a new model.
func groupStream(t *testing.T, s Settings, seed uint64, groups, without, shards, times int) *Model {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 66))
	m := newTest(t, s, []string{"intercept"}, "group")
	d := modeltest.Stepper{Model: m}
	rates := groupRates(r, groups, without)
	for range shards {
		d.Must(t, groupShard(r, rates, times), 1)
	}
	return m
}

// few_events rises where a group has no event and groups are so few that the variance of their effects may be large, in one shard and
// several, and in at most one of 20 streams where all have events, groups are many or the prior says what they differ by.
func TestGroupsWithoutEvents(t *testing.T) {
	known := Defaults()
	known.Prior = Prior{BetaVariance: known.Prior.BetaVariance, Group: "inverse-gamma", GroupScale: 1, GroupShape: 20, GroupRate: 5}
	for _, c := range []struct {
		s                              Settings
		groups, without, shards, times int
		least, most                    int // of 20
	}{
		{Defaults(), 3, 1, 1, 20, 19, 20},
		{Defaults(), 6, 1, 1, 20, 19, 20},
		{Defaults(), 12, 6, 1, 10, 19, 20},
		{Defaults(), 3, 1, 4, 5, 19, 20},
		{Defaults(), 6, 2, 2, 10, 19, 20},
		{Defaults(), 3, 0, 1, 20, 0, 0},
		{Defaults(), 6, 0, 10, 3, 0, 1},
		{Defaults(), 12, 0, 1, 10, 0, 1},
		{Defaults(), 60, 1, 1, 10, 0, 0},
		{Defaults(), 60, 1, 4, 3, 0, 0},
		{Defaults(), 120, 60, 1, 5, 0, 0}, // too many to be looked at
		{known, 3, 1, 1, 20, 0, 0},
	} {
		for _, over := range []string{lognormal, none} {
			s, up := c.s, 0
			s.Overdispersion = over
			for seed := range uint64(20) {
				if slices.Contains(groupStream(t, s, seed, c.groups, c.without, c.shards, c.times).AppendFlags(nil), fewEventsFlag) {
					up++
				}
			}
			name := fmt.Sprintf("%d of %d groups without events, %d shards of %d rows each, %s, %s", c.without, c.groups, c.shards, c.times, over, s.Prior.Group)
			t.Logf("%s: %d of 20", name, up)
			if up < c.least || up > c.most {
				t.Errorf("%s: %d of 20 are flagged, want %d to %d", name, up, c.least, c.most)
			}
		}
	}
}

// Effects of the rows' own may be so large that a fit to few rows leaves little of a group's events: those of rows that are kept are counted.
func TestGroupsOfFewKeptRows(t *testing.T) {
	for seed := range uint64(30) {
		r, m := rand.New(rand.NewPCG(seed, 67)), newTest(t, Defaults(), []string{"intercept"}, "group")
		sh, counts := cdf.Shard{Rows: 30, Cols: 1, Group: [][]int32{nil}}, make([]float64, 6)
		for i := range sh.Rows {
			g, z := i%6, r.NormFloat64()
			sh.X, sh.Group[0] = append(sh.X, 1), append(sh.Group[0], int32(g))
			sh.Y = append(sh.Y, simulate.Count(r, 4.5*z*z)) // negative binomial of size 1/2
			counts[g] += sh.Y[i]
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, &sh, 1)
		w := m.work()
		if m.eventless(w) && slices.Min(counts) > 2 { // the flag may be up on other grounds
			t.Errorf("seed %d: a group has no event among %v", seed, counts)
		}
		m.scratch.Put(w)
	}
}

// Levels of a second factor are looked at as those of the first.
func TestLevelsWithoutEventsOfAnyFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 66))
	for _, first := range []int{0, 1} { // which of the factors has 20 levels; one of the other's four, or of the 20, has no event
		for _, rate := range []float64{1e-12, 2} {
			m := newTest(t, Defaults(), []string{"intercept"}, "group", "day")
			sh := cdf.Shard{Rows: 400, Cols: 1, Group: [][]int32{nil, nil}}
			for i := range sh.Rows {
				at := [2]int{i % 20, r.IntN(4)}
				at[0], at[1] = at[first], at[1-first]
				mean := 2.
				if at[1] == 0 {
					mean = rate
				}
				sh.X = append(sh.X, 1)
				for f := range sh.Group {
					sh.Group[f] = append(sh.Group[f], int32(at[f]))
				}
				sh.Y = append(sh.Y, simulate.Count(r, mean))
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, &sh, 1)
			if up := slices.Contains(m.AppendFlags(nil), fewEventsFlag); up != (rate < 1 && first == 0) {
				t.Errorf("factor %d, rate %g: few_events is up: %v", 1-first, rate, up)
			}
		}
	}
}
