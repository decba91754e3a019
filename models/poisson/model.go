package poisson

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Model is regression of counts with effects of groups:
//
//	y_i | nu, e_i ~ Poisson(exp(o_i + x_i'beta + z_i'u + e_i)),  nu = (beta, u)
//	beta_j ~ N(0, v),  u_s ~ N(0, s2_s I) per term s
//	sqrt(s2_s) ~ half-Cauchy(A)  or  s2_s ~ IG(a, r)
//	e_i ~ N(-s2e/2, s2e),  sqrt(s2e) ~ exponential
//
// o_i is the logarithm of the exposure. A term is the intercept or one slope
// of a grouping factor. The statistics are a quadratic in nu: every shard's
// rows are expanded once, about the Gaussian variational posterior of their
// time, and hold no prior, so that the variances may move later. The one
// block is {nu, s2}: both are updated to a joint fixed point in every shard.
// The variances' marginals, which the variational form makes too narrow, are
// published by quadrature, and nu as a mixture over them. s2e is held at its
// posterior mean: see rowVariance.
//
// Source: arXiv:1401.3632, appendix D, with natural parameters for the
// frozen gradient.
type Model struct {
	base
	over       rowVariance
	surplus    surplus  // of zeros with rows' own effects, else of squares
	odd        float64  // wild counts of the first rows, discounted
	early      rowStats // the first rows, until they are judged; see again
	buffer     buffer
	held       bool    // the buffer has all rows of the key
	unresolved float64 // rows that were expanded before groups had enough, discounted
	order      order   // of rows that are not expanded anew; of none with a buffer
}

// buffer holds the rows of the last shards, which are expanded anew.
type buffer struct {
	rows   rowStats
	shards []int     // rows of each, all in the statistics
	likes  []rowLike // of each, with overdispersion
}

// base is what both variants share: the statistics, and what follows
// from them.
type base struct {
	shape
	stats   stats
	m       []float64 // per term: E[1/s2] under q
	n       float64   // rows absorbed, discounted
	post    posterior
	scratch *sync.Pool
	params  []cdf.Param
	rule    rule
	name    string // in errors
}

// rule is what the variants do in ways of their own.
type rule interface {
	// absorb fits q to a shard and takes it into the statistics.
	absorb(sh *cdf.Shard, w *work) bool
	// settle fills post from the statistics.
	settle(w *work) bool
}

// New returns the corrected Model model with empty statistics.
func New(s Settings, d cdf.Dims) (*Model, error) { return newModel(s, d, newScratch()) }

// NewBatch returns the batch Gaussian variational approximation of the
// same model without observations: a buffer that holds all shards, whose rows
// are all expanded anew with every shard. Buffer of the settings has no meaning.
func NewBatch(s Settings, d cdf.Dims) (*Model, error) {
	m, err := New(s, d)
	if err != nil {
		return nil, err
	}
	m.settings.Buffer = math.MaxInt
	return m, nil
}

func newModel(s Settings, d cdf.Dims, scratch *sync.Pool) (*Model, error) {
	shape, err := newShape(s, d)
	if err != nil {
		return nil, err
	}
	m := &Model{base: newBase(shape, true, scratch)}
	if s.Overdispersion == lognormal {
		m.over.s2 = overBegin
	}
	m.held = m.mayHold()
	m.buffer.rows.reset(&m.shape)
	m.early.reset(&m.shape)
	m.rule, m.name = m, "poisson"
	return m, nil
}

func newBase(shape shape, arrow bool, scratch *sync.Pool) base {
	return base{shape: shape, stats: newStats(&shape, arrow), m: slices.Repeat([]float64{1}, shape.terms), scratch: scratch}
}

// Params returns beta, then u for every term, then sigma2_u for every term.
func (m *base) Params() []cdf.Param {
	m.params = append(m.params[:0], cdf.Param{Name: "beta", Len: m.k})
	for f, factor := range m.factors {
		for range factor.q {
			m.params = append(m.params, cdf.Param{Name: "u", Len: m.stats.levels(f)})
		}
	}
	for range m.terms {
		m.params = append(m.params, cdf.Param{Name: "sigma2_u", Len: 1})
	}
	return m.params
}

// work takes scratch space; the caller gives it back.
func (m *base) work() *work { return m.scratch.Get().(*work) }

// prepare makes the posterior available after the state was replaced.
func (m *base) prepare(w *work) error {
	if m.post.ready {
		return nil
	}
	if !m.rule.settle(w) {
		return fmt.Errorf("%w: poisson: statistics not positive definite", cdf.ErrNumeric)
	}
	m.powers()
	m.post.ready = true
	return nil
}

// join makes room for the levels of the shard's rows that have a response.
func (m *base) join(sh *cdf.Shard) {
	for f := range m.factors {
		n := 0
		for i, g := range sh.Group[f] {
			if y := sh.Y[i]; !math.IsNaN(y) {
				n = max(n, int(g)+1)
			}
		}
		m.stats.grow(&m.shape, f, n)
	}
}

// Blocks returns the single block {nu, s2}.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb discounts the statistics, lets new levels join, and takes the
// expansions of the buffered rows, which the fit makes anew, out of them: those of
// held rows, which are all there is, where the fit has begun at them.
func (m *Model) Absorb(s *cdf.Step) {
	m.post.ready = false
	if s.Forget < 1 {
		m.stats.scale(s.Forget)
		m.n *= s.Forget
		lin.Scale(s.Forget, m.over.like[:])
		m.surplus.discount(s.Forget)
		m.odd *= s.Forget
		m.unresolved *= s.Forget
		m.order.discount(s.Forget)
		lin.Scale(s.Forget, m.early.weight)
		m.buffer.discount(s.Forget)
	}
	if s.Shard.Observed() == 0 {
		return
	}
	m.join(s.Shard)
	if m.held || len(m.buffer.shards) == 0 {
		return
	}
	m.leave(m.settings.Buffer - 1)
	w := m.work()
	defer m.scratch.Put(w)
	rows := &m.buffer.rows
	w.design.fill(&m.shape, &m.stats, rows)
	m.stats.apply(rows, &w.design, -1)
}

// Sample fits q to the present rows, folds their expansions in, and settles
// the posterior that follows; it draws where draws are asked for.
func (m *base) Sample(s *cdf.Step) error {
	w := m.work()
	defer m.scratch.Put(w)
	if s.Shard.Observed() > 0 && !m.rule.absorb(s.Shard, w) {
		return fmt.Errorf("%w: %s: no finite fit", cdf.ErrNumeric, m.name)
	}
	if err := m.prepare(w); err != nil {
		return err
	}
	if s.Draws != nil {
		return m.draw(s, w)
	}
	return nil
}

// absorb fits the shard's rows with those that are expanded anew, and folds them in.
func (m *Model) absorb(sh *cdf.Shard, w *work) bool {
	rows, again, first := &w.rows, m.again(), m.n == 0
	rows.reset(&m.shape)
	rows.appendRows(&m.buffer.rows)
	if again {
		rows.appendRows(&m.early)
		clear(m.over.like[:])
		m.order = order{}
	}
	before := rows.n
	rows.appendShard(sh)
	w.design.fill(&m.shape, &m.stats, rows)
	f := &w.fit
	f.shape, f.stats, f.rows, f.design, f.m = &m.shape, &m.stats, rows, &w.design, m.m
	f.s2e, f.anew = m.over.s2, again || m.held && !first
	if !f.fit(first, &m.over) {
		return false
	}
	f.settle()
	change, past := 0.0, 0.0
	if m.ordered() && !again {
		change, past = f.change(), m.stats.lam[0]
	}
	m.stats.apply(rows, &w.design, 1)
	m.n += float64(sh.Observed())
	for i := before; i < rows.n; i++ { // rows of weight 1
		if f.s2e == 0 {
			m.surplus.square(rows.y[i], rows.y[i]-f.now.grad[i]) // the gradient is y - mu
		} else {
			m.surplus.zero(rows.y[i], f.logMean(i), f.s2e)
		}
	}
	if f.s2e > 0 {
		m.over.s2 = f.estimate
	}
	m.keep(f, sh.Observed())
	if m.ordered() {
		m.order.absorb(f, change, past, m.stats.lam[0], float64(enoughEvents*m.k))
	}
	return true
}

// discount weakens the buffered rows as the statistics are weakened.
func (b *buffer) discount(a float64) {
	for _, v := range [...][]float64{b.rows.weight, b.rows.w, b.rows.g} {
		lin.Scale(a, v)
	}
	for k := range b.likes {
		lin.Scale(a, b.likes[k][:])
	}
}

// settle fills the posterior from the statistics.
func (m *Model) settle(w *work) bool {
	return m.post.settle(&m.shape, &m.stats, m.m, m.over.s2, w)
}
