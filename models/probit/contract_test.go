package probit

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// A window of 40 rows is full after five shards, so most of what the contract
// asks about happens after rows were frozen.
func TestKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Intercept: true, Features: []cdf.Feature{{Name: "x1"}, {Name: "x2"}},
	}
	shards := func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		out := make([]*cdf.Batch, n)
		for t := range out {
			rows := 6 + r.IntN(6)
			a, b, y := make([]float64, rows), make([]float64, rows), make([]float64, rows)
			for i := range y {
				a[i], b[i] = 20+5*r.NormFloat64(), r.Float64()
				if .2*(a[i]-20)-2*b[i]+1+r.NormFloat64() > 0 {
					y[i] = 1
				}
			}
			out[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
				{Name: "x1", Type: cdf.Float, Number: a}, {Name: "x2", Type: cdf.Float, Number: b},
				{Name: "y", Type: cdf.Bool, Number: y},
			}}
		}
		return out
	}
	for _, variant := range []string{"corrected", "paper"} {
		t.Run(variant, func(t *testing.T) {
			modeltest.Contract(t, Kind(), variant, roles, strictyaml.Decode("{window: 40, chains: 4}"), shards)
		})
	}
}
