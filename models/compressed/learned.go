package compressed

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Learned is compressed regression by conditional density
// filtering, the projection learnt with the coefficients:
//
//	y_r | Phi, beta, sigma2 ~ N((Phi x_r)' beta, sigma2)
//	beta | sigma2 ~ N(0, sigma2 v I_m),  sigma2 ~ IG(a, b)
//	Phi_j ~ N_m(Phi0_j, K),  K = diag(kappa),  kappa_i ~ IG(1/2, 1/2)
//
// Theta_1 = {beta, sigma2} has the statistics C11 = sum P'P, C12 = sum P'y at
// the estimate of Phi of each shard's time, P = X Phi^'. Theta_2 = {Phi, K}
// has one set of statistics per column, of what the other columns leave of the
// shard's response at the estimates of its time: packed ones, m x m, or lean
// ones, two numbers. Older shards, absorbed at worse estimates, count
// (N before / N)^a1 and ^a2. Only gamma = Phi'beta and sigma2 are identified.
//
// The variant `paper` is the packed one without the discounts and without the
// Rao-Blackwell step. The statistic that the paper prints for Theta_2 treats
// all columns as one and is not offered.
//
// Source: arXiv:1401.3632, section on compressed regression.
type Learned struct {
	Shape
	m           int
	lean, paper bool

	n, weight, yy float64   // rows absorbed; rows and y'y, discounted
	c11           []float64 // lower triangle, row by row
	c12           []float64 // m
	// c21 and c22 are, per column, m(m+1)/2 and m numbers: sums of q beta beta'
	// and of beta times the column's product with its residual, q = x_j'x_j.
	// Lean: the sums without beta, one number each.
	c21, c22        []float64
	phi             []float64 // p x m: estimate of Phi, a row per column of X
	kappa, chain    []float64 // m: estimate of K; its chain's present value
	ybar, responses float64   // running mean of the response and its weight
	sums            prequential

	failed error
	ready  bool
	l      []float64 // m x m, lower: LL' = C11 + I/v
	beta   []float64 // m
	b1     float64   // sum of squares that Theta_1 leaves
	sigma2 float64   // mode of sigma2
	gamma  []float64 // p: Phi^'beta^
	own    []float64 // p: variance of gamma_j that is its column's own

	law     dist.Standard
	scratch *sync.Pool
}

func newLearned(s Settings, paper bool, d cdf.Dims, scratch *sync.Pool) (*Learned, error) {
	shape, err := NewShape(s, d)
	if err != nil {
		return nil, err
	}
	k, p := s.Dimension, shape.P
	m := &Learned{Shape: shape, m: k, lean: s.Statistics == "lean", paper: paper, scratch: scratch}
	m.c11, m.c12 = make([]float64, k*(k+1)/2), make([]float64, k)
	m.c21, m.c22 = make([]float64, p*m.width21()), make([]float64, p*m.width22())
	m.phi, m.kappa, m.chain = make([]float64, p*k), make([]float64, k), make([]float64, k)
	m.l, m.beta, m.gamma, m.own = make([]float64, k*k), make([]float64, k), make([]float64, p), make([]float64, p)
	w := m.work()
	copy(m.phi, w.phi0)
	scratch.Put(w)
	for i := range k {
		m.kappa[i], m.chain[i] = 1, 1
	}
	return m, nil
}

// width21 and width22 are the numbers of c21 and c22 per column.
func (m *Learned) width21() int {
	if m.lean {
		return 1
	}
	return m.m * (m.m + 1) / 2
}

func (m *Learned) width22() int {
	if m.lean {
		return 1
	}
	return m.m
}

// Blocks returns one block: many rows are taken in several passes, each of
// which updates Theta_1 and then Theta_2.
func (m *Learned) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb takes the rows that have a response through both groups of
// parameters; one giant shard would see the columns one by one only.
func (m *Learned) Absorb(s *cdf.Step) {
	m.failed = nil
	w := m.work()
	defer m.scratch.Put(w)
	if s.Shard.Observed() > 0 {
		m.failed = passes(s, m.most(), w.x, w.y, func(n int, forget float64) error { return m.pass(w, s, n, forget) })
	} else if s.Forget < 1 && m.n > 0 {
		m.failed = m.pass(w, s, 0, s.Forget)
	}
}

// most is the number of rows that one pass takes.
func (m *Learned) most() int { return max(100, m.P) }

// Sample draws where draws are asked for.
func (m *Learned) Sample(s *cdf.Step) error {
	if m.failed != nil {
		return m.failed
	}
	if !m.loadable() {
		return errLearned("statistics not finite")
	}
	if s.Draws != nil {
		return m.draw(s)
	}
	return nil
}

// passes takes the rows of a shard that have a response in as many passes as
// have at most the given number of rows, the first of which discounts.
func passes(s *cdf.Step, most int, x, y []float64, pass func(n int, forget float64) error) error {
	n := s.Shard.Observed()
	count := (n + most - 1) / most
	forget, row := s.Forget, 0
	for k := range count {
		take := n*(k+1)/count - n*k/count
		fillRows(s.Shard, &row, take, x, y)
		if err := pass(take, forget); err != nil {
			return err
		}
		forget = 1
	}
	return nil
}

// fillRows copies the next n rows that have a response.
func fillRows(sh *cdf.Shard, row *int, n int, x, y []float64) {
	p := sh.Cols
	for k := 0; k < n; *row++ {
		if v := sh.Y[*row]; !math.IsNaN(v) {
			copy(lin.Row(x, p, k), sh.X[*row*p:(*row+1)*p])
			y[k] = v
			k++
		}
	}
}

// pass takes n rows through both groups.
func (m *Learned) pass(w *learnedWork, s *cdf.Step, n int, forget float64) error {
	if err := m.prepare(w); err != nil {
		return err
	}
	x, y := w.x[:n*m.P], w.y[:n]
	m.review(x, y, forget)
	m.ready = false
	before := m.n
	m.n += float64(n)
	share := before / m.n
	m.absorb1(w, x, y, forget*math.Pow(share, m.settings.Discount[0]))
	if err := m.solve1(w); err != nil {
		return err
	}
	m.absorb2(w, x, y, forget*math.Pow(share, m.settings.Discount[1]))
	return m.estimate2(w, s)
}

// review compares the predictions of the rows with the running mean.
func (m *Learned) review(x, y []float64, forget float64) {
	m.sums.discount(forget)
	m.responses *= forget
	sum := 0.
	for i, v := range y {
		if m.n > 0 {
			m.sums.add(v-lin.Dot(lin.Row(x, m.P, i), m.gamma), v-m.ybar)
		}
		sum += v - m.ybar
	}
	if len(y) > 0 {
		m.responses += float64(len(y))
		m.ybar += sum / m.responses
	}
}

// absorb1 adds P'P, P'y and y'y, P = X Phi^' at the estimate before the shard.
func (m *Learned) absorb1(w *learnedWork, x, y []float64, d float64) {
	k := m.m
	lin.Scale(d, m.c11)
	lin.Scale(d, m.c12)
	m.yy *= d
	m.weight = d*m.weight + float64(len(y))
	for i, v := range y {
		q := w.u
		clear(q)
		for j, z := range lin.Row(x, m.P, i) {
			lin.Axpy(z, lin.Row(m.phi, k, j), q)
		}
		lin.Axpy(v, q, m.c12)
		m.yy += float64(v * v)
		for a, at := 0, 0; a < k; a++ {
			lin.Axpy(q[a], q[:a+1], m.c11[at:at+a+1])
			at += a + 1
		}
	}
}

// solve1 settles beta^ and the law of sigma2:
//
//	W = C11 + I/v,  beta^ = W^{-1} C12,  b1 = y'y - C12'beta^,
//	sigma2 ~ IG(a + N/2, b + b1/2), its mode the estimate.
func (m *Learned) solve1(w *learnedWork) error {
	k, prior := m.m, &m.settings.Prior
	for a, at := 0, 0; a < k; a++ {
		copy(w.q[a*k:], m.c11[at:at+a+1])
		w.q[a*k+a] += 1 / prior.BetaVariance
		at += a + 1
	}
	if !factorJitter(k, w.q, m.l) {
		return errLearned("precision of beta not positive definite")
	}
	copy(m.beta, m.c12)
	lin.SolveLower(k, m.l, m.beta)
	lin.SolveLowerT(k, m.l, m.beta)
	m.b1 = max(m.yy-lin.Dot(m.c12, m.beta), 0)
	m.sigma2 = (prior.Sigma2Rate + m.b1/2) / (prior.Sigma2Shape + m.weight/2 + 1)
	if !lin.Finite(m.beta...) || !(m.sigma2 > 0) || math.IsInf(m.sigma2, 1) {
		return errLearned("estimate not finite")
	}
	return nil
}

// factorJitter writes the Cholesky factor of a, of order k, to dst, with a
// little on the diagonal where rounding has made a indefinite.
func factorJitter(k int, a, dst []float64) bool {
	copy(dst[:k*k], a[:k*k])
	if lin.Cholesky(k, dst) {
		return true
	}
	trace := 0.
	for i := range k {
		trace += a[i*k+i]
	}
	copy(dst[:k*k], a[:k*k])
	for i := range k {
		dst[i*k+i] += 1e-10 * trace / float64(k)
	}
	return lin.Cholesky(k, dst)
}

// absorb2 adds what each column explains of the residual at the new beta^ and
// the old Phi^: x_j'(y - sum_{l != j} x_l gamma_l) = x_j'e + q gamma_j.
func (m *Learned) absorb2(w *learnedWork, x, y []float64, d float64) {
	lin.Scale(d, m.c21)
	lin.Scale(d, m.c22)
	p, k := m.P, m.m
	for j := range p {
		m.gamma[j] = lin.Dot(lin.Row(m.phi, k, j), m.beta)
	}
	q, xe := w.square, w.product
	clear(q)
	clear(xe)
	for i, v := range y {
		row := lin.Row(x, p, i)
		e := v - lin.Dot(row, m.gamma)
		for j, z := range row {
			q[j] += float64(z * z)
		}
		lin.Axpy(e, row, xe)
	}
	for j := range p {
		r := xe[j] + float64(q[j]*m.gamma[j])
		if m.lean {
			m.c21[j] += q[j]
			m.c22[j] += r
			continue
		}
		c := lin.Row(m.c21, m.width21(), j)
		for a, at := 0, 0; a < k; a++ {
			lin.Axpy(float64(q[j]*m.beta[a]), m.beta[:a+1], c[at:at+a+1])
			at += a + 1
		}
		lin.Axpy(r, m.beta, lin.Row(m.c22, k, j))
	}
}

// innerDraws and innerBurn are the sweeps over Phi and K per pass. Only K
// mixes, and its chain goes on from shard to shard.
const (
	innerDraws = 30
	innerBurn  = 5
)

// estimate2 runs the chain of {Phi, K} and settles their estimates: Phi^ is
// the mean over the chain of the conditional mean given K, or of the draws
// themselves where the variant is the paper's. K^ is the inverse of the mean
// of K^{-1}, in which the conditionals are linear: kappa has no mean where the
// columns are few.
func (m *Learned) estimate2(w *learnedWork, s *cdf.Step) error {
	k := m.m
	w.sweep.begin(m)
	mean, kappa := w.mean, w.kappa
	clear(mean)
	clear(kappa)
	for i := range innerBurn + innerDraws {
		if i >= innerBurn {
			for a, v := range m.chain {
				kappa[a] += 1 / (innerDraws * v)
			}
		}
		if !w.sweep.run(m, w, s, m.chain) {
			return errLearned("precision of the projection not positive definite")
		}
		if i < innerBurn {
			continue
		}
		if m.paper {
			lin.Axpy(1./innerDraws, w.draw, mean)
		} else {
			lin.Axpy(1./innerDraws, w.center, mean)
		}
	}
	copy(m.phi, mean)
	for a, v := range kappa {
		m.kappa[a] = 1 / v
	}
	if !lin.Finite(m.phi...) || !lin.Finite(m.kappa[:k]...) || !lin.Finite(m.c21...) || !lin.Finite(m.c22...) {
		return errLearned("projection not finite")
	}
	return nil
}

// draw draws from what is published: beta given sigma2, and Phi_j about Phi^_j
// with its covariance at K^, gamma = Phi'beta. The moments of these draws are
// the published ones; draws of the chain itself would wander about them by
// the error of its few sweeps.
func (m *Learned) draw(s *cdf.Step) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	d, k := s.Draws, m.m
	shape, rate := m.sigmaLaw()
	sigma2 := d.Row(m.P)
	w.betas = lin.Grow(w.betas, k*d.S)
	for i := range d.S {
		sigma2[i] = rnd.InvGamma(s.RNG, shape, rate)
		beta := lin.Row(w.betas, k, i)
		rnd.Normals(s.RNG, beta)
		lin.SolveLowerT(k, m.l, beta)
		for a, v := range beta {
			beta[a] = m.beta[a] + float64(math.Sqrt(sigma2[i])*v)
		}
	}
	w.sweep.begin(m)
	var line lean
	if m.lean {
		line = m.line(m.kappa, w.u)
	}
	for j := range m.P {
		phi0 := lin.Row(w.phi0, k, j)
		if m.lean {
			line.column(m, j, phi0, w.v)
		} else if !w.sweep.column(m, w, j, phi0, m.kappa, w.v) {
			return errLearned("precision of the projection not positive definite")
		}
		row := d.Row(j)
		for i := range row {
			phi := w.draw[:k]
			if m.lean {
				line.draw(m, j, s.RNG, phi0, m.kappa, phi)
			} else {
				w.sweep.draw(w, s.RNG, w.v, phi)
			}
			for a := range phi {
				phi[a] += m.phi[j*k+a] - w.v[a]
			}
			row[i] = lin.Dot(phi, lin.Row(w.betas, k, i))
		}
	}
	return nil
}

// sigmaLaw returns shape and rate of sigma2.
func (m *Learned) sigmaLaw() (shape, rate float64) {
	return m.settings.Prior.Sigma2Shape + m.weight/2, m.settings.Prior.Sigma2Rate + m.b1/2
}
