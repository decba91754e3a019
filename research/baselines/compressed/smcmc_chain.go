package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// chainWork is scratch space, shared through a pool.
type chainWork struct {
	rows    []float64 // m x p: Phi
	fphi    []float64 // p x m: F Phi'
	w       []float64 // m x m: W, then its factor
	c       []float64 // m: Phi f
	beta    []float64 // m
	kb      []float64 // m: K beta
	sd      []float64 // m: square roots of kappa
	away    []float64 // m: |Phi - Phi0|^2 by row of Phi
	g, u    []float64 // p: gamma = Phi'beta; F gamma
	predict []float64 // draws of x'gamma of some rows
}

func (m *smcmc) work() *chainWork {
	w := m.scratch.Get().(*chainWork)
	if p, k := m.p, m.set.Dimension; len(w.g) != p {
		*w = chainWork{
			rows: make([]float64, k*p), fphi: make([]float64, p*k), w: make([]float64, k*k),
			c: make([]float64, k), beta: make([]float64, k), kb: make([]float64, k), sd: make([]float64, k), away: make([]float64, k),
			g: make([]float64, p), u: make([]float64, p),
		}
	}
	return w
}

// sweep moves the chain through {sigma2, beta}, with Phi given and beta
// integrated out of the first, the columns of Phi in turn, and K. It leaves
// gamma in w.g and returns sigma2.
func (m *smcmc) sweep(r *rand.Rand, w *chainWork) (sigma2 float64, err error) {
	if sigma2, err = m.drawBeta(r, w); err != nil {
		return 0, err
	}
	m.drawColumns(r, w, sigma2)
	p := float64(m.p)
	for i, e := range w.away {
		m.k[i] = min(max(rnd.InvGamma(r, (1+p)/2, (1+e)/2), 1e-8), 1e8)
	}
	if !lin.Finite(w.g...) || !lin.Finite(m.phi...) {
		return 0, fmt.Errorf("%w: smcmc: draw not finite", cdf.ErrNumeric)
	}
	return sigma2, nil
}

// drawBeta draws sigma2 given Phi and beta given both:
//
//	W = Phi F Phi' + I/v,  mu = W^{-1} Phi f,  b1 = F^yy - (Phi f)'mu
//	sigma2 ~ IG(a + N/2, b + b1/2),  beta ~ N(mu, sigma2 W^{-1})
//
// and leaves F Phi' in w.fphi.
func (m *smcmc) drawBeta(r *rand.Rand, w *chainWork) (sigma2 float64, err error) {
	p, k, prior := m.p, m.set.Dimension, &m.set.Prior
	for j := range p {
		for i, v := range lin.Row(m.phi, k, j) {
			w.rows[i*p+j] = v
		}
	}
	lin.MulT(p, k, p, m.xx, w.rows, w.fphi)
	clear(w.w)
	lin.AddGram(p, k, m.phi, w.fphi, w.w)
	for i := range k {
		w.w[i*k+i] += 1 / prior.BetaVariance
		w.c[i] = lin.Dot(lin.Row(w.rows, p, i), m.xy)
	}
	if !lin.Cholesky(k, w.w) {
		return 0, fmt.Errorf("%w: smcmc: precision of beta not positive definite", cdf.ErrNumeric)
	}
	// With W = LL' and s = L^{-1} Phi f: b1 = F^yy - s's, and
	// beta = L^{-T} (s + sigma z).
	lin.SolveLower(k, w.w, w.c)
	b1 := max(m.yy-lin.Dot(w.c, w.c), 0)
	sigma2 = rnd.InvGamma(r, prior.Sigma2Shape+m.n/2, prior.Sigma2Rate+b1/2)
	sigma := math.Sqrt(sigma2)
	for i, s := range w.c {
		w.beta[i] = s + float64(sigma*r.NormFloat64())
	}
	lin.SolveLowerT(k, w.w, w.beta)
	return sigma2, nil
}

// drawColumns draws Phi_1 .. Phi_p in turn. The likelihood sees a column only
// through g_j = Phi_j'beta, so that g_j is drawn first, with v = beta'K beta,
//
//	g_j ~ N(((f_j - sum_{l != j} F_jl g_l)/sigma2 + Phi0_j'beta/v)/pr, 1/pr),
//	pr = F_jj/sigma2 + 1/v,
//
// and Phi_j given g_j by conditioning a draw of its prior:
//
//	Phi_j = u + K beta (g_j - beta'u)/v,  u ~ N(Phi0_j, K)
//
// It leaves gamma in w.g and the distances to Phi0 in w.away.
func (m *smcmc) drawColumns(r *rand.Rand, w *chainWork, sigma2 float64) {
	p, k := m.p, m.set.Dimension
	for i, b := range w.beta {
		w.kb[i], w.sd[i] = m.k[i]*b, math.Sqrt(m.k[i])
	}
	v := max(lin.Dot(w.kb, w.beta), 1e-12)
	for j := range p {
		w.g[j] = lin.Dot(lin.Row(m.phi, k, j), w.beta)
		w.u[j] = lin.Dot(lin.Row(w.fphi, k, j), w.beta)
	}
	clear(w.away)
	for j := range p {
		row := lin.Row(m.xx, p, j)
		phi, phi0 := lin.Row(m.phi, k, j), lin.Row(m.phi0, k, j)
		precision := row[j]/sigma2 + 1/v
		rest := m.xy[j] - (w.u[j] - float64(row[j]*w.g[j]))
		g := (rest/sigma2+lin.Dot(phi0, w.beta)/v)/precision + r.NormFloat64()/math.Sqrt(precision)
		lin.Axpy(g-w.g[j], row, w.u)
		w.g[j] = g
		for i := range phi {
			phi[i] = phi0[i] + float64(w.sd[i]*r.NormFloat64())
		}
		lin.Axpy((g-lin.Dot(phi, w.beta))/v, w.kb, phi)
		for i, x := range phi {
			e := x - phi0[i]
			w.away[i] += float64(e * e)
		}
	}
}

// predictRows is the number of rows whose lines are in memory at once.
const predictRows = 64

// Predict describes a new observation by its moments over the draws: normal
// with mean x'E gamma and variance E sigma2 + Var x'gamma.
func (m *smcmc) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.work()
	defer m.scratch.Put(w)
	p, s := m.p, m.s
	if len(w.predict) != predictRows*s {
		w.predict = make([]float64, predictRows*s)
	}
	noise, _ := moments(m.sigma2)
	for i := 0; i < sh.Rows; i += predictRows {
		h := min(predictRows, sh.Rows-i)
		lin.MulT(h, s, p, sh.X[i*p:(i+h)*p], m.gamma, w.predict)
		for j := range h {
			mean, v := moments(lin.Row(w.predict, s, j))
			out[i+j] = predictNormal(mean, noise, v, sh.Y[i+j])
		}
	}
	return nil
}

// Score scores the rows that have a response by their predictions. The
// generator is not used.
func (m *smcmc) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return scoreByPredictions("smcmc", sh, m.Predict)
}

// moments returns mean and variance of draws; one draw has the variance 0.
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(max(len(x)-1, 1))
	}
	return mean, variance
}
