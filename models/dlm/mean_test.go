package dlm

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// withMean is a model whose mean is not known.
func withMean(t testing.TB) *Model {
	t.Helper()
	s := Defaults()
	s.Mean = "unknown"
	return newTest(t, s)
}

// The mean is not known where the response has its centre from the first rows,
// and can be said to be known or not.
func TestMeanIsAsTold(t *testing.T) {
	for _, c := range []struct {
		mean     string
		centered bool
		params   int
	}{{"auto", false, 4}, {"auto", true, 5}, {"known", true, 4}, {"unknown", false, 5}} {
		s := Defaults()
		s.Mean = c.mean
		m, err := New(s, cdf.Dims{Centered: c.centered})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(m.Params()); n != c.params {
			t.Errorf("%+v: %d parameters", c, n)
		}
	}
}

// dense returns the laws of theta after each step and of mu, the last two entries
// of which are theta after the last step and mu, and the log density of the
// observations, for sigma2 = 1 by dense linear algebra: theta_0 ~ N(0, h), mu ~
// N(0, 1 + q/(1 - phi^2)).
func dense(t *testing.T, y []float64, phi, q, h float64) (mean, cov []float64, log float64) {
	t.Helper()
	n := len(y)
	// Rows of loadings on the independent theta_0, mu and the steps' noise.
	size := n + 2
	load := make([][]float64, n+1)
	level := make([]float64, size)
	level[0] = 1
	prior := make([]float64, size)
	prior[0], prior[1] = h, 1+q/(1-phi*phi)
	for s := range n {
		for k := range level {
			level[k] *= phi
		}
		level[1] += 1 - phi
		level[2+s], prior[2+s] = 1, q
		load[s] = slices.Clone(level)
	}
	load[n] = make([]float64, size)
	load[n][1] = 1
	between := func(a, b []float64) (c float64) {
		for k, v := range prior {
			c += a[k] * b[k] * v
		}
		return c
	}
	var seen []int
	var z []float64
	for s, v := range y {
		if !math.IsNaN(v) {
			seen, z = append(seen, s), append(z, v)
		}
	}
	k := len(seen)
	l := make([]float64, k*k)
	for a, i := range seen {
		for b, j := range seen {
			l[a*k+b] = between(load[i], load[j])
		}
		l[a*k+a]++
	}
	if !lin.Cholesky(k, l) {
		t.Fatal("not positive definite")
	}
	log = -0.5 * float64(k) * math.Log(2*math.Pi)
	lin.SolveLower(k, l, z)
	for a := range k {
		log -= 0.5*z[a]*z[a] + math.Log(l[a*k+a])
	}
	half := make([][]float64, n+1)
	for i := range half {
		half[i] = make([]float64, k)
		for b, j := range seen {
			half[i][b] = between(load[i], load[j])
		}
		lin.SolveLower(k, l, half[i])
		mean = append(mean, lin.Dot(half[i], z))
		cov = append(cov, between(load[i], load[i])-lin.Dot(half[i], half[i]))
	}
	return mean, cov, log
}

// At every node mu and the levels, those steps ahead too, have the laws of the
// dense Gaussian calculation, and the node the likelihood of it.
func TestMeanIsIntegratedOut(t *testing.T) {
	m := withMean(t)
	w := m.family.take()
	defer m.family.scratch.Put(w)
	y, _ := someSteps(12, 0)
	for i := range y {
		y[i] += 3
		m.grid.step(1, y[i], w.product)
		if !math.IsNaN(y[i]) {
			m.n++
		}
	}
	m.grid.flush(w.product, w.log)
	prior := &m.family.settings.Prior
	if !w.weigh(&m.grid, prior, m.n) {
		t.Fatal("no weights")
	}
	at := func(k int) (float64, float64) { return m.grid.phi[k/nodes], m.grid.q[k%nodes] }
	for ahead := range 4 {
		w.locate(&m.grid)
		for k := 5; k < nodes*nodes; k += 37 {
			phi, q := at(k)
			mean, cov, log := dense(t, y, phi, q, prior.Theta0Variance)
			last := len(y) - 1
			law := meanLaw(1+q/(1-phi*phi), m.grid.er[k], m.grid.rr[k])
			sse := 2 * (w.rate[k] - prior.Sigma2Rate - prior.Tau2Rate/q)
			got := -0.5 * (m.n*math.Log(2*math.Pi) + m.grid.ld[k] + math.Log(law.mp) + sse)
			for what, v := range map[string][2]float64{
				"level": {w.level[k], mean[last]}, "its variance": {w.spread[k], cov[last]},
				"mu": {w.mu[k], mean[last+1]}, "its variance of mu": {w.muVar[k], cov[last+1]},
				"log likelihood": {got, log},
			} {
				if math.Abs(v[0]-v[1]) > 1e-8*(1+math.Abs(v[1])) {
					t.Errorf("%d ahead, phi %g q %g: %s is %v, want %v", ahead, phi, q, what, v[0], v[1])
				}
			}
		}
		m.grid.step(1, math.NaN(), w.product)
		y = append(y, math.NaN())
	}
}

// Draws of mu and theta have the laws that are described, and belong together: eight
// steps after the last observation the level has come nearer to the mean. 20,000
// draws, 5 standard errors.
func TestDrawsOfTheMean(t *testing.T) {
	y, _ := series{phi: constantly(.8), tau: 1, sigma: 1}.make(4, 15)
	for i := range y {
		y[i] += 2
	}
	for range 8 {
		y = append(y, math.NaN())
	}
	const draws = 20_000
	d := modeltest.Stepper{Model: withMean(t), Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 5*draws)}}
	d.Must(t, rowsShard(y), 1)
	laws := modeltest.Summarize(t, d.Model, each(params))
	for k, r := range laws {
		for p, q := range map[float64]float64{.025: r.Q025, .25: r.Q25, .5: r.Median, .95: r.Q95} {
			below := 0.0
			for _, v := range d.Draws.Row(k) {
				if v < q {
					below += 1. / draws
				}
			}
			if math.Abs(below-p) > 5*math.Sqrt(p*(1-p)/draws)+.002 {
				t.Errorf("%s: a share of %v of the draws is below the %v quantile", r.Variable, below, p)
			}
		}
	}
	together := 0.0
	for i, mu := range d.Draws.Row(muRow) {
		if (mu > laws[muRow].Median) == (d.Draws.Row(thetaRow)[i] > laws[thetaRow].Median) {
			together += 1. / draws
		}
	}
	if t.Logf("mu and theta on the same side: %.3f", together); together < .53 {
		t.Errorf("mu and theta are on the same side of their medians in a share of %v", together)
	}
}

// A series about a mean other than 0, as one has whose centre is that of its first
// rows: phi is as wide as it is wrong after 2,000 steps, and takes the mean for
// persistence where it is said to be known. 60 series; the mean square of the
// standardised error has a standard error of .18.
func TestMeanIsNotTakenForPersistence(t *testing.T) {
	for _, c := range []struct {
		mean        string
		least, most float64
	}{{"unknown", .4, 1.9}, {"known", 4, math.Inf(1)}} {
		sum := 0.0
		const reps = 60
		for rep := range uint64(reps) {
			s := Defaults()
			s.Mean = c.mean
			y, _ := series{phi: constantly(.9), tau: .5, sigma: 1}.make(100+rep, 2000)
			for i := range y {
				y[i] += .8
			}
			d := modeltest.Stepper{Model: newTest(t, s)}
			d.Must(t, rowsShard(y), 1)
			m := d.Model.(*Model)
			phi := m.posterior()
			z := (phi.phi - .9) / phi.phiSD
			sum += z * z / reps
		}
		t.Logf("mean %s: mean square of the standardised error of phi %.2f", c.mean, sum)
		if !(sum >= c.least && sum <= c.most) {
			t.Errorf("mean %s: mean square of the standardised error of phi %.2f, want %g to %g", c.mean, sum, c.least, c.most)
		}
	}
}

// Rows that are worth few about the mean raise a flag, and many do not: 40 series of
// each. Of 1,000 rows of the slowest level the prior of tau2 is not doubted, and phi alone tells.
func TestFewReturns(t *testing.T) {
	for _, c := range []struct {
		phi         float64
		n           int
		mean        string
		least, most int
	}{
		{.9, 20, "unknown", 38, 40}, {.999, 20, "unknown", 38, 40}, {.999, 200, "unknown", 38, 40}, {.9, 20, "known", 0, 0},
		{.999, 1000, "unknown", 38, 40},
		{.9, 1000, "unknown", 0, 2}, {.5, 400, "unknown", 0, 2}, {0, 200, "unknown", 0, 2},
	} {
		up := 0
		for rep := range uint64(40) {
			s := Defaults()
			s.Mean = c.mean
			y, _ := series{phi: constantly(c.phi), tau: .5, sigma: .5}.make(200+rep, c.n)
			d := modeltest.Stepper{Model: newTest(t, s)}
			d.Must(t, rowsShard(y), 1)
			up += len(d.Model.(cdf.Flagger).AppendFlags(nil))
		}
		t.Logf("%+v: %d", c, up)
		if up < c.least || up > c.most {
			t.Errorf("phi %g, %d rows, mean %s: flagged in %d of 40", c.phi, c.n, c.mean, up)
		}
	}
}
