package modeltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/simulate"
)

// RegressionShard returns rows of normal columns and a response that depends on
// them; the first column is 1 where there is an intercept.
func RegressionShard(r *rand.Rand, rows, p int, intercept bool) *cdf.Shard {
	sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows)}
	for i := range rows {
		x := lin.Row(sh.X, p, i)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		if intercept {
			x[0] = 1
		}
		sh.Y[i] = r.NormFloat64()
		for j, v := range x {
			sh.Y[i] += v * float64(j%3-1) / 2
		}
	}
	return sh
}

// Cut returns rows [i, j) of a shard.
func Cut(sh *cdf.Shard, i, j int) *cdf.Shard {
	return &cdf.Shard{Rows: j - i, Cols: sh.Cols, Y: sh.Y[i:j], X: sh.X[i*sh.Cols : j*sh.Cols]}
}

// ScenarioShard turns simulated columns into a shard without intercept.
func ScenarioShard(d simulate.Data) *cdf.Shard {
	p := len(d.Names) - 1
	y := d.Columns[p]
	sh := &cdf.Shard{Rows: len(y), Cols: p, Y: y, X: make([]float64, len(y)*p)}
	for i := range y {
		for j := range p {
			sh.X[i*p+j] = d.Columns[j][i]
		}
	}
	return sh
}

// FirstSeed is the seed of an acceptance test's first replication.
const FirstSeed = 1000

// GroupShard turns simulated columns into a shard; labels 1, 2, ... are
// indices already.
func GroupShard(d simulate.Data) *cdf.Shard {
	sh := &cdf.Shard{Rows: len(d.Columns[1]), Y: d.Columns[1], Group: [][]int32{nil}}
	for _, v := range d.Columns[0] {
		sh.Group[0] = append(sh.Group[0], int32(v)-1)
	}
	return sh
}

// Seeds names the seeds of so many replications.
func Seeds(reps int) string {
	return fmt.Sprintf("seeds %d-%d", FirstSeed, FirstSeed+reps-1)
}
