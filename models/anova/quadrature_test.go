package anova

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// dense is the posterior on a fine lattice of log sigma2 and log tau2, from
// the rows themselves, each variance a variable of its own: it shares nothing
// with the model's grid.
type dense struct {
	mean, variance []float64 // of mu, tau2, sigma2 and the levels
	sigma2         []float64 // its values, with
	below          []float64 // the mass up to each
	log            float64   // of all mass, but for a constant
}

func denseOf(p Prior, y [][]float64, from, to float64, points int) dense {
	k := len(y)
	n, ybar, rows, within := make([]float64, k), make([]float64, k), 0.0, 0.0
	for j, values := range y {
		mean, variance := meanAndVariance(values)
		n[j], ybar[j] = float64(len(values)), mean
		within += variance * n[j]
		rows += n[j]
	}
	h := (to - from) / float64(points-1)
	logs := make([][]float64, points)
	top := math.Inf(-1)
	// given returns what follows from the variances: the log density, mean and
	// variance of mu.
	given := func(s, t float64) (log, mean, variance float64) {
		precision, sum := 0.0, 0.0
		if p.MuVariance > 0 {
			precision = 1 / p.MuVariance
		}
		log = -(p.Sigma2Shape+(rows-float64(k))/2)*math.Log(s) - (p.Sigma2Rate+within/2)/s - p.Tau2Shape*math.Log(t) - p.Tau2Rate/t
		for j := range y {
			v := s/n[j] + t
			precision += 1 / v
			sum += ybar[j] / v
			log -= 0.5*math.Log(v) + 0.5*ybar[j]*ybar[j]/v
		}
		mean = sum / precision
		return log - 0.5*math.Log(precision) + 0.5*sum*mean, mean, 1 / precision
	}
	for i := range logs {
		logs[i] = make([]float64, points)
		for j := range logs[i] {
			logs[i][j], _, _ = given(math.Exp(from+float64(i)*h), math.Exp(from+float64(j)*h))
			top = max(top, logs[i][j])
		}
	}
	d := dense{mean: make([]float64, zetaRow+k), variance: make([]float64, zetaRow+k)}
	second, total := make([]float64, zetaRow+k), 0.0
	for i := range logs {
		s := math.Exp(from + float64(i)*h)
		for j := range logs[i] {
			t, w := math.Exp(from+float64(j)*h), math.Exp(logs[i][j]-top)
			_, mean, variance := given(s, t)
			total += w
			note := func(at int, m, v float64) {
				d.mean[at] += w * m
				second[at] += w * (v + m*m)
			}
			note(muRow, mean, variance)
			note(tau2Row, t, 0)
			note(sigma2Row, s, 0)
			for l := range y {
				r := s / (s + n[l]*t)
				note(zetaRow+l, ybar[l]+r*(mean-ybar[l]), r*t+r*r*variance)
			}
		}
		d.sigma2, d.below = append(d.sigma2, s*math.Exp(h/2)), append(d.below, total)
	}
	for i := range d.mean {
		d.mean[i] /= total
		d.variance[i] = second[i]/total - d.mean[i]*d.mean[i]
	}
	for i := range d.below {
		d.below[i] /= total
	}
	d.log = top + math.Log(total)
	return d
}

// share returns the mass of sigma2 below a value.
func (d *dense) share(v float64) float64 {
	for i, s := range d.sigma2 {
		if s >= v {
			if i == 0 {
				return 0
			}
			f := math.Log(v/d.sigma2[i-1]) / math.Log(s/d.sigma2[i-1])
			return d.below[i-1] + f*(d.below[i]-d.below[i-1])
		}
	}
	return 1
}

// The moments are those of the lattice, whatever is known: few rows and many,
// groups alike and apart, a flat mu and one that the rows contradict.
func TestQuadrature(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	for _, c := range []struct {
		name       string
		prior      Prior
		k, rows    int // per group, on average
		apart, off float64
	}{
		{name: "five groups of two", prior: Prior{Tau2Shape: 3, Tau2Rate: 2, Sigma2Shape: 3, Sigma2Rate: 2}, k: 5, rows: 2, apart: 1},
		{name: "alike", prior: Prior{Tau2Shape: 3, Tau2Rate: .05, Sigma2Shape: 1, Sigma2Rate: 1}, k: 6, rows: 4},
		{name: "far apart", prior: Prior{Tau2Shape: 3, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}, k: 6, rows: 4, apart: 12},
		{name: "default prior", prior: Defaults().Prior, k: 12, rows: 5, apart: .7},
		{name: "many rows", prior: Defaults().Prior, k: 15, rows: 15, apart: .3},
		{name: "proper mu", prior: Prior{MuVariance: 2, Tau2Shape: 3, Tau2Rate: 2, Sigma2Shape: 3, Sigma2Rate: 2}, k: 5, rows: 3, apart: 1, off: 2},
		{name: "contradicted mu", prior: Prior{MuVariance: .01, Tau2Shape: 3, Tau2Rate: 2, Sigma2Shape: 3, Sigma2Rate: 2}, k: 5, rows: 3, apart: 1, off: 8},
		{name: "one group", prior: Prior{MuVariance: 1, Tau2Shape: 3, Tau2Rate: 2, Sigma2Shape: 3, Sigma2Rate: 2}, k: 1, rows: 2, apart: 1},
	} {
		y := make([][]float64, c.k)
		sh := rowsOf(nil)
		for j := range y {
			level := c.off + c.apart*rng.NormFloat64()
			for range max(1, c.rows/2+rng.IntN(c.rows+1)) {
				v := level + rng.NormFloat64()
				y[j] = append(y[j], v)
				sh.Group[0], sh.Y = append(sh.Group[0], int32(j)), append(sh.Y, v)
			}
		}
		sh.Rows = len(sh.Y)
		want := denseOf(c.prior, y, -13, 13, 900)
		m := newTest(t, c.prior)
		d := modeltest.Stepper{Model: m, Draws: drawsFor(20_000, c.k)}
		d.Must(t, sh, 1)
		var worst, worstSD, worstQ float64
		for i, r := range modeltest.Summarize(t, m, functionals(m)) {
			sd := math.Sqrt(want.variance[i])
			draws, _ := meanAndVariance(d.Draws.Row(i))
			if i == sigma2Row {
				for _, q := range [][2]float64{{r.Q025, .025}, {r.Q25, .25}, {r.Median, .5}, {r.Q75, .75}, {r.Q975, .975}} {
					worstQ = max(worstQ, math.Abs(want.share(q[0])-q[1]))
				}
			} else {
				worst, worstSD = max(worst, math.Abs(r.Mean-want.mean[i])/sd), max(worstSD, math.Abs(r.SD/sd-1))
			}
			if z := (draws - want.mean[i]) / sd; math.Abs(z) > 5/math.Sqrt(20_000) { // a false alarm in a million
				t.Errorf("%s: the draws of %d are off by %.2g sd", c.name, i, z)
			}
		}
		t.Logf("%-20s means %.1e sd, sds %.1e, mass below quantiles of sigma2 %.1e; %d points", c.name, worst, worstSD, worstQ, len(newGrid(m).cells))
		if worst > 1e-5 || worstSD > 1e-5 || worstQ > .002 {
			t.Errorf("%s: means are off by %v sd, sds by %v, quantiles of sigma2 by %v", c.name, worst, worstSD, worstQ)
		}
	}
}

// TestWideTails: the moments of few groups, whose laws fall slowly, are those of a
// grid that is twice as wide. With five groups and a = 1/2 the mean square of tau2
// is an integral over exp(-x/2).
func TestWideTails(t *testing.T) {
	m := newTest(t, Defaults().Prior)
	d := modeltest.Stepper{Model: m, Draws: drawsFor(100, 5)}
	d.Must(t, rowsOf([]int32{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, 1, 2, 4, 3, 5, 1.5, 2.5, 3, 3.5, 6), 1)
	second, total := 0.0, 0.0
	g := newGrid(m)
	for x := -30.; x < 90; x += .05 {
		n := g.at(&m.statistics, x)
		mass := math.Exp(n.log-g.shape*math.Log(n.rate)) * 1e9
		mean := n.rho * n.rate / (g.shape - 1)
		second += mass * mean * mean * (g.shape - 1) / (g.shape - 2)
		total += mass
	}
	if want := math.Sqrt(second/total - m.tau.mean*m.tau.mean); modeltest.Relative(m.tau.sd, want) > 1e-4 {
		t.Errorf("sd of tau2 is %v, want %v", m.tau.sd, want)
	}
}

func newGrid(m *Model) *grid {
	g := new(grid)
	g.fill(&m.statistics)
	return g
}

// TestFadingRows: whatever the prior, forgetting leaves a law, and a grid that is
// bounded. Under a flat prior of mu with alpha < 1/2 less than a row would not.
func TestFadingRows(t *testing.T) {
	for _, p := range []Prior{
		{Tau2Shape: .2, Tau2Rate: .1, Sigma2Shape: .2, Sigma2Rate: .1},
		{Tau2Shape: .01, Tau2Rate: .01, Sigma2Shape: .01, Sigma2Rate: .01},
		{Tau2Shape: 3, Tau2Rate: 3, Sigma2Shape: .001, Sigma2Rate: .001},
		{MuVariance: 1, Tau2Shape: .2, Tau2Rate: .1, Sigma2Shape: .2, Sigma2Rate: .1},
		{MuVariance: 1e-6, Tau2Shape: .01, Tau2Rate: .01, Sigma2Shape: .01, Sigma2Rate: .01},
		{MuVariance: 1e6, Tau2Shape: .001, Tau2Rate: .001, Sigma2Shape: .001, Sigma2Rate: .001},
		Defaults().Prior,
	} {
		for _, first := range []*cdf.Shard{rowsOf([]int32{0}, 1e3), rowsOf([]int32{0, 0, 1, 2}, 1, 2, 3, -40)} {
			d := newStepper(t, p, 3, 64, 3)
			d.Must(t, first, 1)
			widest, g := 0, new(grid)
			for len(d.m.n) > 0 && d.T < 25 {
				d.Must(t, rowsOf(nil), .4)
				g.fill(&d.m.statistics)
				widest = max(widest, len(g.cells))
				d.m.Retire()
			}
			rows := 0.0
			for _, n := range d.m.n {
				rows += n
			}
			if kept := p.MuVariance == 0 && p.Sigma2Shape < .5; widest >= most || kept != (math.Abs(rows-1) < 1e-12) || !kept && rows != 0 {
				t.Errorf("%+v: %v rows are left, the grid had %d cells", p, rows, widest)
			}
		}
	}
}
