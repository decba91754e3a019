package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// movedShards returns after which shards of a stream of probit with one column scale_moved was up.
func movedShards(t *testing.T, seed uint64, sizes []int, x func(r *rand.Rand, shard int, part float64) (value, effect float64)) (up []int) {
	t.Helper()
	k, _ := models.Lookup("probit")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Features: []cdf.Feature{{Name: "x"}}, Intercept: true}, strictyaml.Decode("{chains: 4}"))
	if err != nil {
		t.Fatal(err)
	}
	spec.Limits, spec.Draws = cdf.Limits{}, 16
	spec.Seal()
	r := rand.New(rand.NewPCG(seed, 87))
	f := cdf.NewFilter(spec, "key")
	for shard, rows := range sizes {
		xs, y := make([]float64, rows), make([]float64, rows)
		for i := range xs {
			effect := 0.0
			if xs[i], effect = x(r, shard, float64(i)/float64(rows)); effect+r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		sum, err := f.Update(&cdf.Batch{Rows: rows, Time: int64(shard), Columns: []cdf.Column{
			{Name: "x", Type: cdf.Float, Number: xs}, {Name: "y", Type: cdf.Float, Number: y},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(sum.Flags, "scale_moved") {
			up = append(up, shard)
		}
	}
	return up
}

// A column of probit in a hundredth of its unit is told by the model's window long before the engine's
// memory has let go of what was before, wherever the column is, and once the engine tells it too the
// flag is still there.
func TestAUnitIsToldFromTheWindow(t *testing.T) {
	const calm, shards = 5, 50
	for _, mean := range []float64{0, 3} {
		up := movedShards(t, 1, slices.Repeat([]int{100}, shards), func(r *rand.Rand, shard int, _ float64) (value, effect float64) {
			effect = r.NormFloat64()
			if value = mean + effect; shard >= calm {
				value /= 100
			}
			return value, effect
		})
		if len(up) < shards-calm-3 || up[0] < calm || up[len(up)-1] != shards-1 {
			t.Errorf("mean %g: up after shards %v", mean, up)
		}
	}
}

// Ten days at once and then every hour by itself, of a column that follows the day: a narrow hour
// is no other unit, wherever 0 is. By what the window alone says the flag was up in 6 of 6 such
// streams.
func TestAnHourOfTheDayIsNoUnit(t *testing.T) {
	const past, hours = 10, 48
	sizes := append(slices.Repeat([]int{240}, past), slices.Repeat([]int{300}, hours)...)
	for seed := range uint64(6) {
		mean := float64(3 * (seed % 2))
		up := movedShards(t, seed, sizes, func(r *rand.Rand, shard int, part float64) (value, effect float64) {
			hour := float64(seed) + float64(shard) + part
			if shard < past {
				hour = 24 * r.Float64()
			}
			effect = math.Sin(2*math.Pi*hour/24) + .03*r.NormFloat64()
			return mean + effect, effect
		})
		if len(up) > 0 {
			t.Errorf("stream %d: up after shards %v", seed, up)
		}
	}
}
