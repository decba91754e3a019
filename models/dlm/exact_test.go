package dlm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Row A4: eight steps, the fourth missing, theta_0 ~ N(0, .9): the joint
// normal density of everything is known.
var (
	fewSteps = []Step{{n: 1, mean: .3}, {n: 1, mean: -.8}, {n: 1, mean: 1.1}, {}, {n: 1, mean: .2}, {n: 1, mean: 2}, {n: 1, mean: 1.4}, {n: 1, mean: .1}}
	fewPsi   = vec3{.8, math.Log(.6), math.Log(.4)}
)

const fewVariance = .9

// conditional returns the mean and covariance of theta_0 .. theta_8 given the
// observations, and their log density, by dense linear algebra.
func conditional(t *testing.T, steps []Step, psi vec3) (mean []float64, cov []float64, log float64) {
	t.Helper()
	phi, tau2, sigma2 := psi[0], math.Exp(psi[1]), math.Exp(psi[2])
	n := len(steps) + 1
	prior := make([]float64, n*n)
	v := fewVariance
	for i := range n {
		c := v
		for j := i; j < n; j++ {
			prior[i*n+j], prior[j*n+i] = c, c
			c *= phi
		}
		v = phi*phi*v + tau2
	}
	var seen []int
	var y []float64
	for i, s := range steps {
		if s.n > 0 {
			seen, y = append(seen, i+1), append(y, s.mean)
		}
	}
	k := len(seen)
	l := make([]float64, k*k)
	for a, i := range seen {
		for b, j := range seen {
			l[a*k+b] = prior[i*n+j]
		}
		l[a*k+a] += sigma2
	}
	if !lin.Cholesky(k, l) {
		t.Fatal("not positive definite")
	}
	log = -0.5 * float64(k) * math.Log(2*math.Pi)
	z := slices.Clone(y)
	lin.SolveLower(k, l, z)
	for a := range k {
		log -= 0.5*z[a]*z[a] + math.Log(l[a*k+a])
	}
	half := make([][]float64, n)
	for i := range n {
		half[i] = make([]float64, k)
		for b, j := range seen {
			half[i][b] = prior[i*n+j]
		}
		lin.SolveLower(k, l, half[i])
		mean = append(mean, lin.Dot(half[i], z))
	}
	cov = make([]float64, n*n)
	for i := range n {
		for j := range n {
			cov[i*n+j] = prior[i*n+j] - lin.Dot(half[i], half[j])
		}
	}
	return mean, cov, log
}

func TestWindowLikelihood(t *testing.T) {
	_, _, want := conditional(t, fewSteps, fewPsi)
	got, _, _ := windowLikelihood(fewSteps, 0, fewVariance, fewPsi[0], math.Exp(fewPsi[1]), math.Exp(fewPsi[2]))
	got -= 0.5 * 7 * math.Log(2*math.Pi)
	accept.Range(t, "A4", "Kalman log likelihood - dense", got-want, -1e-9, 1e-9, "one series")
}

// 2e5 paths; four standard errors of 9 means and 17 covariances: a false alarm
// in 600 seeds.
func TestPathsFollowTheConditional(t *testing.T) {
	m, err := NewFiltered(Defaults(), cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	m.steps, m.v0, m.left = fewSteps, fewVariance, true
	m.last = vec3{fewPsi[0], math.Exp(fewPsi[1]), math.Exp(fewPsi[2])}
	mean, cov, _ := conditional(t, fewSteps, fewPsi)
	n := len(mean)
	var w filteredWork
	w.size(n-1, 0)
	step := cdf.Step{RNG: newRand(5)}
	const draws = 200_000
	first, second, cross := make([]float64, n), make([]float64, n), make([]float64, n)
	for range draws {
		m.path(&step, &w)
		for i, x := range w.theta {
			d := x - mean[i]
			first[i] += d / draws
			second[i] += d * d / draws
			if i > 0 {
				cross[i] += d * (w.theta[i-1] - mean[i-1]) / draws
			}
		}
	}
	worst := 0.0
	for i := range n {
		v := cov[i*n+i]
		worst = max(worst, math.Abs(first[i])/math.Sqrt(v/draws), math.Abs(second[i]-v)/(v*math.Sqrt(2./draws)))
		if i > 0 {
			c, u := cov[i*n+i-1], cov[(i-1)*n+i-1]
			worst = max(worst, math.Abs(cross[i]-c)/math.Sqrt((v*u+c*c)/draws))
		}
	}
	accept.Range(t, "A4", "paths of theta against the dense normal, standard errors", worst, 0, 4, "200,000 draws")
}

// The sensitivities and the score of mode compact against central differences,
// with several observations in a step.
func TestCompactDerivatives(t *testing.T) {
	steps := slices.Clone(fewSteps)
	steps[1] = Step{n: 3, mean: -.4, ss: .7}
	steps[6] = Step{n: 2, mean: 1, ss: .1}
	at := func(psi vec3) (log, m, v float64) {
		return windowLikelihood(steps, .2, fewVariance, psi[0], math.Exp(psi[1]), math.Exp(psi[2]))
	}
	edge := edge{m: .2, v: fewVariance}
	var score vec3
	var info [3]vec3
	for i := range steps {
		g, f := edge.pass(&steps[i], fewPsi)
		for a := range g {
			score[a] += g[a]
			for b := range f[a] {
				info[a][b] += f[a][b]
			}
		}
	}
	_, m, v := at(fewPsi)
	worst := max(math.Abs(edge.m-m), math.Abs(edge.v-v))
	dlog, dm, dv := differences(at, fewPsi)
	for k := range 3 {
		worst = max(worst, math.Abs(edge.dm[k]-dm[k]), math.Abs(edge.dv[k]-dv[k]), math.Abs(score[k]-dlog[k]))
		if !(info[k][k] > 0) {
			t.Errorf("information %v", info)
		}
	}
	accept.Range(t, "A4", "compact: derivatives against central differences", worst, 0, 1e-5, "one series")
}

// differences are the central ones of at.
func differences(at func(psi vec3) (log, mean, v float64), psi vec3) (dlog, dm, dv vec3) {
	const h = 1e-5
	for k := range psi {
		up, down := psi, psi
		up[k] += h
		down[k] -= h
		la, ma, va := at(up)
		lb, mb, vb := at(down)
		dlog[k], dm[k], dv[k] = (la-lb)/(2*h), (ma-mb)/(2*h), (va-vb)/(2*h)
	}
	return dlog, dm, dv
}

// Fisher's information is the variance of the score: over simulated series
// of three observations a step. 4.5 standard errors of six entries.
func TestCompactInformation(t *testing.T) {
	r := newRand(8)
	phi, tau, sigma := fewPsi[0], math.Exp(fewPsi[1]/2), math.Exp(fewPsi[2]/2)
	const reps = 20_000
	var diff, square [3]vec3
	for range reps {
		edge := edge{v: fewVariance}
		x := math.Sqrt(fewVariance) * r.NormFloat64()
		var score vec3
		var info [3]vec3
		for range 6 {
			x = phi*x + tau*r.NormFloat64()
			var s Step
			for range 3 {
				s.Add(x + sigma*r.NormFloat64())
			}
			g, f := edge.pass(&s, fewPsi)
			for a := range g {
				score[a] += g[a]
				for b := range f[a] {
					info[a][b] += f[a][b]
				}
			}
		}
		for a := range score {
			for b := range a + 1 {
				d := score[a]*score[b] - info[a][b]
				diff[a][b] += d / reps
				square[a][b] += d * d / reps
			}
		}
	}
	for a := range 3 {
		for b := range a + 1 {
			if z := diff[a][b] / math.Sqrt(square[a][b]/reps); !(math.Abs(z) < 4.5) {
				t.Errorf("entry %d %d: variance of the score - information: z = %.2f", a, b, z)
			}
		}
	}
}

// Row A5: without noise the statistics of mode filtered are those of ordinary
// least squares of y on its lag: a factor, a square or an index that is off shows.
func TestAcceptanceCompleteData(t *testing.T) {
	s := prior(1e7, .1, 2, .2)
	s.Window, s.Prior.Theta0Variance = 20, 1e-9
	m, err := NewFiltered(s, cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	_, y := series{phi: constantly(.7), tau: 1}.make(modeltest.FirstSeed, 2020)
	track(t, m, y, y, 1, 50)
	var xx, xy, yy, before float64
	for _, v := range y[:2000] {
		xx, xy, yy, before = xx+before*before, xy+before*v, yy+v*v, v
	}
	residual := (yy - xy*xy/xx) / 2000
	phi, tau2 := m.c[2]/m.c[1], 2*(m.c[3]-m.c[2]*m.c[2]/m.c[1])/m.nTau
	accept.Range(t, "A5", "c3/c2 - least squares phi", phi-xy/xx, -1e-3, 1e-3, "one series")
	accept.Range(t, "A5", "tau2 / residual variance", tau2/residual, .99, 1.01, "one series")
	accept.Range(t, "A5", "transitions", m.nTau, 2000, 2000, "one series")
}

// Row A6: a window that holds everything is batch Gibbs sampling, whose law is
// that of the grid.
func TestAcceptanceBatch(t *testing.T) {
	s := priorV
	s.Window, s.Prior.Theta0Variance = 200, 1
	y, _ := seriesL.make(modeltest.FirstSeed, 200)
	m, err := NewFiltered(s, cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20_000
	d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 4*draws)}}
	d.Must(t, rowsShard(y), 1)
	exact := newTest(t, s)
	(&modeltest.Stepper{Model: exact}).Must(t, rowsShard(y), 1)
	var diag mcmc.Diagnostics
	worst := 0.0
	got, want := modeltest.Summarize(t, m, functionals()), modeltest.Summarize(t, exact, functionals())
	for k := range got {
		ess := diag.ESSBulk(slices.Clone(d.Draws.Row(k)), 1)
		z := math.Abs(got[k].Mean-want[k].Mean) / want[k].SD * math.Sqrt(ess)
		worst = max(worst, z)
		t.Logf("%s: %.4f (%.4f), exact %.4f (%.4f), ess %.0f", params[k].Name, got[k].Mean, got[k].SD, want[k].Mean, want[k].SD, ess)
	}
	accept.Range(t, "A6", "batch: largest miss of a mean, standard errors", worst, 0, 4, "one series, 20,000 draws")
}

// Row D9: phi given its sums, where the normal lies inside, beyond and far from
// (-1, 1). sqrt(n) D below 1.95 is p > 1e-3.
func TestAcceptancePhiDraws(t *testing.T) {
	step := cdf.Step{RNG: newRand(9)}
	for _, c := range [][2]float64{{.7, .02}, {1.3, .05}, {-2, .1}, {0, 50}} {
		mean, sd := c[0], c[1]
		p := Prior{}
		const tau2 = 3.0
		c2 := tau2 / (2 * sd * sd)
		x := make([]float64, 100_000)
		for i := range x {
			x[i] = p.drawPhi(step.RNG, c2, mean*c2, tau2)
		}
		slices.Sort(x)
		above := func(v float64) float64 { return 0.5 * math.Erfc((v-mean)/(sd*math.Sqrt2)) }
		if mean > 1 { // the other tail is the accurate one
			above = func(v float64) float64 { return -0.5 * math.Erfc((mean-v)/(sd*math.Sqrt2)) }
		}
		d, n := 0.0, float64(len(x))
		for i, v := range x {
			f := (above(-1) - above(v)) / (above(-1) - above(1))
			d = max(d, f-float64(i)/n, float64(i+1)/n-f)
		}
		accept.Range(t, "D9", "phi draws: sqrt(n) D", d*math.Sqrt(n), 0, 1.95, "100,000 draws")
	}
}

// Row G4: the one-step densities, evaluated as mixtures of t laws, sum to the
// log evidence of a fixed grid.
func TestAcceptanceChainRule(t *testing.T) {
	y, _ := seriesMissing.make(modeltest.FirstSeed, 60)
	m := newTest(t, Defaults())
	oracle := newFixedGrid(Defaults().Prior, fullLow, fullHigh, nodes)
	oracle.solve()
	start := oracle.marginalEvidence
	sh := rowsShard(y)
	w := m.family.take()
	f, err := m.forward(w, sh)
	if err != nil {
		t.Fatal(err)
	}
	total, worst := 0.0, 0.0
	for i, v := range y {
		w.grid.step(f.clock.Tick(sh, i), math.NaN(), w.product)
		if math.IsNaN(v) {
			oracle.step(nil)
			continue
		}
		oracle.step([]float64{v})
		density, df := 0.0, 2*w.shape
		for k, p := range w.weight {
			scale := math.Sqrt((w.grid.v[k] + 1) * w.rate[k] / w.shape)
			z := (v - w.grid.m[k]) / scale
			density += p / scale * math.Exp(dist.StudentLogScale(df)-(df+1)/2*math.Log1p(z*z/df))
		}
		got, err := f.absorb(v)
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, math.Abs(got-math.Log(density)))
		total += got
	}
	oracle.solve()
	accept.Range(t, "G4", "row log density - mixture of t laws", worst, 0, 1e-9, "one series")
	accept.Range(t, "G4", "sum of row log densities - log evidence", total-(oracle.marginalEvidence-start), -1e-9, 1e-9, "one series")
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 78)) }

// The statistics of steps that leave by hand: one of two observations, 3 on
// average with the sum of squares 5 about it, and a missing one. theta_0, of
// variance 10 sigma2, leaves with the first of them.
func TestFilteredByHand(t *testing.T) {
	for paper, want := range map[bool][4]float64{false: {15.5 + 7./20, 9, 6, 15.5}, true: {3.5 + 1./20, 2.5, 5, 10}} {
		m, err := newFiltered(Defaults(), cdf.Dims{}, paper, newFilteredScratch())
		if err != nil {
			t.Fatal(err)
		}
		m.steps, m.window = []Step{{n: 2, mean: 3, ss: 5}, {}}, 0
		m.settle(&filteredWork{
			first: []float64{1, 2, 4}, second: []float64{7, 11, 20}, cross: []float64{0, 3, 9}, residual: []float64{0, 13, 17},
		}, 2)
		if m.c != want || m.nSig != 3 || m.nTau != 2 || paper && (m.m0 != 4 || m.v0 != 0) {
			t.Errorf("paper %v: %v of %v observations and %v transitions, want %v", paper, m.c, m.nSig, m.nTau, want)
		}
	}
}

// The evidence of the first row is its density in the forecast of the prior.
func TestEvidenceBeginsWithTheForecast(t *testing.T) {
	y, _ := someSteps(1, 0)
	m := newTest(t, Defaults())
	want, err := m.Score(rowsShard(y), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := modeltest.Stepper{Model: m}
	if d.Must(t, rowsShard(y), 1); modeltest.Relative(m.LogEvidence(), want.LogDensity) > 1e-6 {
		t.Errorf("log evidence %v, log density %v", m.LogEvidence(), want.LogDensity)
	}
}
