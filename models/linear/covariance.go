package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Covariance writes the lower triangle of the posterior covariance of
// functionals of beta; one of sigma2 is refused with ErrSchema. Its diagonal
// is the square of the summary's sd, NaN where that is undefined.
func (m *Model) Covariance(functionals []cdf.Functional, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	k := len(functionals)
	w.joint = lin.Grow(w.joint, k*m.P)
	for i := range functionals {
		f := &functionals[i]
		if err := m.onlyBeta(f); err != nil {
			return err
		}
		if _, _, err := m.directions(w, f, lin.Row(w.joint, m.P, i)); err != nil {
			return err
		}
	}
	widen := 1.0
	early := m.n > 0 && m.early()
	switch {
	case m.inSeries():
		m.mixNodes(w)
		m.covarianceSeries(w, k, dst)
		m.addMeans(w, k, dst)
		return nil
	case early:
		m.mixNodes(w)
		m.meanCovariance(w)
	case m.n > 0 && m.post.shape > 1:
		widen = m.post.shape / (m.post.shape - 1)
	case m.n > 0:
		widen = math.NaN()
	}
	at := 0
	for i := range k {
		a := lin.Row(w.joint, m.P, i)
		if early {
			lin.MulT(1, m.P, m.P, a, w.a[:m.P*m.P], w.c)
			a = w.c
		} else {
			m.atPlugin(a)
		}
		for j := range i + 1 {
			dst[at] = widen * lin.Dot(a, lin.Row(w.joint, m.P, j))
			at++
		}
	}
	if early {
		nodes := len(w.mix.W)
		w.means = lin.Grow(w.means, k*nodes)
		lin.Mul(k, nodes, m.P, w.joint, w.mix.mean, w.means)
		m.addMeans(w, k, dst)
	}
	return nil
}

// meanCovariance writes into w.a the mean over sigma2 of the covariance of V'D
// beta, which is the inverse of a tridiagonal matrix at each.
func (m *Model) meanCovariance(w *work) {
	p, x := m.P, &w.mix
	nodes := len(x.W)
	clear(w.a)
	for n, weight := range x.W {
		row := w.c
		for i := range p {
			square := x.g[i*nodes+n]
			if i > 0 {
				l := -x.l[(i-1)*nodes+n]
				lin.Scale(l, row[:i])
				square += l * l * w.z[0]
			}
			row[i], w.z[0] = square, square
			lin.Axpy(weight, row[:i+1], w.a[i*p:i*p+i+1])
		}
	}
	lin.Mirror(p, w.a)
}

// addMeans adds the covariance over sigma2 of the conditional means in w.means, a row for each
// functional.
func (m *Model) addMeans(w *work, k int, dst []float64) {
	x := &w.mix
	nodes := len(x.W)
	for i := range k {
		row, mean := lin.Row(w.means, nodes, i), 0.0
		for n, v := range row {
			mean += float64(x.W[n] * v)
		}
		for n := range row {
			row[n] -= mean
		}
	}
	at := 0
	for i := range k {
		for j := range i + 1 {
			v := 0.0
			for n, weight := range x.W {
				v += weight * w.means[i*nodes+n] * w.means[j*nodes+n]
			}
			dst[at] += v
			at++
		}
	}
}

// Covariance writes the lower triangle of the posterior covariance of
// functionals of beta; one of sigma2 is refused with ErrSchema.
func (m *Paper) Covariance(functionals []cdf.Functional, dst []float64) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	k := len(functionals)
	w.joint = lin.Grow(w.joint, k*m.P)
	at := 0
	for i := range functionals {
		f := &functionals[i]
		if err := m.onlyBeta(f); err != nil {
			return err
		}
		c := lin.Row(w.joint, m.P, i)
		clear(c)
		for l, j := range f.Param {
			c[j] += f.Weight[l]
		}
		lin.SolveLower(m.P, m.chol, c)
		for j := range i + 1 {
			dst[at] = lin.Dot(c, lin.Row(w.joint, m.P, j))
			at++
		}
	}
	return nil
}
