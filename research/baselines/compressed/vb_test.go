package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// wideRegression returns a shard of rows whose columns are correlated, with the
// coefficients 2, 0, -1, 0, 0, ... and noise of sd 1.5.
func wideRegression(seed uint64, rows, p int) *cdf.Shard {
	r := rand.New(rand.NewPCG(seed, 7))
	sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows), Forget: 1}
	for i := range rows {
		common := r.NormFloat64()
		for j := range p {
			sh.X[i*p+j] = r.NormFloat64() + common/2
		}
		sh.Y[i] = 2*sh.X[i*p] + 1.5*r.NormFloat64()
		if p > 2 {
			sh.Y[i] -= sh.X[i*p+2]
		}
	}
	return sh
}

// solved returns VB-GDP after a shard, with other numbers in its prior than
// the default ones.
func solved(t *testing.T, sh *cdf.Shard) *vb {
	m := build(t, "vb-gdp",
		"{tolerance: 1e-13, prior: {sigma2_shape: 2, sigma2_rate: .7, alpha: 1.5, eta: .6}}",
		cdf.Dims{Columns: make([]string, sh.Cols)}).(*vb)
	methodtest.Drive(m, 3, 0).Must(t, sh, 1)
	return m
}

// dense holds q(gamma) q(sigma2) and the rows, by gonum and without the
// statistics of the model.
type dense struct {
	x           *mat.Dense
	y           []float64
	mu          []float64
	cov         *mat.SymDense // of gamma
	shape, rate float64       // of sigma2
}

// denseOf takes the penalties and E[1/sigma2] from the model, and makes the
// rest anew.
func denseOf(t *testing.T, m *vb, sh *cdf.Shard) *dense {
	p := m.p
	q := &dense{x: mat.NewDense(sh.Rows, p, sh.X), y: sh.Y, mu: make([]float64, p)}
	a := mat.NewSymDense(p, nil)
	a.SymOuterK(1, q.x.T())
	for j, d := range m.d {
		a.SetSym(j, j, a.At(j, j)+d)
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		t.Fatal("not positive definite")
	}
	q.cov = mat.NewSymDense(p, nil)
	if err := c.InverseTo(q.cov); err != nil {
		t.Fatal(err)
	}
	var f, mu mat.VecDense
	f.MulVec(q.x.T(), mat.NewVecDense(sh.Rows, sh.Y))
	mu.MulVec(q.cov, &f)
	copy(q.mu, mu.RawVector().Data)
	q.cov.ScaleSym(1/m.e, q.cov)
	q.shape, q.rate = m.sigmaLaw()
	return q
}

// residuals returns E|y - X gamma|^2.
func (q *dense) residuals() float64 {
	sum := 0.
	for i, y := range q.y {
		row := q.x.RawRowView(i)
		e := y
		for j, v := range row {
			e -= v * q.mu[j]
		}
		x := mat.NewVecDense(len(row), row)
		sum += e*e + mat.Inner(x, q.cov, x)
	}
	return sum
}

// elbo is the lower bound of the log evidence with q(tau, lambda) at its best
// for q(gamma) q(sigma2). Then, with chi = E[1/sigma2] E[gamma_j^2],
//
//	E log p(gamma_j, tau_j, lambda_j | sigma2) - E log q(tau_j, lambda_j)
//	  = log(alpha eta^alpha/2) - (alpha+1) log(eta + sqrt chi) - E log sigma2 / 2,
//
// the log of the generalised double Pareto density: no penalty appears.
func (q *dense) elbo(s vbPrior) float64 {
	n, p := float64(len(q.y)), float64(len(q.mu))
	precision, log := q.shape/q.rate, math.Log(q.rate)-mathext.Digamma(q.shape)
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	out := -n/2*(math.Log(2*math.Pi)+log) - precision/2*q.residuals()
	for j, mu := range q.mu {
		chi := precision * (mu*mu + q.cov.At(j, j))
		out += math.Log(s.Alpha/2) + s.Alpha*math.Log(s.Eta) - (s.Alpha+1)*math.Log(s.Eta+math.Sqrt(chi)) - log/2
	}
	a, b := s.Sigma2Shape, s.Sigma2Rate
	out += a*math.Log(b) - lgamma(a) - (a+1)*log - b*precision
	out += q.shape + math.Log(q.rate) + lgamma(q.shape) - (1+q.shape)*mathext.Digamma(q.shape)
	logDet, _ := mat.LogDet(q.cov)
	return out + (logDet+p*math.Log(2*math.Pi*math.E))/2
}

// The solution satisfies the equations of the specification, each law
// given the others, with fewer rows than columns and with more.
func TestVBSolvesItsEquations(t *testing.T) {
	for _, rows := range []int{4, 60} {
		sh := wideRegression(5, rows, 7)
		m := solved(t, sh)
		q, s := denseOf(t, m, sh), m.set.Prior
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got/want-1) > 1e-8 {
				t.Errorf("%d rows: %s is %.12g, want %.12g", rows, what, got, want)
			}
		}
		rate, precision := s.Sigma2Rate+q.residuals()/2, q.shape/q.rate
		for j, mu := range q.mu {
			square := mu*mu + q.cov.At(j, j)
			rate += m.d[j] * square / 2
			root := math.Sqrt(precision * square)
			near("penalty", m.d[j], (s.Alpha+1)/(root*(s.Eta+root)))
			near("mean", m.mu[j], mu)
			near("variance", m.v[j]/m.e, q.cov.At(j, j))
		}
		near("shape of sigma2", q.shape, s.Sigma2Shape+float64(rows+7)/2)
		near("rate of sigma2", q.rate, rate)
	}
}

// Every change of the penalties raises the lower bound, from a bad start up
// to rounding.
func TestVBRaisesTheLowerBound(t *testing.T) {
	sh := wideRegression(6, 9, 7)
	m := solved(t, sh)
	limit := denseOf(t, m, sh).elbo(m.set.Prior)
	for j := range m.d {
		m.d[j] = math.Pow(10, float64(j%5)-2)
	}
	m.set.Iterations, m.set.Tolerance = 1, 1e-300
	before, risen := math.Inf(-1), 0
	for range 60 {
		if err := m.solve(); err != nil {
			t.Fatal(err)
		}
		now := denseOf(t, m, sh).elbo(m.set.Prior)
		if now < before-1e-10 {
			t.Errorf("the bound falls from %.12g to %.12g", before, now)
		}
		if now > before+1e-6 {
			risen++
		}
		before = now
	}
	if risen < 3 || math.Abs(before-limit) > 1e-6 {
		t.Errorf("the bound rose in %d steps to %.10g, at the solution it is %.10g", risen, before, limit)
	}
}

// The bound, which knows no penalties, is stationary at the solution: central
// differences over every number of q(gamma) q(sigma2), on its own scale, are 0
// against second differences of order 1.
func TestVBMaximisesTheLowerBound(t *testing.T) {
	sh := wideRegression(7, 30, 5)
	m := solved(t, sh)
	q := denseOf(t, m, sh)
	const h = 1e-3
	flat := func(what string, move func(by float64)) {
		t.Helper()
		at := q.elbo(m.set.Prior)
		move(h)
		up := q.elbo(m.set.Prior)
		move(-2 * h)
		down := q.elbo(m.set.Prior)
		move(h)
		if slope, bend := (up-down)/(2*h), (up+down-2*at)/(h*h); math.Abs(slope) > 1e-4 || !(bend < -1e-2) {
			t.Errorf("%s: the bound has slope %g and curvature %g", what, slope, bend)
		}
	}
	for j := range q.mu {
		sd := math.Sqrt(q.cov.At(j, j))
		flat("mean", func(by float64) { q.mu[j] += by * sd })
		variance := q.cov.At(j, j)
		flat("variance", func(by float64) { q.cov.SetSym(j, j, q.cov.At(j, j)+by*variance/5) })
	}
	shape, rate := q.shape, q.rate
	flat("shape", func(by float64) { q.shape += by * math.Sqrt(shape) })
	flat("rate", func(by float64) { q.rate += by * rate / math.Sqrt(shape) })
}

// The answer is that of all rows at once, however they were cut.
func TestVBDoesNotDependOnTheShards(t *testing.T) {
	sh := wideRegression(8, 40, 6)
	whole, cut := solved(t, sh), solved(t, &cdf.Shard{Cols: 6, Forget: 1})
	d := methodtest.Drive(cut, 3, 0)
	for i := range 8 {
		d.Must(t, modeltest.Cut(sh, 5*i, 5*i+5), 1)
	}
	for j, v := range whole.mu {
		if math.Abs(cut.mu[j]-v) > 1e-9 || math.Abs(cut.v[j]/whole.v[j]-1) > 1e-9 {
			t.Errorf("column %d: %.12g (%.12g), in one shard %.12g (%.12g)", j, cut.mu[j], cut.v[j], v, whole.v[j])
		}
	}
}

// Summaries of combinations and predictions against the dense covariance.
func TestVBPublishesItsLaw(t *testing.T) {
	sh := wideRegression(9, 30, 5)
	m := solved(t, sh)
	q := denseOf(t, m, sh)
	u := mat.NewVecDense(5, []float64{2, 0, -1, 0, .5})
	f := []cdf.Functional{
		{Const: 3, Param: []int{0, 2, 4}, Weight: []float64{2, -1, .5}},
		{Param: []int{5}, Weight: []float64{-4}},
		{Param: []int{2}, Weight: []float64{-2}},
	}
	rows := make([]cdf.Row, len(f))
	if err := m.Summarize(f, rows); err != nil {
		t.Fatal(err)
	}
	out := make([]cdf.Prediction, 1)
	if err := m.Predict(&cdf.Shard{Rows: 1, Cols: 5, X: u.RawVector().Data, Y: []float64{1}}, out); err != nil {
		t.Fatal(err)
	}
	mean := 2*q.mu[0] - q.mu[2] + q.mu[4]/2
	line := mat.Inner(u, q.cov, u)
	noise := q.rate / q.shape
	z := (1 - mean) / math.Sqrt(noise+line)
	// P(sigma2 <= its published quantile), from the upper tail of a gamma law.
	below := func(quantile float64) float64 { return mathext.GammaIncRegComp(q.shape, q.rate/quantile) }
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mean", rows[0].Mean, 3 + mean}, {"sd", rows[0].SD, math.Sqrt(line)},
		{"upper quantile", rows[0].Q975, 3 + mean + 1.959963984540054*math.Sqrt(line)},
		{"sd of one", rows[2].SD, 2 * math.Sqrt(q.cov.At(2, 2))},
		{"mean of sigma2", rows[1].Mean, -4 * q.rate / (q.shape - 1)},
		{"sd of sigma2", rows[1].SD, 4 * q.rate / (q.shape - 1) / math.Sqrt(q.shape-2)},
		{"lower quantile of sigma2", below(rows[1].Q025 / -4), .975},
		{"upper quantile of sigma2", below(rows[1].Q95 / -4), .05},
		{"prediction", out[0].Mean, mean}, {"its line", out[0].EpredSD, math.Sqrt(line)},
		{"its sd", out[0].SD, math.Sqrt(noise + line)},
		{"its density", out[0].LogDensity, -(z*z + math.Log(2*math.Pi*(noise+line))) / 2},
		{"its transform", out[0].PIT, (1 + math.Erf(z/math.Sqrt2)) / 2},
	} {
		if math.Abs(c.got-c.want) > 1e-9*(1+math.Abs(c.want)) {
			t.Errorf("%s is %.12g, want %.12g", c.what, c.got, c.want)
		}
	}
}
