package models

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// contract takes a configuration of each variant of a kind through the
// contract that every model must pass.
func contract(t *testing.T, kind string, roles cdf.Roles, shards func(seed uint64, n int) []*cdf.Batch) {
	k, ok := Lookup(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	for _, variant := range k.Variants {
		settings, build, err := k.Configure(variant, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(variant, func(t *testing.T) {
			cdftest.TestModel(t, func() *cdf.Spec {
				return &cdf.Spec{
					Kind: kind, Variant: variant, Seed: 1, Columns: roles,
					Draws: 100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
					Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
					Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
					New:     build,
				}
			}, shards)
		})
	}
}

func TestLinearKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "y"}, Intercept: true,
		Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}},
	}
	contract(t, "linear", roles, func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := make([]*cdf.Batch, n)
		for t := range shards {
			rows := 1 + r.IntN(8)
			a, b, y := make([]float64, rows), make([]float64, rows), make([]float64, rows)
			for i := range y {
				a[i], b[i] = 20+5*r.NormFloat64(), r.Float64()
				y[i] = 100 - 3*a[i] + 9*b[i] + 4*r.NormFloat64()
			}
			shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
				{Name: "x1", Type: cdf.Float, Number: a}, {Name: "x2", Type: cdf.Float, Number: b}, {Name: "y", Type: cdf.Float, Number: y},
			}}
		}
		return shards
	})
}

func TestAnovaKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "y"},
		Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "g"}},
	}
	levels := []string{"a", "b", "c", "d", "e"}
	contract(t, "anova", roles, func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := make([]*cdf.Batch, n)
		for t := range shards {
			rows := 5 + r.IntN(4)
			code, y := make([]int32, rows), make([]float64, rows)
			for i := range y {
				code[i] = int32((i + t) % min(len(levels), 3+t/5)) // d and e come late
				y[i] = 50 + 2*float64(code[i]) + 3*r.NormFloat64()
			}
			shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
				{Name: "g", Type: cdf.Text, Code: code, Levels: levels}, {Name: "y", Type: cdf.Float, Number: y},
			}}
		}
		return shards
	})
}
