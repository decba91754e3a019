package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// PriorSensitivity writes that of sigma2, the larger of those to its own prior, by quadrature while the rows are few, and to
// that of beta; and those of functionals of beta, given sigma2.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.n == 0 {
		return
	}
	w := m.work()
	defer m.scratch.Put(w)
	if m.prepare(w) != nil {
		return
	}
	// The pull of the prior, V0^{-1} beta, in the posterior's basis.
	pull, of := w.z, w.l
	for j, b := range m.post.beta {
		of[j] = b / m.variance(j)
	}
	m.levels.Precision(of)
	if m.upper() {
		m.post.basis().TimesT(of, pull)
	} else {
		clear(pull)
		for j, v := range of {
			m.addBasis(v, j, pull)
		}
	}
	switch {
	case m.inSeries():
		m.covarySeries(w, pull)
	case m.early():
		m.post.covary(pull)
	default:
		m.post.basis().Times(pull, of) // of each coefficient, in units of its variance
	}
	w.joint = lin.Grow(w.joint, mixedAtOnce*m.P)
	known := math.NaN()
	var waiting [mixedAtOnce]int
	n := 0
	for i := range functionals {
		f := &functionals[i]
		_, isSigma, err := m.Split(f)
		switch {
		case err != nil:
		case isSigma:
			if math.IsNaN(known) {
				known = max(m.sensitivity(w), m.pulled())
			}
			dst[i] = known
		case m.inSeries():
			dst[i] = m.sensitivitySeries(w, f, pull)
			continue
		case m.early():
			m.direction(w, f, lin.Row(w.joint, m.P, n))
			waiting[n] = i
			n++
		default:
			sum := 0.0
			for k, j := range f.Param {
				sum += float64(f.Weight[k] * of[j])
			}
			dst[i] = math.Abs(sum) / m.spread(w, f)
		}
		if n == 0 || n < mixedAtOnce && i+1 < len(functionals) {
			continue
		}
		var square [mixedAtOnce]float64
		lin.PivotSquares(n, m.P, 1, w.joint, m.post.l, m.post.g, square[:])
		for k, at := range waiting[:n] {
			dst[at] = math.Abs(lin.Dot(lin.Row(w.joint, m.P, k), pull)) / math.Sqrt(square[k])
		}
		n = 0
	}
}

// PriorShare implements cdf.PriorShared at the plug-in, or near it where the posterior is a series. In the basis M the covariance
// is M K M', where K is that of covary and M' V0^{-1} M is I, or K is I.
func (m *Model) PriorShare(functionals []cdf.Functional, dst []float64) {
	w := m.work()
	defer m.scratch.Put(w)
	if m.prepare(w) != nil {
		return
	}
	for i := range functionals {
		f := &functionals[i]
		if _, isSigma, err := m.directions(w, f, w.c); err != nil || isSigma {
			continue
		}
		if !m.upper() {
			copy(w.z, w.c)
			m.post.covary(w.z)
			dst[i] = lin.Dot(w.z, w.z) / lin.Dot(w.c, w.z)
			continue
		}
		m.post.basis().Times(w.c, w.z)
		square := 0.0
		for j, v := range w.z {
			square += float64(v * v / m.variance(j))
		}
		square -= m.levels.Excess(w.z) / m.prior.BetaVariance
		dst[i] = square / lin.Dot(w.c, w.c)
	}
}

// covary multiplies v, in the basis M, by the posterior's covariance at the plug-in
// while the rows are few: W'^{-1} G W^{-1}, W and G its pivots.
func (q *posterior) covary(v []float64) {
	reduce(q.l, v)
	for i, g := range q.g {
		if v[i] *= g; i > 0 {
			v[i] -= float64(q.l[i-1] * v[i-1])
		}
	}
}

func (m *Model) sensitivity(w *work) float64 {
	if m.early() {
		m.fillNodes(&w.nodes)
		return w.nodes.sensitivity(&m.prior)
	}
	q := &m.post
	return dist.InvGammaSensitivity(m.prior.Sigma2Shape, m.prior.Sigma2Rate, q.shape, q.shape*m.s2)
}

// pulled returns by how many of its sds log sigma2 moves per power of the prior of beta: a coefficient that is far from 0 in units
// of its prior leaves what that takes off it to the noise.
func (m *Model) pulled() float64 { return math.Abs(m.post.pull(m.s2)) / math.Sqrt(m.post.shape) }
