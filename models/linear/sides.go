package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/regression"
)

// Positive writes the probability that each functional is above 0, of the laws that
// Summarize describes: t, while the rows are few a mixture of normals over
// sigma2, before the first row the prior.
func (m *Model) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	if m.n > 0 && m.early() {
		return m.positiveEarly(w, functionals, p, mcse)
	}
	q := &m.post
	return m.Sides(functionals, p, mcse, q.shape, q.shape*m.plugin(), func(f *cdf.Functional) float64 {
		mean := f.Const
		for k, j := range f.Param {
			mean += float64(f.Weight[k] * q.beta[j])
		}
		scale := m.spread(w, f)
		if m.n == 0 {
			return normal.CDF(mean / scale)
		}
		return regression.StudentAbove(mean, scale, 2*q.shape)
	})
}

func (m *Model) positiveEarly(w *work, functionals []cdf.Functional, p, mcse []float64) error {
	m.mixNodes(w)
	w.nodes.accumulate(m)
	w.joint = lin.Grow(w.joint, mixedAtOnce*m.P)
	for i := range functionals {
		f := &functionals[i]
		factor, isSigma, err := m.directions(w, f, lin.Row(w.joint, m.P, 0))
		switch {
		case err != nil:
			return err
		case isSigma:
			p[i] = regression.Beyond(f.Const, factor, func(x float64) float64 { return w.nodes.above(m, x) })
		default:
			m.mixRows(&w.mix, 1, w.joint)
			w.mix.take(0, f.Const, false)
			p[i] = w.mix.Positive()
		}
		mcse[i] = 0
	}
	return nil
}

// above returns P(sigma2 > x), after accumulate.
func (w *nodes) above(m *Model, x float64) float64 {
	if w.bend != nil {
		return w.bentAbove(m, x)
	}
	last := len(w.cum) - 1
	u := (math.Log(x) - w.l[0]) / w.h
	switch {
	case x <= 0 || u <= 0:
		return 1
	case u >= float64(last):
		return 0
	}
	i := int(u)
	c := w.polynomial(i)
	within, _ := c.at(u - float64(i))
	return 1 - (w.cum[i]+float64(w.h*within))/w.cum[last]
}

// Positive is that of the laws that Summarize describes.
func (m *Paper) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	shape, rate := m.sigmaLaw()
	return m.Sides(functionals, p, mcse, shape, rate, func(f *cdf.Functional) float64 {
		mean := f.Const
		clear(w.c)
		for k, j := range f.Param {
			w.c[j] += f.Weight[k]
			mean += float64(f.Weight[k] * m.beta[j])
		}
		return normal.CDF(mean / math.Sqrt(m.spread(w.c)))
	})
}
