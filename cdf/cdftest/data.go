package cdftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
)

// LineShards returns shards for Line: y about 100 with slope -3 in x.
func LineShards(seed uint64, n int) []*cdf.Batch {
	rng := rand.New(rand.NewPCG(seed, 1))
	shards := make([]*cdf.Batch, n)
	for t := range shards {
		rows := 1 + rng.IntN(8)
		x, y := make([]float64, rows), make([]float64, rows)
		for i := range x {
			x[i] = 20 + 5*rng.NormFloat64()
			y[i] = 100 - 3*x[i] + 4*rng.NormFloat64()
		}
		shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
			{Name: "x", Type: cdf.Float, Number: x},
			{Name: "y", Type: cdf.Float, Number: y},
		}}
	}
	return shards
}

// LevelShards returns shards for Levels with groups a to e, of which d and e
// come late.
func LevelShards(seed uint64, n int) []*cdf.Batch {
	rng := rand.New(rand.NewPCG(seed, 2))
	levels := []string{"a", "b", "c", "d", "e"}
	shards := make([]*cdf.Batch, n)
	for t := range shards {
		rows := 5 + rng.IntN(4)
		code, y := make([]int32, rows), make([]float64, rows)
		for i := range code {
			code[i] = int32((i + t) % min(len(levels), 3+t/5))
			y[i] = 50 + 2*float64(code[i]) + 3*rng.NormFloat64()
		}
		shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
			{Name: "g", Type: cdf.Text, Code: code, Levels: levels},
			{Name: "y", Type: cdf.Float, Number: y},
		}}
	}
	return shards
}

// WideShards returns what makes shards of few rows for a regression on p
// columns, x1 to xp, with far means.
func WideShards(p int) func(seed uint64, n int) []*cdf.Batch {
	return func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := make([]*cdf.Batch, n)
		for t := range shards {
			rows := 1 + r.IntN(8)
			b := &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1))}
			y := make([]float64, rows)
			for j := range p {
				x := make([]float64, rows)
				for i := range x {
					x[i] = 20 + float64(1+j)*r.NormFloat64()
					y[i] += x[i] * float64(j%3-1)
				}
				b.Columns = append(b.Columns, cdf.Column{Name: fmt.Sprint("x", j+1), Type: cdf.Float, Number: x})
			}
			for i := range y {
				y[i] += 4 * r.NormFloat64()
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Float, Number: y})
			shards[t] = b
		}
		return shards
	}
}
