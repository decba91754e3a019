package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/simulate"
)

func TestKeepsTheContract(t *testing.T) {
	one := []cdf.Group{{Column: "store"}}
	for _, c := range []struct {
		name, variant, settings string
		groups                  []cdf.Group
		shards                  func(seed uint64, n int) []*cdf.Batch
	}{
		{"one factor", "corrected", "", one, counts(12, 3)},
		{"crossed", "corrected", "", []cdf.Group{{Column: "store", Slopes: []string{"x"}}, {Column: "day"}}, counts(12, 3)},
		{"no factor", "corrected", "", []cdf.Group{}, counts(12, 3)},
		{"buffer", "corrected", "buffer: 4", one, counts(12, 3)},
		{"buffer, no effects of the rows", "corrected", "{buffer: 3, overdispersion: none}", one, counts(12, 3)},
		{"no effects of the rows", "corrected", "overdispersion: none", one, counts(12, 3)},
		// The paper's rule diverges on shards of a few rows.
		{"paper", "paper", "", one, counts(8, 40)},
	} {
		t.Run(c.name, func(t *testing.T) {
			roles := cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x"}}, Groups: c.groups, Exposure: "e"}
			modeltest.Contract(t, Kind(), c.variant, roles, strictyaml.Decode(c.settings), c.shards)
		})
	}
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
