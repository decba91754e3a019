package poisson

import (
	"fmt"
	"math"
	"sort"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/regression"
)

// Positive writes the probability that each functional is above 0. One of beta and
// effects may be of several levels: given the core and the variances these are
// independent.
func (m *base) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	for i, f := range functionals {
		term, err := m.law(f, w)
		if err != nil {
			return err
		}
		if mcse[i] = 0; term >= 0 {
			p[i] = regression.Beyond(f.Const, f.Weight[0], m.post.vars[term].above)
		} else {
			p[i] = w.mix.Positive()
		}
	}
	return nil
}

// ExpMoments writes the moments of exponentials of functionals of beta and effects, which
// are ratios of rates, NaN where few groups leave none; those of variances are refused with ErrSchema.
func (m *base) ExpMoments(functionals []cdf.Functional, mean, sd []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	for i, f := range functionals {
		term, err := m.law(f, w)
		if err != nil {
			return err
		}
		if term >= 0 {
			return fmt.Errorf("%w: %s is a variance", cdf.ErrSchema, f.Name)
		}
		first, variance := w.mix.ExpMoments(m.terms == 1)
		mean[i], sd[i] = first, math.Sqrt(variance)
	}
	return nil
}

// law sets the mixture to the law of the functional and returns -1, or the term whose
// variance it is.
func (m *base) law(f cdf.Functional, w *work) (term int, err error) {
	term, err = m.locate(f, &w.place)
	switch {
	case err != nil && m.mixContrast(f, w):
		return -1, nil
	case err == nil && term < 0:
		m.mixAt(&w.place, 0, w)
	}
	return term, err
}

// mixContrast sets the mixture to the law of a functional of several levels of the
// arrow, and reports whether it is one.
func (m *base) mixContrast(f cdf.Functional, w *work) bool {
	s, effects := &m.stats, m.stats.effects()
	w.places = w.places[:0]
	add := func() *place {
		w.places = lin.Resize(w.places, len(w.places)+1)
		a := &w.places[len(w.places)-1]
		a.reset(s, m.terms)
		return a
	}
	add().constant = f.Const
	for i, j := range f.Param {
		switch {
		case j < 0 || j >= m.k+effects:
			return false
		case j < m.k:
			w.places[0].core[j] += f.Weight[i]
		default:
			// The first place is of the core alone; every level has one of those behind it.
			a := add()
			if !m.addEffect(a, j-m.k, f.Weight[i]) {
				return false
			}
			for k := 1; k < len(w.places)-1; k++ {
				if b := &w.places[k]; b.level == a.level {
					lin.Axpy(1, a.core, b.core)
					lin.Axpy(1, a.z, b.z)
					w.places = w.places[:len(w.places)-1]
					break
				}
			}
		}
	}
	q, x := &m.post, &w.mix
	x.Size(len(q.gauss))
	for i := range q.gauss {
		mean, v := q.gauss[i].atAll(s, w)
		x.W[i], x.Mean[i], x.SD[i] = q.wt[i], mean, math.Sqrt(v)
	}
	return true
}

// atAll returns mean and variance of the sum of the places under the normal.
func (g *gauss) atAll(s *stats, w *work) (mean, variance float64) {
	w.xi = lin.Grow(w.xi, s.c)
	xi, b := w.xi, &w.block
	clear(xi)
	for k := range w.places {
		a := &w.places[k]
		mean += a.constant
		lin.Axpy(1, a.core, xi)
		if a.level < 0 {
			continue
		}
		cross, lam, h := s.record(a.level)
		b.size(s.q, s.c)
		if !b.load(g.m, cross, lam, h) {
			return math.NaN(), math.NaN()
		}
		copy(b.z, a.z)
		lin.SolveLower(s.q, b.l, b.z)
		for j, z := range b.z {
			mean += float64(z * b.h[j])
			variance += float64(z * z)
			lin.Axpy(-z, lin.Row(b.f, s.c, j), xi)
		}
	}
	mean += lin.Dot(xi, g.b)
	lin.SolveLower(s.c, g.l, xi)
	return mean, variance + lin.Dot(xi, xi)
}

// above returns P(s2 > x).
func (v *variance) above(x float64) float64 {
	l, last := math.Log(x), len(v.fine)-1
	switch {
	case x <= 0 || l <= v.fine[0]:
		return 1
	case l >= v.fine[last]:
		return 0
	}
	i := sort.SearchFloat64s(v.fine, l)
	u := (l - v.fine[i-1]) / (v.fine[i] - v.fine[i-1])
	return 1 - (v.cum[i-1] + float64(u*(v.cum[i]-v.cum[i-1])))
}
