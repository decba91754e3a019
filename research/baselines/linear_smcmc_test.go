package baselines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/measure"
)

// regression returns rows of an intercept and p-1 standard normal columns,
// with a response of known coefficients and unit noise.
func regression(r *rand.Rand, n, p int) *cdf.Shard {
	sh := &cdf.Shard{Rows: n, Cols: p}
	for range n {
		y := r.NormFloat64()
		for j := range p {
			x := 1.0
			if j > 0 {
				x = r.NormFloat64()
			}
			y += float64(j-1) * x
			sh.X = append(sh.X, x)
		}
		sh.Y = append(sh.Y, y)
	}
	return sh
}

// linearPrior has moments of sigma2 without any row.
func linearPrior() linear.Settings {
	s := linear.Defaults()
	s.Prior.Sigma2Shape, s.Prior.Sigma2Rate = 4, 3
	return s
}

func newLinear(t testing.TB, s linear.Settings, p int, intercept bool) *linearSMCMC {
	t.Helper()
	m, err := newLinearSMCMC(s, cdf.Dims{Columns: make([]string, p), Intercept: intercept})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Draws after the rows came in three shards, against quadrature: fewer rows
// than columns, few and many.
func TestLinearSMCMCIsExact(t *testing.T) {
	const p = 4
	s := linearPrior()
	for _, n := range []int{3, 12, 200} {
		all := regression(rand.New(rand.NewPCG(uint64(n), 1)), n, p)
		m := newLinear(t, s, p, true)
		d := drive(m, 1, 20_000)
		for i := range 3 {
			from, to := i*n/3, (i+1)*n/3
			d.step(t, &cdf.Shard{Rows: to - from, Cols: p, X: all.X[from*p : to*p], Y: all.Y[from:to]}, 1)
		}
		o := solveLinear(all, s.Prior, true)
		for j := range p {
			unit := make([]float64, p)
			unit[j] = 1
			mean, sd, _ := o.line(unit)
			chainFits(t, fmt.Sprintf("beta_%d of %d rows", j, n), d.draws.Row(j), mean, sd)
		}
		mean, sd := o.variance()
		chainFits(t, fmt.Sprintf("sigma2 of %d rows", n), d.draws.Row(p), mean, sd)

		// Predictions average over 100 sweeps only.
		more := regression(rand.New(rand.NewPCG(uint64(n), 2)), 5, p)
		out := make([]cdf.Prediction, more.Rows)
		if err := m.Predict(more, out); err != nil {
			t.Fatal(err)
		}
		for i, got := range out {
			x := more.X[i*p : (i+1)*p]
			mean, sd, rowSD := o.line(x)
			near(t, "mean of a row", got.Mean, mean, .1*rowSD)
			near(t, "sd of a row", got.SD/rowSD, 1, .1)
			near(t, "sd of the line", got.EpredSD/sd, 1, .1)
			near(t, "log density", got.LogDensity, o.logDensity(x, more.Y[i]), .1)
		}
	}
}

// The first draw of a cold chain has left its start: over 4,000 seeds it has
// the exact mean within 4 standard errors, one false alarm in 16,000.
func TestLinearSMCMCBurnsIn(t *testing.T) {
	const p, seeds = 4, 4000
	s := linearPrior()
	all := regression(rand.New(rand.NewPCG(6, 1)), 6, p)
	var first []float64
	for seed := range uint64(seeds) {
		d := drive(newLinear(t, s, p, true), seed, 1)
		d.step(t, all, 1)
		first = append(first, d.draws.Row(p)[0])
	}
	exact, _ := solveLinear(all, s.Prior, true).variance()
	mean, se := measure.MeanSE(first)
	near(t, "mean of sigma2", mean, exact, 4*se)
}

// Forgetting is that of the rows: an old row counts lambda^age.
func TestLinearSMCMCForgets(t *testing.T) {
	const lambda = .8
	m := newLinear(t, linearPrior(), 1, false)
	d := drive(m, 1, 10)
	for _, y := range []float64{3, math.NaN(), 1} {
		d.step(t, &cdf.Shard{Rows: 1, Cols: 1, X: []float64{2}, Y: []float64{y}}, lambda)
	}
	old := lambda * lambda
	for i, want := range []float64{4*old + 4, 6*old + 2, 9*old + 1} {
		near(t, "a sum", m.gram[i], want, 1e-14)
	}
	near(t, "N", m.n, old+1, 1e-15)
}

// What is propagated is the sums of the rows, whatever their number.
func TestLinearSMCMCState(t *testing.T) {
	const p = 6
	m := newLinear(t, linear.Defaults(), p, true)
	drive(m, 1, 5).step(t, regression(rand.New(rand.NewPCG(1, 3)), 50, p), 1)
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 8*(p*(p+1)/2+p+2) + 1; len(b) != want {
		t.Errorf("the state has %d bytes, want %d", len(b), want)
	}
}
