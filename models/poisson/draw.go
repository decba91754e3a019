package poisson

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// draw fills the draws with independent ones of the joint law: the variance
// by its marginal, nu by the normal of a neighbouring node; with several terms
// the variances and nu are independent.
func (m *base) draw(s *cdf.Step, w *work) error {
	effects := m.stats.effects()
	w.xi = lin.Grow(w.xi, m.stats.c)
	for k := range s.Draws.S {
		l := 0.0
		for t := range m.post.vars {
			l = m.post.vars[t].quantile(s.RNG.Float64())
			s.Draws.Row(m.k + effects + t)[k] = math.Exp(l)
		}
		g := &m.post.gauss[0]
		if len(m.post.gauss) > 1 {
			g = m.post.neighbour(l, s.RNG.Float64())
		}
		if !m.drawGauss(s, k, g, w) {
			return fmt.Errorf("%w: poisson: level not positive definite", cdf.ErrNumeric)
		}
	}
	return nil
}

// neighbour returns one of the two normals about l, the nearer one more often.
func (q *posterior) neighbour(l, u float64) *gauss {
	last := len(q.gauss) - 1
	hi := 1
	for hi < last && -math.Log(q.gauss[hi].m[0]) < l {
		hi++
	}
	from, to := -math.Log(q.gauss[hi-1].m[0]), -math.Log(q.gauss[hi].m[0])
	if u*(to-from) < l-from {
		return &q.gauss[hi]
	}
	return &q.gauss[hi-1]
}

// drawGauss writes draw k of nu: the core, then every level given the core.
func (m *base) drawGauss(s *cdf.Step, k int, g *gauss, w *work) bool {
	st, b := &m.stats, w.xi
	for i := range b {
		b[i] = s.RNG.NormFloat64()
	}
	lin.SolveLowerT(st.c, g.l, b)
	lin.Axpy(1, g.b, b)
	for j := range m.k {
		s.Draws.Row(j)[k] = b[j]
	}
	row := m.k
	for f, factor := range m.factors {
		n := st.levels(f)
		if f > 0 || !st.arrow {
			for level, at := range st.at[f] {
				for j := range factor.q {
					s.Draws.Row(row + j*n + level)[k] = b[int(at)+j]
				}
			}
			row += n * factor.q
			continue
		}
		w.block.size(st.q, st.c)
		for level := range n {
			rb, ra, rh := st.record(level)
			if !w.block.load(g.m, rb, ra, rh) {
				return false
			}
			u := w.block.h
			for j := range u {
				u[j] += s.RNG.NormFloat64() - lin.Dot(lin.Row(w.block.f, st.c, j), b)
			}
			lin.SolveLowerT(st.q, w.block.l, u)
			for j := range u {
				s.Draws.Row(row + j*n + level)[k] = u[j]
			}
		}
		row += n * factor.q
	}
	return true
}
