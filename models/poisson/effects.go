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
	x, v  []float64 // per term, what the counts of a level alone say of its effect, and the variance of that
	arrow []float64 // of the core's h, what the effects of the arrow take at their means
	a, h  []float64 // of a level with several effects, its part of the statistics given all that is not its own
	far   dist.FarValues
	drawn []drawn
}

// drawnEffects returns the far effects, all other parameters at their means but those of the same level, which are integrated
// over their prior. The result is in w.
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
		e.x, e.v = lin.Grow(e.x, n*factor.q), lin.Grow(e.v, n*factor.q)
		precisions := m.m[factor.term : factor.term+factor.q]
		if factor.q > 1 {
			e.several(f, n, s, precisions, core, &w.block)
		} else {
			e.single(f, n, s, precisions[0], core)
		}
		for j, precision := range precisions {
			x, v := e.x[j*n:], e.v[j*n:]
			for _, level := range e.far.Far(n, 1/precision, func(i int) (float64, float64) { return x[i], v[i] }) {
				sds := math.Abs(x[level]) * precision / math.Sqrt(precision+1/v[level])
				e.drawn = append(e.drawn, drawn{first + j*n + level, sds})
			}
		}
		first += n * factor.q
	}
	return e.drawn
}

// faintest is the information below which counts say nothing of a level, and fainter its ratio to the prior's below which
// nothing is left of it beside that.
const faintest, fainter = 1e-12, 1e-9

// single fills in what counts say of n levels that have one effect.
func (e *effects) single(f, n int, s *stats, precision float64, core []float64) {
	for level := range n {
		h, a := s.alone(f, level, core, e.arrow)
		e.x[level], e.v[level] = h/a, 1/a
	}
	if f > 0 || !s.arrow {
		return
	}
	for level, x := range e.x {
		b, _, _ := s.record(level)
		lin.Axpy(x/(1+float64(precision*e.v[level])), b, e.arrow)
	}
}

// several is single of levels with several effects. With P the variance of one given all that is not of its level, and
// u its mean there, the rows and the prior of the others say u/P of it, with the information 1/P less its own prior's.
func (e *effects) several(f, n int, s *stats, precisions, core []float64, w *arrowBlock) {
	q := len(precisions)
	e.a, e.h = lin.Grow(e.a, q*q), lin.Grow(e.h, q)
	w.size(q, 0)
	for level := range n {
		s.own(f, level, core, e.arrow, e.a, e.h)
		ok := w.load(precisions, nil, e.a, e.h)
		w.back()
		for j, m := range precisions {
			at := j*n + level
			if e.x[at], e.v[at] = 0, 1/float64(fainter*m); !ok {
				continue
			}
			inverse := 1 / w.inverse(j)
			information := max(inverse-m, fainter*m)
			e.x[at], e.v[at] = float64(w.h[j]*inverse)/information, 1/information
			if f == 0 && s.arrow {
				b, _, _ := s.record(level)
				lin.Axpy(w.h[j], lin.Row(b, s.c, j), e.arrow)
			}
		}
	}
}

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

// own is alone of all effects of a level: q x q, lower triangle, and q.
func (s *stats) own(f, level int, core, arrow, lam, h []float64) {
	q := len(h)
	if f == 0 && s.arrow {
		b, a, rest := s.record(level)
		copy(lam, a)
		for j := range q {
			h[j] = rest[j] - lin.Dot(lin.Row(b, s.c, j), core)
		}
		return
	}
	from := int(s.at[f][level])
	for i := from; i < from+q; i++ {
		copy(lam[(i-from)*q:], s.lam[i*s.c+from:i*s.c+i+1])
		sum := s.h[i] - arrow[i]
		for j, v := range core {
			if j < from || j >= from+q {
				sum -= float64(s.lam[max(i, j)*s.c+min(i, j)] * v)
			}
		}
		h[i-from] = sum
	}
}
