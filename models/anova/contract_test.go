package anova

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func TestKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Groups: []cdf.Group{{Column: "g"}},
	}
	levels := []string{"a", "b", "c", "d", "e"}
	shards := func(seed uint64, n int) []*cdf.Batch {
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
	}
	for _, variant := range Kind().Variants {
		t.Run(variant, func(t *testing.T) { modeltest.Contract(t, Kind(), variant, roles, nil, shards) })
	}
}
