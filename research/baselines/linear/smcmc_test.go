package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
	"github.com/credence-stream/credence/research/measure"
)

// prior has moments of sigma2 without any row.
func prior() linear.Settings {
	s := linear.Defaults()
	s.Prior.Sigma2Shape, s.Prior.Sigma2Rate = 4, 3
	return s
}

func newTest(t testing.TB, s linear.Settings, p int, intercept bool) *smcmc {
	t.Helper()
	m, err := newSMCMC(s, cdf.Dims{Columns: make([]string, p), Intercept: intercept})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestKeepsTheContract(t *testing.T) {
	columns := cdf.Roles{Features: []cdf.Feature{{Name: "x"}}, Intercept: true}
	modeltest.Contract(t, Competitors()[0], "", columns, nil, cdftest.LineShards)
}

// Draws after the rows came in three shards, against quadrature: fewer rows
// than columns, few and many.
func TestSMCMCIsExact(t *testing.T) {
	const p = 4
	s := prior()
	for _, n := range []int{3, 12, 200} {
		all := modeltest.RegressionShard(rand.New(rand.NewPCG(uint64(n), 1)), n, p, true)
		m := newTest(t, s, p, true)
		d := methodtest.Drive(m, 1, 20_000)
		for i := range 3 {
			from, to := i*n/3, (i+1)*n/3
			d.Must(t, &cdf.Shard{Rows: to - from, Cols: p, X: all.X[from*p : to*p], Y: all.Y[from:to]}, 1)
		}
		o := solve(all, s.Prior, true)
		for j := range p {
			unit := make([]float64, p)
			unit[j] = 1
			mean, sd, _ := o.line(unit)
			methodtest.ChainFits(t, fmt.Sprintf("beta_%d of %d rows", j, n), d.Draws.Row(j), mean, sd)
		}
		mean, sd := o.variance()
		methodtest.ChainFits(t, fmt.Sprintf("sigma2 of %d rows", n), d.Draws.Row(p), mean, sd)

		// Predictions average over 100 sweeps only.
		more := modeltest.RegressionShard(rand.New(rand.NewPCG(uint64(n), 2)), 5, p, true)
		out := make([]cdf.Prediction, more.Rows)
		if err := m.Predict(more, out); err != nil {
			t.Fatal(err)
		}
		for i, got := range out {
			x := lin.Row(more.X, p, i)
			mean, sd, rowSD := o.line(x)
			modeltest.Within(t, "mean of a row", got.Mean, mean, .1*rowSD)
			modeltest.Within(t, "sd of a row", got.SD/rowSD, 1, .1)
			modeltest.Within(t, "sd of the line", got.EpredSD/sd, 1, .1)
			modeltest.Within(t, "log density", got.LogDensity, o.logDensity(x, more.Y[i]), .1)
		}
	}
}

// The first draw of a cold chain has left its start: over 4,000 seeds it has
// the exact mean within 4 standard errors, one false alarm in 16,000.
func TestSMCMCBurnsIn(t *testing.T) {
	const p, seeds = 4, 4000
	s := prior()
	all := modeltest.RegressionShard(rand.New(rand.NewPCG(6, 1)), 6, p, true)
	var first []float64
	for seed := range uint64(seeds) {
		d := methodtest.Drive(newTest(t, s, p, true), seed, 1)
		d.Must(t, all, 1)
		first = append(first, d.Draws.Row(p)[0])
	}
	exact, _ := solve(all, s.Prior, true).variance()
	mean, se := measure.MeanSE(first)
	modeltest.Within(t, "mean of sigma2", mean, exact, 4*se)
}

// Forgetting is that of the rows: an old row counts lambda^age.
func TestSMCMCForgets(t *testing.T) {
	const lambda = .8
	m := newTest(t, prior(), 1, false)
	d := methodtest.Drive(m, 1, 10)
	for _, y := range []float64{3, math.NaN(), 1} {
		d.Must(t, &cdf.Shard{Rows: 1, Cols: 1, X: []float64{2}, Y: []float64{y}}, lambda)
	}
	old := lambda * lambda
	for i, want := range []float64{4*old + 4, 6*old + 2, 9*old + 1} {
		modeltest.Within(t, "a sum", m.gram[i], want, 1e-14)
	}
	modeltest.Within(t, "N", m.n, old+1, 1e-15)
}

// A column of zeros leaves its coefficient to the prior, one that is there
// twice has the sum of its coefficients determined, not their difference.
func TestSMCMCOfUselessColumns(t *testing.T) {
	const p, n = 3, 40
	sh := modeltest.RegressionShard(chain.Ahead(), n, p, true)
	for i := range n {
		sh.X[i*p] = 0
		sh.X[i*p+1] = sh.X[i*p+2]
	}
	s := linear.Defaults()
	s.Prior.BetaVariance = 4
	d := methodtest.Drive(newTest(t, s, p, false), 1, 20_000)
	d.Must(t, sh, 1)
	methodtest.ChainFits(t, "beta of zeros", d.Draws.Row(0), 0, 2)
	difference := make([]float64, d.Draws.S)
	for i := range difference {
		difference[i] = d.Draws.Row(1)[i] - d.Draws.Row(2)[i]
	}
	methodtest.ChainFits(t, "the difference", difference, 0, math.Sqrt(8))
}
