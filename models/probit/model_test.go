package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// dims are p columns, the first of them an intercept where that is
// asked for, and a number of draws.
func dims(p, draws int, intercept bool) cdf.Dims {
	return cdf.Dims{Columns: modeltest.Columns(p), Intercept: intercept, Draws: draws}
}

func newTest(t testing.TB, variant string, s Settings, d cdf.Dims) *Model {
	t.Helper()
	return modeltest.Model(t, Kind(), variant, modeltest.Set(s), d).(*Model)
}

// windowOf returns the default settings with another window.
func windowOf(rows int) Settings {
	s := Defaults()
	s.Window = rows
	return s
}

// newShard makes rows of p columns; beta_0 belongs to a column of ones
// where there is an intercept.
func newShard(r *rand.Rand, rows int, beta []float64, sd float64, intercept bool) *cdf.Shard {
	p := len(beta)
	sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows)}
	for i := range rows {
		x := lin.Row(sh.X, p, i)
		eta := r.NormFloat64()
		for j := range x {
			x[j] = sd * r.NormFloat64()
			if intercept && j == 0 {
				x[j] = 1
			}
			eta += x[j] * beta[j]
		}
		if eta > 0 {
			sh.Y[i] = 1
		}
	}
	return sh
}

// driver takes a model through shards with draws as the engine does.
func driver(m *Model) *modeltest.Stepper {
	return &modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: m.s, Chains: m.chains, Data: make([]float64, m.s*m.p)}}
}

// betas returns the functionals beta_0 .. beta_{p-1}.
func betas(p int) []cdf.Functional { return modeltest.Coefficients(p)[:p] }

func normals01(r *rand.Rand, n int, sd float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = sd * r.NormFloat64()
	}
	return x
}

var nan = math.NaN()
