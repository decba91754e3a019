package models

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Among very many rows some are beyond the 1e-6 tails by chance, which is not told: neither
// in a first shard nor later. One that is no chance is, and so are several that are not.
func TestOutliersOfLargeShards(t *testing.T) {
	const rows = 100_000
	k, _ := Lookup("linear")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Intercept: true, Response: cdf.Feature{Name: "y"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shard := func(rng *rand.Rand, n int) (*cdf.Batch, []float64) {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] = x[i] + rng.NormFloat64()
		}
		return &cdf.Batch{Rows: n, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}}, y
	}
	absorb := func(f *cdf.Filter, b *cdf.Batch) *cdf.Summary {
		t.Helper()
		sum, err := f.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	counted := int64(0)
	for stream := range uint64(6) {
		rng := rand.New(rand.NewPCG(stream, rows))
		f := cdf.NewFilter(spec, "k")
		for shards := range 3 {
			b, _ := shard(rng, rows)
			sum := absorb(f, b)
			if counted += sum.Outliers.Rows; slices.Contains(sum.Flags, "outliers") {
				t.Errorf("stream %d, shard %d: flags %v", stream, shards, sum.Flags)
			}
		}
		for _, far := range [][]float64{{8}, {5.5, 5.5, -5.5, 5.5, -5.5}} {
			b, y := shard(rng, rows/10)
			for i, by := range far {
				y[i] += by - (y[i] - b.Columns[0].Number[i])
			}
			if sum := absorb(f, b); !slices.Contains(sum.Flags, "outliers") {
				t.Errorf("stream %d: rows %v sds off raise %v", stream, far, sum.Flags)
			}
			b, _ = shard(rng, rows/10)
			absorb(f, b)
		}
	}
	if counted == 0 {
		t.Error("no row was beyond the tails by chance: the test tells nothing")
	}
}
