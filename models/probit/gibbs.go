package probit

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/collinear"
)

const (
	burnIn    = 20 // sweeps before the first draw of a key, or of more rows than all before; other shards start from the last draws
	scoreRows = 24 // rows that meet all draws at once
)

// While the chains disagree, they go on with twice as many sweeps for each draw.
const (
	mixedRHat  = 1.05
	mostSweeps = 8 // for a draw
)

// posterior is what follows from a step and is not part of the state:
// the law of beta given the latent variables is N(mean_s, cov) at draw s.
type posterior struct {
	cov   []float64 // p x p
	means []float64 // p x S
	// together are columns that determine each other.
	together []int
}

// outline makes do where no step has left a posterior: with the prior in a
// new model, with the draws, as laws without spread, in a restored one.
func (m *Model) outline() {
	clear(m.post.cov)
	m.post.together = m.post.together[:0]
	if m.stage != stageNew {
		vec.Transpose(m.s, m.p, m.draws, m.p, m.post.means, m.s)
		return
	}
	clear(m.post.means)
	for j := range m.p {
		m.post.cov[j*m.p+j] = m.Variance(j)
	}
	m.levels.AddVariance(m.p, m.prior.BetaVariance, m.post.cov)
}

// sample runs the chains in lockstep, so that a pass over the window serves
// all of them:
//
//	t | beta    ~ N(xs'beta, 1) on t > 0, per row of the window
//	beta | t    ~ N(Sigma (xz + W't), Sigma),  Sigma^-1 = V0^-1 + xx + W'W
//
// with W the window. Statistics are fixed meanwhile. Between the two all t of a
// chain are scaled by a common factor (rescale). Each part of a shard has
// a random stream of its own, which follows from that of the shard.
func (m *Model) sample(s *cdf.Step, w *work) error {
	w.pcg.Seed(s.RNG.Uint64(), s.RNG.Uint64())
	w.lanes.Seed(w.rng)
	burn, err := m.start(w)
	if err != nil {
		return err
	}
	if err := m.covariance(w); err != nil {
		return err
	}
	lin.MulT(1, m.p, m.p, m.xz, m.post.cov, w.rest)
	for range burn {
		m.sweep(w)
	}
	m.record(w, 0, 1)
	for sweeps := 2; sweeps <= mostSweeps && !m.mixed(w); sweeps *= 2 {
		m.record(w, m.thin(), sweeps)
	}
	m.stage = max(m.stage, stagePrior)
	if m.rows() > 0 {
		m.stage = stageRows
	}
	if !lin.Finite(m.draws...) || !lin.Finite(m.post.means...) {
		return errNumeric("draws not finite")
	}
	return nil
}

// sweep draws the latent variables and the coefficients of all chains once.
func (m *Model) sweep(w *work) {
	p, k := m.p, m.chains
	m.latent(w)
	lin.Mul(p, k, p, m.post.cov, w.sum, w.mean)
	m.rescale(w)
	copy(w.beta, w.mean)
	w.lanes.Normals(w.rng, w.noise)
	lin.AddTMul(p, p, k, w.inverse, w.noise, w.beta)
}

// thin keeps every second draw of each chain and returns how many these are.
func (m *Model) thin() int {
	p, each := m.p, m.s/m.chains
	for c := range m.chains {
		for i := range each / 2 {
			to, from := c*each+i, c*each+2*i+1
			copy(lin.Row(m.draws, p, to), lin.Row(m.draws, p, from))
			for j := range p {
				m.post.means[j*m.s+to] = m.post.means[j*m.s+from]
			}
		}
	}
	return each / 2
}

// record makes the draws from the ith of each chain on, with some sweeps for
// each.
func (m *Model) record(w *work, i, sweeps int) {
	p, k, each := m.p, m.chains, m.s/m.chains
	for ; i < each; i++ {
		for range sweeps {
			m.sweep(w)
		}
		for j := range p {
			for c, v := range lin.Row(w.beta, k, j) {
				at := c*each + i
				m.draws[at*p+j] = v
				m.post.means[j*m.s+at] = w.mean[j*k+c]
			}
		}
	}
}

// mixed reports whether the chains agree on every coefficient.
func (m *Model) mixed(w *work) bool {
	for j := 0; j < m.p; j += scoreRows {
		h := min(scoreRows, m.p-j)
		vec.Transpose(m.s, h, m.draws[j:], m.p, w.lines, m.s)
		for c := range h {
			if w.diag.RHat(lin.Row(w.lines, m.s, c), m.chains) > mixedRHat {
				return false
			}
		}
	}
	return true
}

// rescale multiplies the latent variables of each chain by a factor g, which is
// drawn from its law given their directions, the coefficients integrated out:
//
//	g^(n-1) exp(-a g^2 / 2 + b g),  a = t't - s' Sigma s,  b = xz' Sigma s,  s = W't
//
// With rare events, or a flat prior of the intercept, beta hardly moves given t,
// and this moves both (Liu and Wu, JASA 94, 1999). What follows from t is the
// conditional mean of beta: w.mean, which is Sigma xz + g Sigma s.
func (m *Model) rescale(w *work) {
	n := m.rows()
	if n == 0 {
		return
	}
	p, k := m.p, m.chains
	a, b := w.square, w.linear
	clear(b)
	for j := range p {
		rest, xz, sum := w.rest[j], m.xz[j], lin.Row(w.sum, k, j)
		for c, v := range lin.Row(w.mean, k, j) {
			moved := v - rest
			a[c] -= (sum[c] - xz) * moved
			b[c] += xz * moved
		}
	}
	g := w.factors
	for c := range g {
		g[c] = factor(w.rng, float64(n), a[c], b[c])
	}
	for j := range p {
		rest, mean := w.rest[j], lin.Row(w.mean, k, j)
		for c, v := range mean {
			mean[c] = rest + g[c]*(v-rest)
		}
	}
}

// factor draws g > 0 with the density g^(n-1) exp(-a g^2/2 + b g), a > 0. The second
// derivative of its logarithm is at most -a, so a normal law of that precision
// around its mode covers it.
func factor(rng *rand.Rand, n, a, b float64) float64 {
	mode := (b + math.Sqrt(b*b+4*a*(n-1))) / (2 * a)
	if !(a > 0) || !(mode > 0) || math.IsInf(mode, 0) {
		return 1 // the rows are explained without rest: rounding decides
	}
	sd := 1 / math.Sqrt(a)
	for {
		d := sd * rng.NormFloat64()
		g := mode + d
		if g <= 0 {
			continue
		}
		log := (n-1)*math.Log(g/mode) - a*(g*g-mode*mode)/2 + b*d + a*d*d/2
		if log >= 0 {
			return g
		}
		// e^log is more than 1 + log, which nearly always is enough to tell.
		if u := rng.Float64(); u < 1+log-1e-15 || u < math.Exp(log) {
			return g
		}
	}
}

// covariance computes Sigma and the inverse of the factor of its inverse.
func (m *Model) covariance(w *work) error {
	p := m.p
	copy(w.precision, m.xx)
	m.addPrecision(1, w.precision)
	lin.AddGram(m.rows(), p, m.window.x, m.window.x, w.precision)
	m.tellApart(w)
	if !lin.FactorInverse(p, w.precision, w.inverse) {
		return errNumeric("precision not positive definite")
	}
	clear(m.post.cov)
	lin.AddGram(p, p, w.inverse, w.inverse, m.post.cov)
	lin.Mirror(p, m.post.cov)
	if !lin.Finite(m.post.cov...) {
		return errNumeric("covariance not finite")
	}
	return nil
}

// tellApart looks in the rows' part of the precision for columns that determine each
// other: the signs of rows cancel there. The inverse is scratch.
func (m *Model) tellApart(w *work) {
	p := m.p
	copy(w.inverse, w.precision)
	m.addPrecision(-1, w.inverse)
	m.post.together = w.apart.AppendGram(m.post.together[:0], w.inverse, p, p, m.intercept, m.classes.rows())
}

// AppendCollinear implements cdf.Collinear.
func (m *Model) AppendCollinear(dst []int) []int { return append(dst, m.post.together...) }

// start places the chains: on their last draws, or, before the key's first
// row, by Laplace's law around the mode. It returns the number of sweeps to drop.
// Draws given fewer rows than came since are spread too far, and not about the
// mode: of 20 rows, with 200 to come, sds were up to 1.46 times as large.
func (m *Model) start(w *work) (burn int, err error) {
	p, k, each := m.p, m.chains, m.s/m.chains
	if m.stage == stageRows {
		for c := range k {
			at := (c+1)*each - 1
			for j, v := range lin.Row(m.draws, p, at) {
				w.beta[j*k+c] = v
			}
		}
		if m.grown {
			return burnIn, nil
		}
		return 0, nil
	}
	mode := w.mean[:p]
	if err := m.mode(mode, w); err != nil {
		return 0, err
	}
	repeat(k, mode, w.beta)
	w.lanes.Normals(w.rng, w.noise)
	lin.AddTMul(p, p, k, w.inverse, w.noise, w.beta)
	return burnIn, nil
}

// latent draws the latent variables at the present beta and leaves, per
// chain, xz + W't in w.sum and t't in w.square.
func (m *Model) latent(w *work) {
	p, k := m.p, m.chains
	repeat(k, m.xz, w.sum)
	clear(w.square)
	for x := m.window.x; len(x) > 0; {
		h := min(sweepRows(p, k), len(x)/p)
		lin.Mul(h, k, p, x, w.beta, w.t)
		w.lanes.Positive(w.rng, w.t[:h*k])
		lin.AddTMulSquares(h, p, k, x, w.t, w.sum, w.square)
		x = x[h*p:]
	}
}

// sweepRows is the number of rows of the window per pass: they, and their latent variables,
// stay in a cache of 256 KiB between their two uses. A multiple of 16 fills the lanes, so
// that no draw depends on it.
func sweepRows(p, k int) int { return min(max(48, 16384/(p+k)), 256) &^ 15 }

// repeat writes k copies of every entry of x into dst, side by side.
func repeat(k int, x, dst []float64) {
	for j, v := range x {
		row := lin.Row(dst, k, j)
		for c := range row {
			row[c] = v
		}
	}
}

// work is scratch space, shared by all models of one configuration
// through a pool. Nothing in it survives the call that took it.
type work struct {
	beta, mean, sum []float64 // p x K, so that the chains are one vector
	noise           []float64 // p x K
	square, linear  []float64 // K: t't, then what rescale says of them
	factors         []float64 // K
	rest            []float64 // p: Sigma xz
	gradient        []float64 // p
	t               []float64 // rows of a pass x K
	precision       []float64 // p x p, then its factor
	inverse         []float64 // p x p
	apart           collinear.Finder
	newest          disagreement
	lines           []float64 // scoreRows x S: x'beta, or draws of coefficients
	across          across
	block, weighted []float64 // scoreRows x p
	fresh           []float64 // rows x p
	rows            []int     // of the window
	stay            []bool    // of each of them
	series          []float64 // S
	direction       []float64 // p
	joint           []float64 // functionals x (S + p)
	diag            mcmc.Diagnostics
	pcg             *rand.PCG
	rng             *rand.Rand // of pcg
	lanes           rnd.Lanes
}

// size makes room for p coefficients, k chains and s draws.
func (w *work) size(p, k, s int) {
	if len(w.beta) == k*p && len(w.series) == s {
		return
	}
	w.beta, w.mean, w.sum = make([]float64, k*p), make([]float64, k*p), make([]float64, k*p)
	w.square, w.linear, w.factors = make([]float64, k), make([]float64, k), make([]float64, k)
	w.rest, w.gradient = make([]float64, p), make([]float64, p)
	w.noise, w.t = make([]float64, k*p), make([]float64, sweepRows(p, k)*k)
	w.precision, w.inverse = make([]float64, p*p), make([]float64, p*p)
	w.lines = make([]float64, scoreRows*s)
	w.across.size(p)
	w.block, w.weighted = make([]float64, scoreRows*p), make([]float64, scoreRows*p)
	w.series, w.direction = make([]float64, s), make([]float64, p)
	w.pcg = rand.NewPCG(0, 0)
	w.rng = rand.New(w.pcg)
}
