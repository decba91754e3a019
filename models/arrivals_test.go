package models_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

var arrivalStreams = flag.Int("arrival-streams", 1, "times as many streams in which groups arrive")

// arrivals are streams of a kind with groups: which group the rows of a shard are of, and
// what noise there is beside the levels.
type arrivals struct {
	kind         string
	shards, rows int
	group        func(r *rand.Rand, shard, row int) int
	noise        func(r *rand.Rand, group int) float64
	level        func(r *rand.Rand) float64 // nil: normal, of sd .7
}

// up returns in how many streams one of the flags is up after the last shard, and after any.
func (a arrivals) up(t *testing.T, streams int, flags ...string) (end, ever int) {
	t.Helper()
	if a.level == nil {
		a.level = func(r *rand.Rand) float64 { return .7 * r.NormFloat64() }
	}
	k, _ := models.Lookup(a.kind)
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Groups: []cdf.Group{{Column: "g"}}, Intercept: a.kind == "poisson"}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	spec.Limits, spec.Draws = cdf.Limits{}, 8 // no flag here is of draws
	spec.Seal()
	var atEnd, atAny atomic.Int64
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() {
			for seed := worker; seed < streams; seed += 2 {
				r := rand.New(rand.NewPCG(uint64(seed), 1071))
				f, levels := cdf.NewFilter(spec, fmt.Sprint("key", seed)), map[int]float64{}
				last, any := false, false
				for s := 1; s <= a.shards; s++ {
					b := &cdf.Batch{Rows: a.rows, Time: int64(s), Columns: []cdf.Column{{Name: "g", Type: cdf.Integer}, {Name: "y", Type: cdf.Float}}}
					for row := range a.rows {
						g := a.group(r, s, row)
						if _, known := levels[g]; !known {
							levels[g] = a.level(r)
						}
						y := 3 + levels[g] + a.noise(r, g)
						if a.kind == "poisson" {
							y = simulate.Count(r, math.Exp(1+levels[g]))
						}
						b.Columns[0].Int, b.Columns[0].Number = append(b.Columns[0].Int, int64(g)), append(b.Columns[0].Number, float64(g))
						b.Columns[1].Number = append(b.Columns[1].Number, y)
					}
					sum, err := f.Update(b)
					if err != nil {
						t.Error(err)
						return
					}
					last = slices.ContainsFunc(flags, func(flag string) bool { return slices.Contains(sum.Flags, flag) })
					any = any || last
				}
				if last {
					atEnd.Add(1)
				}
				if any {
					atAny.Add(1)
				}
			}
		})
	}
	group.Wait()
	return int(atEnd.Load()), int(atAny.Load())
}

func quietNoise(r *rand.Rand, _ int) float64 { return .7 * r.NormFloat64() }

// Groups that arrive one after another, in shards of their own, are no misfit: the rows of
// each share the error of a level that nothing is known of. Measured with 400 streams of
// each of anova: up after the last shard in none, after any in 0 to 4; taken for independent, in
// 7 to 225, and in 17 to 335.
func TestArrivingGroupsAreNoMisfit(t *testing.T) {
	own := func(_ *rand.Rand, shard, _ int) int { return shard }
	for name, c := range map[string]struct {
		a       arrivals
		streams int
	}{
		"10 shards of 20 rows": {arrivals{"anova", 10, 20, own, quietNoise, nil}, 40},
		"20 shards of 50 rows": {arrivals{"anova", 20, 50, own, quietNoise, nil}, 40},
		"counts":               {arrivals{"poisson", 30, 20, own, quietNoise, nil}, 10},
		"half of a shard": {arrivals{"anova", 10, 20, func(r *rand.Rand, shard, row int) int {
			if row%2 == 0 {
				return shard
			}
			return 1 + r.IntN(shard)
		}, quietNoise, nil}, 40},
	} {
		streams := c.streams * *arrivalStreams
		end, ever := c.a.up(t, streams, "miscalibrated", "wide_intervals")
		t.Logf("%s: up after the last shard in %d of %d streams, after any in %d", name, end, streams, ever)
		if end > 2**arrivalStreams {
			t.Errorf("%s: up after the last shard in %d of %d streams", name, end, streams)
		}
	}
}

// What departs is found all the same: noise of two sds, and skewed noise, in groups that come
// in every shard; in groups that keep coming it takes longer (14 of 20 streams).
func TestMisfitOfGroupsIsFound(t *testing.T) {
	unequal := func(r *rand.Rand, g int) float64 { return []float64{.2, .97}[g%2] * r.NormFloat64() }
	skewed := func(r *rand.Rand, _ int) float64 { return .7 * r.ExpFloat64() }
	mixed := func(r *rand.Rand, _, _ int) int { return r.IntN(10) }
	for name, c := range map[string]struct {
		a     arrivals
		least int
	}{
		"noise of two sds":           {arrivals{"anova", 20, 30, mixed, unequal, nil}, 20},
		"skewed noise":               {arrivals{"anova", 20, 30, mixed, skewed, nil}, 19},
		"skewed noise of new groups": {arrivals{"anova", 120, 20, func(_ *rand.Rand, shard, row int) int { return 4*shard + row%4 }, skewed, nil}, 9},
	} {
		if end, _ := c.a.up(t, 20, "miscalibrated", "wide_intervals"); end < c.least {
			t.Errorf("%s: found in %d of 20 streams, want %d", name, end, c.least)
		}
	}
}
