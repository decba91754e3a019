package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/simulate"
)

// contract takes a configuration of each variant of a kind through the
// contract that every model must pass.
func contract(t *testing.T, kind string, roles cdf.Roles, shards func(seed uint64, n int) []*cdf.Batch) {
	k, ok := Lookup(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	for _, variant := range k.Variants {
		t.Run(variant, func(t *testing.T) { contractOf(t, k, variant, roles, shards) })
	}
}

// contractOf is contract for one variant.
func contractOf(t *testing.T, k kind.Kind, variant string, roles cdf.Roles, shards func(seed uint64, n int) []*cdf.Batch) {
	settings, build, err := k.Configure(variant, nil)
	if err != nil {
		t.Fatal(err)
	}
	cdftest.TestModel(t, func() *cdf.Spec {
		return &cdf.Spec{
			Kind: k.Name, Variant: variant, Seed: 1, Columns: roles,
			Draws: 100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
			RawResponse: k.Name == "probit" || k.Name == "poisson",
			Publish:     cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
			Limits:      cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
			New:         build,
		}
	}, shards)
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

// counts makes shards of counts: stores of which all appear early, four days.
func counts(stores, rows int) func(seed uint64, n int) []*cdf.Batch {
	names, days := make([]string, stores), []string{"mon", "tue", "wed", "thu"}
	for g := range names {
		names[g] = string(rune('a' + g))
	}
	return func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 2))
		shards := make([]*cdf.Batch, n)
		for t := range shards {
			rows := rows + r.IntN(6)
			x, e, y := make([]float64, rows), make([]float64, rows), make([]float64, rows)
			store, day := make([]int32, rows), make([]int32, rows)
			for i := range y {
				x[i], e[i] = 5+2*r.NormFloat64(), 0.5+r.Float64()
				store[i], day[i] = int32((t+i*5)%stores), int32((t+i)%4)
				y[i] = simulate.Count(r, e[i]*math.Exp(0.3+0.1*x[i]+0.4*math.Sin(float64(store[i]))+0.2*float64(day[i]%2)))
			}
			shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
				{Name: "x", Type: cdf.Float, Number: x}, {Name: "e", Type: cdf.Float, Number: e}, {Name: "y", Type: cdf.Float, Number: y},
				{Name: "store", Type: cdf.Text, Code: store, Levels: names}, {Name: "day", Type: cdf.Text, Code: day, Levels: days},
			}}
		}
		return shards
	}
}

func TestPoissonKeepsTheContract(t *testing.T) {
	k, _ := Lookup("poisson")
	for _, c := range []struct {
		name, variant string
		groups        []cdf.Group
		shards        func(seed uint64, n int) []*cdf.Batch
	}{
		{"one factor", "corrected", []cdf.Group{{Column: "store"}}, counts(12, 3)},
		{"crossed", "corrected", []cdf.Group{{Column: "store", Slopes: []string{"x"}}, {Column: "day"}}, counts(12, 3)},
		{"no factor", "corrected", []cdf.Group{}, counts(12, 3)},
		{"buffer", "corrected", []cdf.Group{{Column: "store"}}, counts(12, 3)},
		{"lognormal", "corrected", []cdf.Group{{Column: "store"}}, counts(12, 3)},
		// The paper's rule diverges on shards of a few rows.
		{"paper", "paper", []cdf.Group{{Column: "store"}}, counts(8, 40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := k
			k.Configure = func(variant string, _ func(any) error) (any, kind.Build, error) {
				return configurePoisson(variant, func(v any) error {
					switch s := v.(*PoissonSettings); c.name {
					case "buffer":
						s.Buffer = 4
					case "lognormal":
						s.Buffer, s.Overdispersion = 3, lognormal
					}
					return nil
				})
			}
			contractOf(t, k, c.variant, cdf.Roles{
				Scaling: "first", Response: cdf.Feature{Name: "y"}, Intercept: true,
				Features: []cdf.Feature{{Name: "x"}}, Groups: c.groups, Exposure: "e",
			}, c.shards)
		})
	}
}
