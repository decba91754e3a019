package models_test

import (
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
)

// levelsSample are streams of anova whose levels have mean 0 and variance tau2, and whose noise has variance 1.
type levelsSample struct {
	name         string
	groups       int
	tau2         float64
	shards, rows int // rows of a group in a shard
	level, noise func(r *rand.Rand) float64
}

// told returns in how many of streams odd_levels was up after any shard, and after the last.
func (c *levelsSample) told(t *testing.T, streams int) (ever, end int) {
	t.Helper()
	k, _ := models.Lookup("anova")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Groups: []cdf.Group{{Column: "g"}}}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	spec.Limits, spec.Draws = cdf.Limits{}, 8 // no flag here is of draws
	spec.Seal()
	var counts [2]atomic.Int64
	var workers sync.WaitGroup
	for worker := range 2 {
		workers.Go(func() {
			for seed := worker; seed < streams; seed += 2 {
				r := rand.New(rand.NewPCG(uint64(seed), 126))
				f, level := cdf.NewFilter(spec, fmt.Sprint("key", seed)), make([]float64, c.groups)
				for g := range level {
					level[g] = math.Sqrt(c.tau2) * c.level(r)
				}
				had, last := false, false
				for s := range c.shards {
					b := &cdf.Batch{Rows: c.groups * c.rows, Time: int64(s + 1), Columns: []cdf.Column{{Name: "g", Type: cdf.Integer}, {Name: "y", Type: cdf.Float}}}
					for i := range b.Rows {
						g := i % c.groups
						b.Columns[0].Int, b.Columns[0].Number = append(b.Columns[0].Int, int64(g)), append(b.Columns[0].Number, float64(g))
						b.Columns[1].Number = append(b.Columns[1].Number, 3+level[g]+c.noise(r))
					}
					sum, err := f.Update(b)
					if err != nil {
						t.Error(err)
						return
					}
					last = slices.Contains(sum.Flags, "odd_levels")
					had = had || last
				}
				for i, is := range [...]bool{had, last} {
					if is {
						counts[i].Add(1)
					}
				}
			}
		})
	}
	workers.Wait()
	return int(counts[0].Load()), int(counts[1].Load())
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

// Levels of another law than a normal one are told, of many groups as a rule; normal ones are not, whatever the noise is. In ten shards of 2,000
// streams of each sort normal levels had the flag in at most 4 of 1,000, with exponential noise too, from eight rows of each group on.
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
		_, end := c.told(t, 40)
		t.Logf("%s, %d groups: in %d of 40 streams", c.name, c.groups, end)
		if end < c.least || end > c.most {
			t.Errorf("%s, %d groups: in %d of 40 streams, want %d to %d", c.name, c.groups, end, c.least, c.most)
		}
	}
}
