package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// drawn is an effect that is too far off for the others of its factor, and by how many of its sds these, whose law is
// its prior, draw it from what its own counts say. Sds are given the other parameters: the prior draws by no more.
type drawn struct {
	param int // among those of nu
	sds   float64
}

// effects has room for what is looked at of the effects of a factor.
type effects struct {
	x, v  []float64 // what the counts of a level alone say of its effect, and the variance of that
	arrow []float64 // of the core's h, what the effects of the arrow take at their means
	far   dist.FarValues
	drawn []drawn
}

// drawnEffects returns the far effects of factors with one term, all other parameters at their means; none of other factors
// where that of the arrow has more. The result is in w.
func (m *Model) drawnEffects(w *work) []drawn {
	e, s := &w.effects, &m.stats
	e.drawn = e.drawn[:0]
	if len(m.factors) == 0 || m.n == 0 || m.prepare(w) != nil {
		return nil
	}
	w.xi = lin.Grow(w.xi, s.c)
	core := w.xi
	clear(core)
	for i := range m.post.gauss {
		lin.Axpy(m.post.wt[i], m.post.gauss[i].b, core)
	}
	e.arrow = lin.Grow(e.arrow, s.c)
	clear(e.arrow)
	first := m.k
	for f, factor := range m.factors {
		n := s.levels(f)
		if factor.q == 1 && s.q <= 1 {
			e.x, e.v = lin.Grow(e.x, n), lin.Grow(e.v, n)
			for level := range n {
				h, a := s.alone(f, level, core, e.arrow)
				e.x[level], e.v[level] = h/a, 1/a
			}
			precision := m.m[factor.term]
			if f == 0 && s.arrow {
				for level, x := range e.x {
					b, _, _ := s.record(level)
					lin.Axpy(x/(1+float64(precision*e.v[level])), b, e.arrow)
				}
			}
			for _, level := range e.far.Far(n, 1/precision, func(i int) (x, v float64) { return e.x[i], e.v[i] }) {
				sds := math.Abs(e.x[level]) * precision / math.Sqrt(precision+1/e.v[level])
				e.drawn = append(e.drawn, drawn{first + level, sds})
			}
		}
		first += n * factor.q
	}
	return e.drawn
}

// faintest is the information below which counts say nothing of a level.
const faintest = 1e-12

// alone returns h and the information of a level's only effect given the other parameters, those of the arrow by what they take
// of h: a normal of that is what its counts say.
func (s *stats) alone(f, level int, core, arrow []float64) (h, information float64) {
	if f == 0 && s.arrow {
		b, a, h := s.record(level)
		return h[0] - lin.Dot(b, core), max(a[0], faintest)
	}
	i := int(s.at[f][level])
	h = s.h[i] - arrow[i]
	for j, v := range core {
		if j != i {
			h -= float64(s.lam[max(i, j)*s.c+min(i, j)] * v)
		}
	}
	return h, max(s.lam[i*s.c+i], faintest)
}
