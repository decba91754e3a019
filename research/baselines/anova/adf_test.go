package anova

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// rowsLog is log p(rows | zeta, sigma2), theta = (log sigma2, zeta), row by row.
func rowsLog(sh *cdf.Shard) func(theta []float64) float64 {
	return func(theta []float64) float64 {
		f := 0.0
		for i, y := range sh.Y {
			e := y - theta[1+sh.Group[0][i]]
			f -= theta[0]/2 + e*e/(2*math.Exp(theta[0]))
		}
		return f
	}
}

// priorLog is the log prior of theta, mu and tau2 integrated out by brute
// force: tau2 on a grid of its logarithm, mu in closed form.
func priorLog(p anova.Prior) func(theta []float64) float64 {
	return func(theta []float64) float64 {
		k, mean, ss := float64(len(theta)-1), 0.0, 0.0
		for _, z := range theta[1:] {
			mean += z / k
		}
		for _, z := range theta[1:] {
			ss += (z - mean) * (z - mean)
		}
		sum := 0.0
		const h = .01
		for l := -15.0; l < 25; l += h {
			t2 := math.Exp(l)
			// The integral over mu leaves tau^(1-k) exp(-SS/2tau2).
			sum += h * math.Exp(-(p.Tau2Shape+(k-1)/2)*l-(p.Tau2Rate+ss/2)/t2)
		}
		return math.Log(sum) - p.Sigma2Shape*theta[0] - p.Sigma2Rate*math.Exp(-theta[0])
	}
}

// derivatives returns gradient and negative Hessian of f by central
// differences.
func derivatives(f func([]float64) float64, at []float64) (gradient []float64, curvature [][]float64) {
	const h = 1e-3
	value := func(i int, di float64, j int, dj float64) float64 {
		x := slices.Clone(at)
		x[i] += di
		x[j] += dj
		return f(x)
	}
	for i := range at {
		gradient = append(gradient, (value(i, h, 0, 0)-value(i, -h, 0, 0))/(2*h))
		var row []float64
		for j := range at {
			row = append(row, -(value(i, h, j, h)-value(i, h, j, -h)-value(i, -h, j, h)+value(i, -h, j, -h))/(4*h*h))
		}
		curvature = append(curvature, row)
	}
	return gradient, curvature
}

func balanced(seed uint64, k, n int) *cdf.Shard {
	r := rand.New(rand.NewPCG(seed, 21))
	sh := &cdf.Shard{Rows: k * n, Group: [][]int32{nil}}
	for i := range sh.Rows {
		sh.Group[0] = append(sh.Group[0], int32(i%k))
		sh.Y = append(sh.Y, 4+float64(i%k)+2*r.NormFloat64())
	}
	return sh
}

// The first shard leaves mode and curvature of its posterior, the second adds
// its curvature at that mode and moves the mean by Lambda_2^{-1} times its
// score: everything by finite differences of densities written row by row.
func TestADFIsNewtonsMethod(t *testing.T) {
	prior := anova.Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}
	m := newADF(anova.Settings{Prior: prior})
	d := methodtest.Drive(m, 1, 0)
	first, second := balanced(1, 3, 8), balanced(2, 3, 2)
	d.Must(t, first, 1)

	f, g := rowsLog(first), priorLog(prior)
	score, want := derivatives(func(x []float64) float64 { return f(x) + g(x) }, m.mean)
	for i, v := range score {
		modeltest.Within(t, "score at the mode", v, 0, 1e-5)
		for j := range i + 1 {
			modeltest.Within(t, "curvature at the mode", m.lambda[packed(i)+j], want[i][j], 1e-5)
		}
	}

	at := slices.Clone(m.mean)
	score, more := derivatives(rowsLog(second), at)
	d.Must(t, second, 1)
	for i := range score {
		moved := 0.0
		for j := range at {
			lo, hi := min(i, j), max(i, j)
			modeltest.Within(t, "Lambda of the second shard", m.lambda[packed(hi)+lo], want[hi][lo]+more[hi][lo], 2e-5)
			moved += m.lambda[packed(hi)+lo] * (m.mean[j] - at[j])
		}
		modeltest.Within(t, "Lambda times the step", moved, score[i], 1e-4)
	}
}

// A group that comes later has the prior that it would have had from the
// start: the levels are independent of its arrival where no row tells them
// apart. Curvature of the prior without its negative term, at the mean of the
// moment.
func TestADFLetsGroupsIn(t *testing.T) {
	prior := anova.Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}
	m := newADF(anova.Settings{Prior: prior})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(1, 3, 8), 1)
	before, mean := slices.Clone(m.lambda), slices.Clone(m.mean)
	a, b, centre := m.spread(m.mean)

	step := cdf.Step{Shard: &cdf.Shard{Rows: 1, Y: []float64{9}, Group: [][]int32{{3}}}, T: 2, Forget: 1}
	m.Absorb(&step)
	if m.groups() != 4 || m.mean[4] != centre || !slices.Equal(m.mean[:4], mean) {
		t.Fatalf("theta is %v after %v", m.mean, mean)
	}
	for i := range 4 {
		for j := range i + 1 {
			want := a / b * (identity(i, j) - 1./4)
			if i < 3 {
				want += before[packed(i+1)+j+1] - a/b*(identity(i, j)-1./3)
			}
			modeltest.Within(t, "Lambda", m.lambda[packed(i+1)+j+1], want, 1e-12)
		}
	}
	// The levels known before have the law that they had: the new one is
	// integrated out by its Schur complement.
	last := m.lambda[packed(4):]
	for i := range 4 {
		for j := range i + 1 {
			modeltest.Within(t, "Lambda without the new group", m.lambda[packed(i)+j]-last[i]*last[j]/last[4], before[packed(i)+j], 1e-12)
		}
	}
	if err := m.Sample(&step); err != nil {
		t.Fatal(err)
	}
	if !(m.mean[4] > centre) {
		t.Errorf("a row of 9 leaves the new level at %v, about %v", m.mean[4], centre)
	}
}

func identity(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// Single rows have an indefinite curvature; the expected one is in its place.
func TestADFOfSingleRows(t *testing.T) {
	m := newADF(anova.Settings{Prior: anova.Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(3, 3, 8), 1)
	before, e := slices.Clone(m.lambda), math.Exp(-m.mean[0])
	d.Must(t, balanced(4, 3, 1), 1)
	modeltest.Within(t, "precision of eta", m.lambda[0], before[0]+1.5, 1e-12)
	for i := 1; i <= 3; i++ {
		modeltest.Within(t, "precision of a level", m.lambda[packed(i)+i], before[packed(i)+i]+e, 1e-12)
		modeltest.Within(t, "a cross term", m.lambda[packed(i)], before[packed(i)], 0)
	}
}

// Moments and quantiles of sigma2 are those of its draws: log-normal.
func TestADFSummary(t *testing.T) {
	m := newADF(anova.Defaults())
	d := methodtest.Drive(m, 1, 100_000)
	d.Must(t, balanced(1, 3, 4), 1)
	for i, r := range methodtest.Summarize(t, m) {
		x := slices.Sorted(slices.Values(d.Draws.Row(i)))
		methodtest.ChainFits(t, "draws", d.Draws.Row(i), r.Mean, r.SD)
		modeltest.Within(t, "2.5 % quantile", mcmc.Quantile(x, .025), r.Q025, .03*r.SD)
		modeltest.Within(t, "97.5 % quantile", mcmc.Quantile(x, .975), r.Q975, .06*r.SD)
	}
}

// A row of a new group is predicted with the level that the group would have
// on joining.
func TestADFPredictsNewGroups(t *testing.T) {
	m := newADF(anova.Settings{Prior: strong})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(1, 3, 8), 1)
	var p [1]cdf.Prediction
	if err := m.Predict(&cdf.Shard{Rows: 1, Y: []float64{5}, Group: [][]int32{{-1}}}, p[:]); err != nil {
		t.Fatal(err)
	}
	noise, _ := m.sigma2()
	m.join()
	m.ready = false
	if err := m.prepare(); err != nil {
		t.Fatal(err)
	}
	modeltest.Within(t, "mean", p[0].Mean, m.mean[4], 1e-12)
	modeltest.Within(t, "sd of the level", p[0].EpredSD, m.sd(4), 1e-12)
	modeltest.Within(t, "sd of the row", p[0].SD, math.Sqrt(m.sd(4)*m.sd(4)+noise), 1e-12)
}

// Forgetting discounts the Gaussian, the prior of the first shard included.
func TestADFForgets(t *testing.T) {
	m := newADF(anova.Settings{Prior: strong})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(1, 3, 8), 1)
	before := slices.Clone(m.lambda)
	d.Must(t, &cdf.Shard{Group: [][]int32{nil}}, .5)
	for i, v := range m.lambda {
		modeltest.Within(t, "Lambda", v, before[i]/2, 0)
	}
}
