package poisson

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

// AppendCollinear implements cdf.Collinear, by what rows say of the coefficients: a row
// counts for the count that is expected of it.
func (m *Model) AppendCollinear(dst []int) []int {
	rows := m.n
	if m.intercept {
		rows = min(rows, m.stats.lam[0])
	}
	w := m.work()
	defer m.scratch.Put(w)
	return w.apart.AppendGram(dst, m.stats.lam, m.stats.c, m.k, m.intercept, rows)
}

// Summarize fills the rows in closed form: mixtures of normals for functionals
// of beta and the effects of one level, quadrature for one of a variance;
// others are refused with ErrSchema. Nothing is left open.
func (m *base) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	for i, f := range functionals {
		r := &rows[i]
		describe.Begin(r, f.Name)
		term, err := m.locate(f, &w.place)
		if err != nil {
			if !m.mixContrast(f, w) {
				return err
			}
			describe.Mixture(r, &w.mix)
			for k := range w.places {
				m.withoutMoments(r, &w.places[k])
			}
			continue
		}
		if term >= 0 {
			m.varianceRow(r, term, f.Const, f.Weight[0])
			continue
		}
		m.mixFew(&w.place, w)
		describe.Mixture(r, &w.mix)
		m.withoutMoments(r, &w.place)
	}
	return nil
}

// locate writes the functional as a place and returns -1, or the term whose
// variance it is.
func (m *base) locate(f cdf.Functional, a *place) (term int, err error) {
	a.reset(&m.stats, m.terms)
	a.constant = f.Const
	effects := m.stats.effects()
	for i, j := range f.Param {
		switch {
		case j < 0 || j >= m.k+effects+m.terms:
			return 0, fmt.Errorf("%w: %s asks for parameter %d of %d", cdf.ErrSchema, f.Name, j, m.k+effects+m.terms)
		case j < m.k:
			a.core[j] += f.Weight[i]
		case j >= m.k+effects:
			if len(f.Param) > 1 {
				return 0, fmt.Errorf("%w: %s mixes a variance with others", cdf.ErrSchema, f.Name)
			}
			return j - m.k - effects, nil
		default:
			if !m.addEffect(a, j-m.k, f.Weight[i]) {
				return 0, fmt.Errorf("%w: %s mixes levels of %q", cdf.ErrSchema, f.Name, m.factors[0].column)
			}
		}
	}
	return -1, nil
}

// addEffect adds weight times effect j, counted over the terms, to the place.
func (m *base) addEffect(a *place, j int, weight float64) bool {
	for f, factor := range m.factors {
		n := m.stats.levels(f)
		if j >= n*factor.q {
			j -= n * factor.q
			continue
		}
		term, level := j/n, j%n
		if f > 0 || !m.stats.arrow {
			a.core[int(m.stats.at[f][level])+term] += weight
			return true
		}
		if a.level >= 0 && level != a.level {
			return false
		}
		a.level = level
		a.z[term] += weight
		return true
	}
	return false
}

// mixFew is mixAt of a place that is known, by few normals where these do.
func (m *base) mixFew(a *place, w *work) {
	q, x := &m.post, &w.mix
	if len(q.few) == 0 {
		m.mixAt(a, 0, w)
		return
	}
	x.Size(len(q.few))
	if s := &m.stats; a.level >= 0 && s.c <= mostOfCore {
		copy(x.W, q.fewWt)
		q.laws.Of(s.records[a.level*(s.c+2):][:s.c+2], a.core, a.z[0], a.constant, x.Mean[:q.laws.N], x.SD[:q.laws.N])
		return
	}
	w.xi = lin.Grow(w.xi, m.stats.c)
	for i := range q.few {
		mean, v := q.few[i].at(&m.stats, a, w.xi, &w.block)
		x.W[i], x.Mean[i], x.SD[i] = q.fewWt[i], mean, math.Sqrt(v)
	}
}

// mixAt sets the mixture to the law of the place, with a normal error of the
// given variance.
func (m *base) mixAt(a *place, noise float64, w *work) {
	q, x := &m.post, &w.mix
	w.xi = lin.Grow(w.xi, m.stats.c)
	x.Size(len(q.gauss))
	for i := range q.gauss {
		mean, v := q.gauss[i].at(&m.stats, a, w.xi, &w.block)
		if a.open && m.terms == 1 {
			v += a.unseen[0] / q.gauss[i].m[0]
		}
		x.W[i], x.Mean[i], x.SD[i] = q.wt[i], mean, math.Sqrt(v+noise)
	}
	if a.open && m.terms > 1 {
		m.addUnseen(a, x)
	}
}

// unseenPoints is the number of equal parts of the laws of the variances.
const unseenPoints = 16

// addUnseen adds effects of levels that are not known to a law, of which mean and variance are kept. It integrates
// over the variances at the medians of equal parts of their laws, which reach further than the points of the
// normals. Of several variances all are taken from the same part, as if they rose together.
func (m *base) addUnseen(a *place, x *dist.NormalMixture) {
	mean, sd := x.Moments()
	x.Size(unseenPoints)
	for i := range x.W {
		v := sd * sd
		for t, z2 := range a.unseen {
			if z2 > 0 {
				v += z2 * math.Exp(m.post.vars[t].quantile((float64(i)+0.5)/unseenPoints))
			}
		}
		x.W[i], x.Mean[i], x.SD[i] = 1./unseenPoints, mean, math.Sqrt(v)
	}
}

// varianceRow describes shift + factor*s2 of a term: s2 has no mean, or no sd, where its density falls too slowly.
func (m *base) varianceRow(r *cdf.Row, term int, shift, factor float64) {
	v := &m.post.vars[term]
	mean, sd := v.moments(m.post.power[term])
	r.Mean, r.SD = shift+factor*mean, math.Abs(factor)*sd
	describe.Exp(r, shift, factor, v.quantile)
}

// Covariance writes the lower triangle of the posterior covariance of
// functionals of nu; one of a variance is refused with ErrSchema.
func (m *base) Covariance(functionals []cdf.Functional, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	k, c := len(functionals), m.stats.c
	w.joint = lin.Grow(w.joint, k*(c+2))
	xi, means, total := w.joint[:k*c], w.joint[k*c:k*c+k], w.joint[k*c+k:]
	clear(dst)
	clear(total)
	for i := range m.post.gauss {
		g, weight := &m.post.gauss[i], m.post.wt[i]
		at := 0
		for a, f := range functionals {
			term, err := m.locate(f, &w.place)
			if err != nil {
				return err
			}
			if term >= 0 || w.place.level >= 0 {
				return fmt.Errorf("%w: %s is not a coefficient", cdf.ErrSchema, f.Name)
			}
			row := lin.Row(xi, c, a)
			means[a], _ = g.at(&m.stats, &w.place, row, &w.block)
			total[a] += weight * means[a]
			for b := range a + 1 {
				dst[at] += weight * (lin.Dot(row, lin.Row(xi, c, b)) + means[a]*means[b])
				at++
			}
		}
	}
	at := 0
	for a := range k {
		for b := range a + 1 {
			dst[at] -= total[a] * total[b]
			at++
		}
	}
	return nil
}

// Fed implements cdf.Feeder: coefficients stand first in the core.
func (m *base) Fed(column int) bool { return m.stats.lam[column*m.stats.c+column] != 0 }
