package models_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

// clustered are streams of shards of y = 1 + x/2 + 3 z/10 + noise.
type clustered struct {
	name string
	// wrong says that errors are correlated, so that intervals of the slope of z are too short.
	wrong  bool
	shards int
	rows   func(shard int) int
	// z makes a column, and noise the noise, of n rows of a shard.
	z, noise func(r *rand.Rand, last *float64, shard, n int) []float64
}

type column = func(r *rand.Rand, last *float64, shard, n int) []float64

// each draws every row by itself.
func each(draw func(r *rand.Rand) float64) column {
	return func(r *rand.Rand, _ *float64, _, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = draw(r)
		}
		return v
	}
}

// together gives the rows of a shard a part of their variance in common.
func together(part float64) column {
	return func(r *rand.Rand, _ *float64, _, n int) []float64 {
		common, v := math.Sqrt(part)*r.NormFloat64(), make([]float64, n)
		for i := range v {
			v[i] = common + math.Sqrt(1-part)*r.NormFloat64()
		}
		return v
	}
}

// lasting is an autoregressive process with the given correlation of neighbours.
func lasting(a float64) column {
	return func(r *rand.Rand, last *float64, _, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			*last = a**last + math.Sqrt(1-a*a)*r.NormFloat64()
			v[i] = *last
		}
		return v
	}
}

// growing is the number of the shard.
func growing(_ *rand.Rand, _ *float64, shard, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(shard) + float64(i)/float64(n)
	}
	return v
}

func rows(n ...int) func(int) int { return func(shard int) int { return n[shard%len(n)] } }

// flags counts the streams in which a flag was up at any shard, and returns how many were up
// at the end and how many had the slope of z in its interval.
func (c clustered) flags(t *testing.T, streams int, flags ...string) (ever, end map[string]int, covered int) {
	t.Helper()
	k, _ := models.Lookup("linear")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Intercept: true, Features: []cdf.Feature{{Name: "x"}, {Name: "z"}}}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	ever, end = map[string]int{}, map[string]int{}
	var mu sync.Mutex
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		group.Go(func() {
			for s := worker; s < streams; s += workers {
				r := rand.New(rand.NewPCG(uint64(s), 79))
				f, seen := cdf.NewFilter(spec, strconv.Itoa(s)), map[string]bool{}
				var lastZ, lastNoise float64
				var sum *cdf.Summary
				for shard := range c.shards {
					n := c.rows(shard)
					x, z, y := make([]float64, n), c.z(r, &lastZ, shard, n), c.noise(r, &lastNoise, shard, n)
					for i := range y {
						x[i] = r.NormFloat64()
						y[i] += 1 + x[i]/2 + 3*z[i]/10
					}
					var d simulate.Data
					d.Append("x", x)
					d.Append("z", z)
					d.Append("y", y)
					if sum, err = f.Update(d.Batch(int64(shard + 1))); err != nil {
						t.Error(err)
						return
					}
					for _, flag := range sum.Flags {
						seen[flag] = true
					}
				}
				mu.Lock()
				for _, flag := range flags {
					if seen[flag] {
						ever[flag]++
					}
					if slices.Contains(sum.Flags, flag) {
						end[flag]++
					}
				}
				for i := range sum.Rows {
					if v := &sum.Rows[i]; v.Variable == "beta[z]" && v.Q025 <= .3 && .3 <= v.Q975 {
						covered++
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return ever, end, covered
}

// Rows that come together have errors in common, or noise lasts: intervals of the slope of a column
// that is the same in all of them, or lasts too, are too short, and correlated_errors says so, where
// single rows lie in their predictive distributions as they should. Where errors are independent it
// is up at some shard in less than 1 in 400 streams, whatever the columns, and no more is
// miscalibrated, whatever the size of the shards: more than 3 of 60 fail once in 100,000 runs.
func TestCorrelatedErrors(t *testing.T) {
	normal := each((*rand.Rand).NormFloat64)
	heavy := each(func(r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+r.ExpFloat64()) })
	skewed := each(func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 })
	for _, c := range []clustered{
		{"one row", false, 1000, rows(1), normal, normal},
		{"five rows", false, 200, rows(5), together(1), normal},
		{"30 rows", false, 100, rows(30), together(1), normal},
		{"4 and 300 rows", false, 60, rows(4, 300), together(1), normal},
		{"2,000 rows", false, 20, rows(2000), together(1), normal},
		{"column that lasts", false, 60, rows(30), lasting(.95), normal},
		{"column that grows, one row", false, 600, rows(1), growing, normal},
		{"column that grows, 300 rows", false, 30, rows(300), growing, normal},
		{"heavy tails", false, 60, rows(30), together(1), heavy},
		{"skewed, 1,000 rows", false, 30, rows(1000), together(1), skewed},
		{"a tenth of 30 rows", true, 100, rows(30), together(1), together(.1)},
		{"a fiftieth of 100 rows", true, 100, rows(100), together(1), together(.02)},
		{"half of five rows", true, 150, rows(5), together(1), together(.5)},
		{"noise that lasts, one row", true, 600, rows(1), lasting(.95), lasting(.9)},
		{"noise that lasts, 30 rows", true, 60, rows(30), lasting(.95), lasting(.9)},
	} {
		const streams = 60
		ever, end, covered := c.flags(t, streams, "correlated_errors", "miscalibrated")
		t.Logf("%s: correlated_errors in %d streams, at the end in %d, miscalibrated in %d, slope in %d of %d", c.name, ever["correlated_errors"], end["correlated_errors"], ever["miscalibrated"], covered, streams)
		switch up := end["correlated_errors"]; {
		case c.wrong && up < streams*9/10:
			t.Errorf("%s: correlated_errors in %d of %d streams at the end", c.name, up, streams)
		case c.wrong && covered > streams*9/10:
			t.Errorf("%s: no trouble: the slope is in %d of %d intervals", c.name, covered, streams)
		case !c.wrong && ever["correlated_errors"] > 3:
			t.Errorf("%s: correlated_errors in %d of %d streams", c.name, ever["correlated_errors"], streams)
		case !c.wrong && c.name != "heavy tails" && c.name != "skewed, 1,000 rows" && ever["miscalibrated"] > 3:
			t.Errorf("%s: miscalibrated in %d of %d streams", c.name, ever["miscalibrated"], streams)
		}
	}
}
