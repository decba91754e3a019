package models_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Noise with heavy tails, and noise whose sd depends on a column, is told by its name within 500 rows, earlier than as a
// misfit; a response that is skewed, a level that jumps or noise of another sd are none.
func TestHeavyTails(t *testing.T) {
	square := func(r *rand.Rand) float64 { v := r.NormFloat64(); return v * v }
	for _, c := range []struct {
		name   string
		noise  func(r *rand.Rand, shard int, x1 float64) float64
		heavy  bool
		within float64 // mean shard of 20 rows
	}{
		{"t with 3 degrees of freedom", func(r *rand.Rand, _ int, _ float64) float64 {
			return r.NormFloat64() / math.Sqrt((square(r)+square(r)+square(r))/3)
		}, true, 20},
		{"noise that grows with a column", func(r *rand.Rand, _ int, x1 float64) float64 { return (1 + x1) * r.NormFloat64() }, true, 13},
		{"exponential", func(r *rand.Rand, _ int, _ float64) float64 { return r.ExpFloat64() }, false, 0},
		{"a level that jumps", func(r *rand.Rand, s int, _ float64) float64 { return r.NormFloat64() + float64(s/20) }, false, 0},
		{"noise of a fifth of the sd behind 200 rows", func(r *rand.Rand, s int, _ float64) float64 {
			return r.NormFloat64() / math.Pow(5, float64(min(s/10, 1)))
		}, false, 0},
		{"noise of half the sd behind 600 rows, at the end", func(r *rand.Rand, s int, _ float64) float64 { return r.NormFloat64() / float64(1+s/30) }, false, 0},
	} {
		got := tell(t, 40, 50, func(int) int { return 20 }, c.noise)
		t.Logf("%s: in %.3f of the keys, first at shard %.1f; miscalibrated in %.3f, first at %.1f", c.name,
			got.keys["heavy_tails"], got.first["heavy_tails"], got.keys["miscalibrated"], got.first["miscalibrated"])
		if c.heavy {
			if got.keys["heavy_tails"] < .95 || got.first["heavy_tails"] > c.within {
				t.Errorf("%s: in %.3f of the keys, first at shard %.1f", c.name, got.keys["heavy_tails"], got.first["heavy_tails"])
			}
		} else if got.shards["heavy_tails"] > .1 {
			t.Errorf("%s: in %.3f of the shards", c.name, got.shards["heavy_tails"])
		}
	}
}

// Errors with one tail that is longer are told by their name, not later than as a misfit; heavy tails, a level that jumps, noise of another sd
// and a curve are none.
func TestSkewedErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		noise  func(r *rand.Rand, shard int, x1 float64) float64
		within float64 // mean shard of 20 rows, 0: not told
	}{
		{"exponential", func(r *rand.Rand, _ int, _ float64) float64 { return r.ExpFloat64() }, 9},
		{"exponential, below", func(r *rand.Rand, _ int, _ float64) float64 { return -r.ExpFloat64() }, 9},
		{"lognormal of sd .5", func(r *rand.Rand, _ int, _ float64) float64 { return math.Exp(.5 * r.NormFloat64()) }, 13},
		{"t with 3 degrees of freedom", func(r *rand.Rand, _ int, _ float64) float64 {
			return r.NormFloat64() / math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
		}, 0},
		{"noise that grows with a column", func(r *rand.Rand, _ int, x1 float64) float64 { return (1 + x1) * r.NormFloat64() }, 0},
		{"a level that jumps", func(r *rand.Rand, s int, _ float64) float64 { return r.NormFloat64() + float64(s/20) }, 0},
		{"noise of five times the sd behind 200 rows", func(r *rand.Rand, s int, _ float64) float64 {
			return r.NormFloat64() * math.Pow(5, float64(min(s/10, 1)))
		}, 0},
		{"a curve", func(r *rand.Rand, _ int, x1 float64) float64 { return x1*x1/2 + r.NormFloat64() }, 0},
	} {
		got := tell(t, 40, 40, func(int) int { return 20 }, c.noise)
		t.Logf("%s: in %.3f of the keys, first at shard %.1f; miscalibrated in %.3f, first at %.1f", c.name,
			got.keys["skewed_errors"], got.first["skewed_errors"], got.keys["miscalibrated"], got.first["miscalibrated"])
		if c.within > 0 {
			if got.keys["skewed_errors"] < 1 || got.first["skewed_errors"] > min(c.within, got.first["miscalibrated"]) {
				t.Errorf("%s: in %.3f of the keys, first at shard %.1f; miscalibrated first at %.1f", c.name, got.keys["skewed_errors"], got.first["skewed_errors"], got.first["miscalibrated"])
			}
		} else if got.keys["skewed_errors"] > .05 {
			t.Errorf("%s: in %.3f of the keys", c.name, got.keys["skewed_errors"])
		}
	}
}
