package dlm

import (
	"bufio"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
)

// fixedGrid is the exact posterior on a fixed grid, one filter per node, written from
// the densities without the model's code: the oracle for the grid that moves.
type fixedGrid struct {
	prior            Prior
	low, high        [2]float64
	k                int
	eta, l           []float64
	m, v, sse, ld    []float64
	r, er, rr        []float64 // of a mean that is not known, else nil
	n                float64
	mean, sd         [5]float64 // phi, tau2, sigma2, theta, mu
	weight           []float64
	marginalEvidence float64
}

func newFixedGrid(p Prior, low, high [2]float64, k int) *fixedGrid {
	g := &fixedGrid{prior: p, low: low, high: high, k: k, weight: make([]float64, k*k)}
	for i := range k {
		at := float64(i) / float64(k-1)
		for j := range k {
			bt := float64(j) / float64(k-1)
			g.eta = append(g.eta, low[0]+at*(high[0]-low[0]))
			g.l = append(g.l, low[1]+bt*(high[1]-low[1]))
			g.m, g.v = append(g.m, 0), append(g.v, p.Theta0Variance)
			g.sse, g.ld = append(g.sse, 0), append(g.ld, 0)
		}
	}
	return g
}

// withMean makes the mean one that is not known.
func (g *fixedGrid) withMean() *fixedGrid {
	n := len(g.m)
	g.r, g.er, g.rr = make([]float64, n), make([]float64, n), make([]float64, n)
	return g
}

func (g *fixedGrid) discount(lambda float64) {
	g.n *= lambda
	for i := range g.sse {
		g.sse[i] *= lambda
		g.ld[i] *= lambda
		if g.r != nil {
			g.er[i] *= lambda
			g.rr[i] *= lambda
		}
	}
}

// step takes all observations of one step at once.
func (g *fixedGrid) step(y []float64) {
	mean, ss, n := 0.0, 0.0, float64(len(y))
	for _, v := range y {
		mean += v / n
	}
	for _, v := range y {
		ss += (v - mean) * (v - mean)
	}
	g.n += n
	for i := range g.m {
		phi, q := math.Tanh(g.eta[i]), math.Exp(g.l[i])
		m, p := phi*g.m[i], phi*phi*g.v[i]+q
		if n > 0 {
			f := p + 1/n
			e := mean - m
			g.sse[i] += e*e/f + ss
			g.ld[i] += math.Log(f) + math.Log(n)
			if g.r != nil {
				r := 1 - phi*(1-g.r[i])
				g.er[i] += e * r / f
				g.rr[i] += r * r / f
				g.r[i] = r - p/f*r
			}
			m, p = m+p/f*e, p/(n*f)
		} else if g.r != nil {
			g.r[i] = 1 - phi*(1-g.r[i])
		}
		g.m[i], g.v[i] = m, p
	}
}

func (g *fixedGrid) solve() {
	p := g.prior
	a := p.Sigma2Shape + p.Tau2Shape + g.n/2
	top := math.Inf(-1)
	// The precision of mu times sigma2, and its mean.
	mu := func(i int) (precision, mean, prior float64) {
		if g.r == nil {
			return 1, 0, 1
		}
		phi := math.Tanh(g.eta[i])
		prior = 1 + math.Exp(g.l[i])/(1-phi*phi)
		precision = 1/prior + g.rr[i]
		return precision, g.er[i] / precision, prior
	}
	b := func(i int) float64 {
		precision, mean, _ := mu(i)
		return p.Sigma2Rate + p.Tau2Rate*math.Exp(-g.l[i]) + (g.sse[i]-mean*mean*precision)/2
	}
	for i := range g.weight {
		phi := math.Tanh(g.eta[i])
		precision, _, prior := mu(i)
		w := math.Log(1-phi*phi) - p.Tau2Shape*g.l[i] - g.ld[i]/2 - math.Log(precision*prior)/2 - a*math.Log(b(i))
		if p.PhiVariance > 0 {
			w -= (phi - p.PhiMean) * (phi - p.PhiMean) / (2 * p.PhiVariance)
		}
		g.weight[i] = w
		top = max(top, w)
	}
	sum := 0.0
	var first, second [5]float64
	for i, w := range g.weight {
		w = math.Exp(w - top)
		sum += w
		s2, q := b(i)/(a-1), math.Exp(g.l[i])
		phi := math.Tanh(g.eta[i])
		precision, mean, _ := mu(i)
		theta, v := g.m[i], g.v[i]
		if g.r != nil {
			theta, v = theta+g.r[i]*mean, v+g.r[i]*g.r[i]/precision
		}
		x := [5]float64{phi, q * s2, s2, theta, mean}
		own := [5]float64{0, q * q * s2 * s2 / (a - 2), s2 * s2 / (a - 2), v * s2, s2 / precision}
		for k := range x {
			first[k] += w * x[k]
			second[k] += w * (x[k]*x[k] + own[k])
		}
	}
	cell := (g.high[0] - g.low[0]) * (g.high[1] - g.low[1]) / float64((g.k-1)*(g.k-1))
	lg, _ := math.Lgamma(a)
	g.marginalEvidence = top + math.Log(sum*cell) + lg - g.n/2*math.Log(2*math.Pi)
	for k := range first {
		g.mean[k] = first[k] / sum
		g.sd[k] = math.Sqrt(second[k]/sum - g.mean[k]*g.mean[k])
	}
}

// against returns the largest miss of the model's means in posterior sd and
// of its sds, relative.
func (g *fixedGrid) against(t testing.TB, m cdf.Model) (mean, sd float64) {
	t.Helper()
	g.solve()
	for k, r := range modeltest.Summarize(t, m, each(m.Params())) {
		mean = max(mean, math.Abs(r.Mean-g.mean[k])/g.sd[k])
		sd = max(sd, modeltest.Relative(r.SD, g.sd[k]))
	}
	return mean, sd
}

// readSeries returns column y of a data file, standardised by the mean and sd
// of its first n values.
func readSeries(t testing.TB, path string, n int) []float64 {
	t.Helper()
	f, err := os.Open(accept.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	records, err := csv.NewReader(bufio.NewReader(f)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var y []float64
	for _, r := range records[1:] {
		v, err := strconv.ParseFloat(r[1], 64)
		if err != nil {
			v = math.NaN()
		}
		y = append(y, v)
	}
	if n > 0 {
		y = y[:n]
	}
	var all Step
	for _, v := range y {
		if !math.IsNaN(v) {
			all.Add(v)
		}
	}
	sd := math.Sqrt(all.ss / (all.n - 1))
	for i := range y {
		y[i] = (y[i] - all.mean) / sd
	}
	return y
}

// series is an AR(1) level with noise; phi may change with the step.
type series struct {
	phi        func(step int) float64
	tau, sigma float64
	missing    float64 // share of steps
}

func constantly(phi float64) func(int) float64 { return func(int) float64 { return phi } }

func (s series) make(seed uint64, n int) (y, theta []float64) {
	r := rand.New(rand.NewPCG(seed, 77))
	x := 0.0
	for i := range n {
		x = s.phi(i+1)*x + s.tau*r.NormFloat64()
		v := x + s.sigma*r.NormFloat64()
		if s.missing > 0 && r.Float64() < s.missing {
			v = math.NaN()
		}
		y, theta = append(y, v), append(theta, x)
	}
	return y, theta
}

func rowsShard(y []float64) *cdf.Shard { return &cdf.Shard{Rows: len(y), Y: y, Forget: 1} }

// tracked is what a model says about theta along a series, a step per shard.
type tracked struct {
	coverage, length, mse float64
	phi                   map[int]float64 // its mean after a step
	rows                  []cdf.Row       // at the end
}

func track(t testing.TB, m cdf.Model, y, theta []float64, forget float64, draws int) tracked {
	t.Helper()
	d := modeltest.Stepper{Model: m}
	if draws > 0 {
		d.Draws = &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 4*draws)}
	}
	out := tracked{phi: map[int]float64{}}
	f, n := functionals(), float64(len(y))
	for i := range y {
		d.Must(t, rowsShard(y[i:i+1]), forget)
		rows := gridMoments(t, m, f)
		r := &rows[thetaRow]
		half := 1.96 * r.SD
		e := r.Mean - theta[i]
		if math.Abs(e) <= half {
			out.coverage += 1 / n
		}
		out.length += 2 * half / n
		out.mse += e * e / n
		out.phi[i+1], out.rows = rows[phiRow].Mean, rows
	}
	return out
}

// gridMoments summarises without the quantiles of the grid, which cost most.
func gridMoments(t testing.TB, m cdf.Model, f []cdf.Functional) []cdf.Row {
	t.Helper()
	g, ok := m.(*Model)
	if !ok {
		return modeltest.Summarize(t, m, f)
	}
	w := g.family.take()
	defer g.family.scratch.Put(w)
	if !w.weigh(&g.grid, &g.family.settings.Prior, g.n) {
		t.Fatal("weights")
	}
	w.mix.Reset(nil)
	rows := make([]cdf.Row, 4)
	rows[thetaRow].Mean, rows[thetaRow].SD = w.levels(&g.grid, 0, true)
	for k, p := range w.weight {
		rows[phiRow].Mean += p * g.grid.phi[k/nodes]
	}
	return rows
}
