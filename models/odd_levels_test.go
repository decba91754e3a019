package models_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// levelsSample are streams of anova whose levels have mean 0 and variance tau2, and whose noise has variance 1.
type levelsSample struct {
	name         string
	groups       int
	tau2         float64
	shards, rows int // rows of a group in a shard
	level, noise func(r *rand.Rand) float64
}

// told returns in how many of streams odd_levels was up after the last shard.
func (c *levelsSample) told(t *testing.T, streams int) (end int) {
	t.Helper()
	end, _ = arrivals{"anova", c.shards, c.groups * c.rows,
		func(_ *rand.Rand, _, row int) int { return row % c.groups },
		func(r *rand.Rand, _ int) float64 { return c.noise(r) },
		func(r *rand.Rand) float64 { return math.Sqrt(c.tau2) * c.level(r) },
	}.up(t, streams, "odd_levels")
	return end
}

// Laws of mean 0 and variance 1.
var (
	normalLaw      = (*rand.Rand).NormFloat64
	exponentialLaw = func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }
	lognormalLaw   = func(r *rand.Rand) float64 {
		return (math.Exp(r.NormFloat64()/2) - 1.1331485) / .60390
	}
	studentLaw = func(r *rand.Rand) float64 { // of 5 degrees of freedom, excess kurtosis 6
		a := r.NormFloat64()
		return r.NormFloat64() / math.Sqrt((2*(r.ExpFloat64()+r.ExpFloat64())+a*a)/5) / math.Sqrt(5./3)
	}
)

// Levels of another law than a normal one are told, of many groups as a rule; normal ones are not, whatever the noise is. How often chance told of
// normal ones in ten shards is in docs/adr/0126-levels-that-are-not-normal.md.
func TestOddLevels(t *testing.T) {
	for _, c := range []struct {
		levelsSample
		least, most int // of 40 streams that have the flag in the end
	}{
		{levelsSample{"exponential", 50, 1, 3, 8, exponentialLaw, normalLaw}, 12, 40},
		{levelsSample{"exponential", 200, .3, 3, 8, exponentialLaw, normalLaw}, 38, 40},
		{levelsSample{"lognormal", 200, .3, 3, 8, lognormalLaw, normalLaw}, 35, 40},
		{levelsSample{"t of 5 degrees of freedom", 500, 1, 2, 8, studentLaw, normalLaw}, 25, 40},
		{levelsSample{"normal", 20, 1, 5, 8, normalLaw, normalLaw}, 0, 0},
		{levelsSample{"normal", 200, .3, 5, 8, normalLaw, normalLaw}, 0, 0},
		{levelsSample{"normal, exponential noise", 200, .3, 8, 1, normalLaw, exponentialLaw}, 0, 1},
		{levelsSample{"exponential, of too few rows", 200, .05, 4, 2, exponentialLaw, normalLaw}, 0, 0},
	} {
		end := c.told(t, 40)
		t.Logf("%s, %d groups: in %d of 40 streams", c.name, c.groups, end)
		if end < c.least || end > c.most {
			t.Errorf("%s, %d groups: in %d of 40 streams, want %d to %d", c.name, c.groups, end, c.least, c.most)
		}
	}
}
