package poisson

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// Paper is the same model by the paper's own rule, its typing errors
// mended and nothing else. With C_s the rows of shard s,
//
//	H1 = sum C_s'y_s,  H2 = sum C_s'w_s,  H3 = sum C_s'W_s C_s
//	Sig = (H3 + D)^-1,  mu <- mu_{t-1} + Sig (H1 - H2 - D mu)
//
// where w is renewed on the rows of shard t, 50 times, and stays as it was on
// those before: the gradient of past rows does not react to mu. The estimate
// therefore swings about the truth instead of settling there. It is kept for
// comparison.
//
// Source: arXiv:1401.3632, appendix D.
type Paper struct {
	base
	mu, h1, h2 []float64 // c
}

// paperSteps is how often the paper renews q in a shard.
const paperSteps = 50

// NewPaper returns the paper's Model model with empty statistics.
func NewPaper(s Settings, d cdf.Dims) (*Paper, error) { return newPaper(s, d, newScratch()) }

func newPaper(s Settings, d cdf.Dims, scratch *sync.Pool) (*Paper, error) {
	shape, err := newShape(s, d)
	if err != nil {
		return nil, err
	}
	m := &Paper{base: newBase(shape, false, scratch)}
	m.grow()
	m.rule, m.name = m, "poisson paper"
	return m, nil
}

// Blocks returns the single block {nu, s2}.
func (m *Paper) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *Paper) grow() {
	for _, v := range []*[]float64{&m.mu, &m.h1, &m.h2} {
		*v = extend(*v, m.stats.c-len(*v))
	}
}

// Absorb discounts the sums and lets new levels join.
func (m *Paper) Absorb(s *cdf.Step) {
	m.post.ready = false
	m.n *= s.Forget
	m.stats.scale(s.Forget)
	lin.Scale(s.Forget, m.h1)
	lin.Scale(s.Forget, m.h2)
	if s.Shard.Observed() > 0 {
		m.join(s.Shard)
		m.grow()
	}
}

// absorb renews q by the paper's steps and adds the shard to the sums.
func (m *Paper) absorb(sh *cdf.Shard, w *work) bool {
	rows, f := &w.rows, &w.fit
	rows.reset(&m.shape)
	rows.appendShard(sh)
	clear(m.stats.h) // it holds what settle derives from mu
	w.design.fill(&m.shape, &m.stats, rows)
	f.shape, f.stats, f.rows, f.design, f.m, f.s2e = &m.shape, &m.stats, rows, &w.design, m.m, 0
	f.size()
	if !f.start(true) {
		return false
	}
	if m.n == 0 {
		clear(f.now.v) // the first q has no covariance
	} else {
		copy(f.b, m.mu)
	}
	base := f.candB
	copy(base, f.b)
	for range paperSteps {
		f.evaluate(f.now, f.b, f.u, f.wbar)
		if !f.factor(f.next, f.now.w) {
			return false
		}
		for i := range f.stepB {
			f.stepB[i] = m.h1[i] - m.h2[i] - f.b[i]*m.priorPrecision(i)
		}
		for i, g := range f.now.grad {
			w.design.addCore(g, lin.Row(rows.x, rows.k, i), i, f.stepB)
		}
		f.solve(f.next, f.stepB, f.stepU)
		for i, v := range f.stepB {
			f.b[i] = base[i] + min(max(v, -stepMax), stepMax)
		}
		copy(f.wbar, f.now.w)
		f.now, f.next = f.next, f.now
	}
	if !lin.Finite(f.b...) || !f.precisions(f.terms[0]) {
		return false
	}
	f.evaluate(f.now, f.b, f.u, f.wbar)
	for i, y := range rows.y {
		x := lin.Row(rows.x, rows.k, i)
		w.design.addCore(y, x, i, m.h1)
		w.design.addCore(f.now.w[i], x, i, m.h2)
		rows.w[i], rows.g[i] = f.now.w[i], 0
	}
	m.stats.apply(rows, &w.design, 1)
	copy(m.mu, f.b)
	copy(m.m, f.terms[0][:m.terms])
	m.n += float64(rows.n)
	return true
}

// priorPrecision returns entry i of the diagonal of D.
func (m *Paper) priorPrecision(i int) float64 {
	if t := m.stats.term[i]; t >= 0 {
		return m.m[t]
	}
	return 1 / m.settings.Prior.BetaVariance
}

// settle makes nu ~ N(mu, (H3+D)^-1) and s2 inverse gamma, as q has them.
func (m *Paper) settle(w *work) bool {
	s, q := &m.stats, &m.post
	for i := range s.c {
		s.h[i] = m.priorPrecision(i) * m.mu[i]
	}
	for i, v := range m.mu {
		row := s.lam[i*s.c : i*s.c+i+1]
		s.h[i] += lin.Dot(row, m.mu)
		lin.Axpy(v, row[:i], s.h)
	}
	q.vars = lin.Resize(q.vars, m.terms)
	for t := range q.vars {
		shape := 0.5 + 0.5*m.levelsOf(s, t)
		if !m.half() {
			shape += m.settings.Prior.GroupShape - 0.5
		}
		rate := shape / m.m[t]
		if !q.vars[t].place(-math.Log(m.m[t]), func(l float64) (float64, bool) {
			return -shape*l - rate*math.Exp(-l), true
		}) {
			return false
		}
	}
	q.gauss, q.wt = lin.Resize(q.gauss, 1), append(q.wt[:0], 1)
	return q.gauss[0].conditional(&m.shape, s, m.m, w)
}

// AppendBinary appends the format, the statistics and the sums.
func (m *Paper) AppendBinary(b []byte) ([]byte, error) {
	b = m.appendBase(append(b, format))
	return codec.AppendAll(b, m.mu, m.h1, m.h2), nil
}

// UnmarshalBinary replaces the state.
func (m *Paper) UnmarshalBinary(b []byte) error {
	if len(b) < 1 || b[0] != format {
		return codec.Error("poisson paper", "unknown format")
	}
	r := reader{b: b[1:], ok: true}
	m.readBase(&r)
	m.mu, m.h1, m.h2 = r.floats(m.stats.c), r.floats(m.stats.c), r.floats(m.stats.c)
	if !r.ok || len(r.b) != 0 {
		return codec.Error("poisson paper", "wrong length or numbers")
	}
	return nil
}

// Size returns the bytes held.
func (m *Paper) Size() int64 { return m.size() + 24*int64(len(m.mu)) }
