package probit

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/cdf/rnd"
)

const (
	burnIn     = 20 // sweeps before the first draw of a key; later shards start from the last draws
	sweepRows  = 64 // rows of the window per pass: they stay in the cache between their two uses
	scoreRows  = 16 // rows that meet all draws at once
	startScale = .1 // of the prior's sd, spread of the chains at the start
)

// posterior is what follows from a step and is not part of the state:
// the law of beta given the latent variables is N(mean_s, cov) at draw s.
type posterior struct {
	cov   []float64 // p x p
	means []float64 // p x S
}

// outline makes do where no step has left a posterior: with the prior in a
// new model, with the draws, as laws without spread, in a restored one.
func (m *Model) outline() {
	clear(m.post.cov)
	if m.stage != stageNew {
		transpose(m.s, m.p, m.draws, m.post.means)
		return
	}
	clear(m.post.means)
	for j := range m.p {
		m.post.cov[j*m.p+j] = m.Variance(j)
	}
}

// sample runs the chains in lockstep, so that a pass over the window serves
// all of them:
//
//	t | beta    ~ N(xs'beta, 1) on t > 0, per row of the window
//	beta | t    ~ N(Sigma (xz + W't), Sigma),  Sigma^-1 = V0^-1 + xx + W'W
//
// with W the window. Statistics are fixed meanwhile. Each part of a shard has
// a random stream of its own, which follows from that of the shard.
func (m *Model) sample(s *cdf.Step, w *work) error {
	p, k := m.p, m.chains
	w.pcg.Seed(s.RNG.Uint64(), s.RNG.Uint64())
	if err := m.covariance(w); err != nil {
		return err
	}
	burn := m.start(w)
	for i := -burn; i < m.s/k; i++ {
		m.latent(w)
		lin.MulT(k, p, p, w.sum, m.post.cov, w.mean)
		copy(w.beta, w.mean)
		rnd.Normals(w.rng, w.noise)
		lin.AddTMul(p, k, p, w.noise, w.inverse, w.beta)
		if i < 0 {
			continue
		}
		for c := range k {
			at := c*(m.s/k) + i
			copy(lin.Row(m.draws, p, at), lin.Row(w.beta, p, c))
			for j, v := range lin.Row(w.mean, p, c) {
				m.post.means[j*m.s+at] = v
			}
		}
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

// covariance computes Sigma and the inverse of the factor of its inverse.
func (m *Model) covariance(w *work) error {
	p := m.p
	copy(w.precision, m.xx)
	for j := range p {
		w.precision[j*p+j] += 1 / m.Variance(j)
	}
	lin.AddGram(m.rows(), p, m.window.x, m.window.x, w.precision)
	if !lin.Cholesky(p, w.precision) {
		return errNumeric("precision not positive definite")
	}
	lin.InvertLower(p, w.precision, w.inverse)
	clear(m.post.cov)
	lin.AddGram(p, p, w.inverse, w.inverse, m.post.cov)
	lin.Mirror(p, m.post.cov)
	if !lin.Finite(m.post.cov...) {
		return errNumeric("covariance not finite")
	}
	return nil
}

// start places the chains: on their last draws, or, before the key's first
// row, near the prior mean. It returns the number of draws to drop.
func (m *Model) start(w *work) int {
	p, each := m.p, m.s/m.chains
	if m.stage == stageRows {
		for c := range m.chains {
			at := (c+1)*each - 1
			copy(lin.Row(w.beta, p, c), lin.Row(m.draws, p, at))
		}
		return 0
	}
	rnd.Normals(w.rng, w.beta)
	for i := range w.beta {
		w.beta[i] *= startScale * math.Sqrt(m.Variance(i%p))
	}
	return burnIn
}

// latent draws the latent variables at the present beta and leaves, per
// chain, xz + W't in w.sum.
func (m *Model) latent(w *work) {
	p, k := m.p, m.chains
	for c := range k {
		copy(lin.Row(w.sum, p, c), m.xz)
	}
	for x := m.window.x; len(x) > 0; {
		h := min(sweepRows, len(x)/p)
		lin.MulT(h, k, p, x[:h*p], w.beta, w.t)
		for i, mean := range w.t[:h*k] {
			w.t[i] = mean + rnd.NormalAbove(w.rng, -mean)
		}
		lin.AddTMul(h, k, p, w.t, x[:h*p], w.sum)
		x = x[h*p:]
	}
}

// work is scratch space, shared by all models of one configuration
// through a pool. Nothing in it survives the call that took it.
type work struct {
	beta, mean, sum []float64 // K x p
	noise           []float64 // p x K
	t               []float64 // sweepRows x K
	precision       []float64 // p x p, then its factor
	inverse         []float64 // p x p
	lines           []float64 // scoreRows x S: x'beta
	weighted        []float64 // scoreRows x p
	series          []float64 // S
	direction       []float64 // p
	joint           []float64 // functionals x (S + p)
	diag            mcmc.Diagnostics
	pcg             *rand.PCG
	rng             *rand.Rand // of pcg
}

// size makes room for p coefficients, k chains and s draws.
func (w *work) size(p, k, s int) {
	if len(w.beta) == k*p && len(w.series) == s {
		return
	}
	w.beta, w.mean, w.sum = make([]float64, k*p), make([]float64, k*p), make([]float64, k*p)
	w.noise, w.t = make([]float64, k*p), make([]float64, sweepRows*k)
	w.precision, w.inverse = make([]float64, p*p), make([]float64, p*p)
	w.lines, w.weighted = make([]float64, scoreRows*s), make([]float64, scoreRows*p)
	w.series, w.direction = make([]float64, s), make([]float64, p)
	w.pcg = rand.NewPCG(0, 0)
	w.rng = rand.New(w.pcg)
}
