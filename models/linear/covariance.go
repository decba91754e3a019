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
		if _, _, err := m.directions(f, lin.Row(w.joint, m.P, i)); err != nil {
			return err
		}
	}
	shrink, widen := m.post.shrink, 1.0
	early := m.n > 0 && m.early()
	switch {
	case early:
		// E[1/(1+d^2/sigma2)]: the directions stay independent given sigma2.
		m.mixFew(w)
		shrink = w.z
		for j := range shrink {
			shrink[j] = lin.Dot(w.mix.W, lin.Row(w.mix.inv, len(w.mix.W), j))
		}
	case m.n > 0 && m.post.shape > 1:
		widen = m.post.shape / (m.post.shape - 1)
	case m.n > 0:
		widen = math.NaN()
	}
	at := 0
	for i := range k {
		a := lin.Row(w.joint, m.P, i)
		for j := range i + 1 {
			b, v := lin.Row(w.joint, m.P, j), 0.0
			for l, u := range a {
				v += u * b[l] * shrink[l]
			}
			dst[at] = widen * v
			at++
		}
	}
	if early {
		m.addMeans(w, k, dst)
	}
	return nil
}

// addMeans adds the covariance over sigma2 of the conditional means of the
// functionals in w.joint.
func (m *Model) addMeans(w *work, k int, dst []float64) {
	x := &w.mix
	nodes := len(x.W)
	w.means = lin.Grow(w.means, k*nodes)
	for i := range k {
		row := lin.Row(w.means, nodes, i)
		m.mixAt(x, lin.Row(w.joint, m.P, i), 0, false)
		mean, _ := x.Moments()
		for n, v := range x.Mean {
			row[n] = v - mean
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
