package linear

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func TestKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Intercept: true,
		Features:  []cdf.Feature{{Name: "x1"}, {Name: "x2"}},
	}
	shards := func(seed uint64, n int) []*cdf.Batch {
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
	}
	for _, variant := range Kind().Variants {
		t.Run(variant, func(t *testing.T) { modeltest.Contract(t, Kind(), variant, roles, nil, shards) })
	}
}
