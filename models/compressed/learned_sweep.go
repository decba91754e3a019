package compressed

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/compressed/projection"
)

// learnedWork is scratch space, shared through a pool. phi0 is a function of
// the settings and p, and is kept here instead of in every model.
type learnedWork struct {
	p               int
	x, y            []float64 // rows of a pass
	phi0            []float64 // p x m
	square, product []float64 // p
	u, v            []float64 // m
	q, s            []float64 // m x m
	mean, draw      []float64 // p x m: sum over the chain, one draw
	center          []float64 // p x m: conditional mean of a sweep
	kappa           []float64 // m
	betas           []float64 // S x m
	deviation       []float64 // m
	sweep           sweep
}

func newLearnedScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(learnedWork) }} }

func (m *Learned) work() *learnedWork {
	w := m.scratch.Get().(*learnedWork)
	if w.p == m.P {
		return w
	}
	p, k, most := m.P, m.m, m.most()
	*w = learnedWork{p: p}
	w.x, w.y = make([]float64, most*p), make([]float64, most)
	w.square, w.product = make([]float64, p), make([]float64, p)
	w.u, w.v, w.kappa, w.deviation = make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	w.q, w.s = make([]float64, k*k), make([]float64, k*k)
	w.mean, w.draw, w.center = make([]float64, p*k), make([]float64, p*k), make([]float64, p*k)
	w.phi0 = projection.Orthonormal(m.settings.ProjectionSeed, k, p)
	return w
}

// sweep draws Phi given K and K given Phi at fixed statistics.
type sweep struct {
	inverse float64 // 1/sigma2^
}

func (s *sweep) begin(m *Learned) { s.inverse = 1 / m.sigma2 }

// run fills w.center and w.draw with the conditional mean of Phi and a draw
// of it, and moves the chain of K on. It reports success.
func (s *sweep) run(m *Learned, w *learnedWork, st *cdf.Step, chain []float64) bool {
	k := m.m
	clear(w.deviation)
	var line lean
	if m.lean {
		line = m.line(chain, w.u)
	}
	for j := range m.P {
		phi0 := lin.Row(w.phi0, k, j)
		center, draw := lin.Row(w.center, k, j), lin.Row(w.draw, k, j)
		if m.lean {
			line.column(m, j, phi0, center)
			line.draw(m, j, st.RNG, phi0, chain, draw)
		} else {
			if !s.column(m, w, j, phi0, chain, center) {
				return false
			}
			s.draw(w, st.RNG, center, draw)
		}
		for i, v := range draw {
			e := v - phi0[i]
			w.deviation[i] += float64(e * e)
		}
	}
	for i, e := range w.deviation {
		chain[i] = min(max(rnd.InvGamma(st.RNG, float64(1+m.P)/2, (1+e)/2), 1e-8), 1e8)
	}
	return true
}

// column leaves in w.s the factor of the precision of Phi_j,
// C21_j/sigma2 + K^{-1}, and writes its mean.
func (s *sweep) column(m *Learned, w *learnedWork, j int, phi0, kappa, mean []float64) bool {
	k, width := m.m, m.width21()
	c := lin.Row(m.c21, width, j)
	for a, at := 0, 0; a < k; a++ {
		row := w.q[a*k : a*k+a+1]
		for b := range row {
			row[b] = float64(c[at+b] * s.inverse)
		}
		row[a] += 1 / kappa[a]
		at += a + 1
	}
	if !factorJitter(k, w.q, w.s) {
		return false
	}
	for a, v := range lin.Row(m.c22, k, j) {
		mean[a] = float64(v*s.inverse) + phi0[a]/kappa[a]
	}
	lin.SolveLower(k, w.s, mean)
	lin.SolveLowerT(k, w.s, mean)
	return true
}

// draw draws about the mean with the precision whose factor column left.
func (s *sweep) draw(w *learnedWork, r *rand.Rand, mean, dst []float64) {
	rnd.Normals(r, dst)
	lin.SolveLowerT(len(dst), w.s, dst)
	for i, v := range mean {
		dst[i] += v
	}
}

// lean holds what the columns share when their statistics are scalars. Then
// Phi_j enters only through g_j = Phi_j'beta^, so that g_j is drawn first and
// Phi_j given g_j by conditioning its prior:
//
//	g_j ~ N((r_j/sigma2 + Phi0_j'beta/v)/pr, 1/pr),  pr = c_j/sigma2 + 1/v,  v = beta'K beta
//	Phi_j = u + K beta (g_j - beta'u)/v,  u ~ N(Phi0_j, K)
type lean struct {
	v, inverse float64
	kb         []float64 // K beta^
}

func (m *Learned) line(kappa, kb []float64) lean {
	for i, b := range m.beta {
		kb[i] = float64(kappa[i] * b)
	}
	return lean{v: max(lin.Dot(kb, m.beta), 1e-12), inverse: 1 / m.sigma2, kb: kb}
}

// at returns the precision and the mean of g_j.
func (l *lean) at(m *Learned, j int, phi0 []float64) (precision, mean float64) {
	precision = float64(m.c21[j]*l.inverse) + 1/l.v
	return precision, (float64(m.c22[j]*l.inverse) + lin.Dot(phi0, m.beta)/l.v) / precision
}

func (l *lean) column(m *Learned, j int, phi0, mean []float64) {
	_, g := l.at(m, j, phi0)
	copy(mean, phi0)
	lin.Axpy((g-lin.Dot(phi0, m.beta))/l.v, l.kb, mean)
}

func (l *lean) draw(m *Learned, j int, r *rand.Rand, phi0, kappa, dst []float64) {
	precision, g := l.at(m, j, phi0)
	g += r.NormFloat64() / math.Sqrt(precision)
	for i := range dst {
		dst[i] = phi0[i] + float64(math.Sqrt(kappa[i])*r.NormFloat64())
	}
	lin.Axpy((g-lin.Dot(dst, m.beta))/l.v, l.kb, dst)
}
