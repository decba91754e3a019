package probit

import (
	"fmt"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// Model is regression of a response that is 0 or 1:
//
//	P(y_r = 1 | x_r, beta) = Phi(x_r' beta)
//	beta_j ~ N(0, v_j)
//
// One block, beta, with latent z_r ~ N(x_r'beta, 1), y_r = 1 where z_r > 0.
// Rows are kept signed, xs = (2y-1) x with t = (2y-1) z > 0, and no case
// distinction is left: the likelihood of a row is Phi(xs'beta).
//
// The newest rows are kept in a window, and their t are drawn with beta by
// Gibbs sampling (Albert and Chib, JASA 88, 1993), so that they count
// exactly; rows of a separated column stay for longer (classes). A row that leaves
// the window is frozen: its log likelihood is
// replaced by a quadratic, whose coefficients add up to the statistics
//
//	C = (sum w xs xs', sum c xs)
//
// Source: arXiv:1401.3632, section 3.3.2, with the weights w corrected: there
// they are 1, which makes intervals too short and estimates biased.
type Model struct {
	shape
	rule freezeRule

	// The state.
	xx      []float64 // p x p, lower triangle: sum w xs xs' of the frozen rows
	xz      []float64 // p: sum c xs of the frozen rows
	classes classes   // 2 p
	edges   edges     // 4 p
	window  rowWindow
	draws   []float64 // S x p: beta, the S/K draws of each chain together
	stage   stage     // what the draws are

	post    posterior
	grown   bool  // the rows of the step are more than all before, between Absorb and Sample
	failed  error // of a part of a shard, between Absorb and Sample
	scratch *sync.Pool
}

type stage byte

const (
	stageNew   stage = iota // there are no draws
	stagePrior              // no row was absorbed: of the prior
	stageRows               // of a posterior
)

// New returns the corrected probit model with empty statistics.
func New(s Settings, d cdf.Dims) (*Model, error) {
	return newModel(s, d, corrected, newScratch())
}

func newModel(s Settings, d cdf.Dims, rule freezeRule, scratch *sync.Pool) (*Model, error) {
	shape, err := newShape(s, d)
	if err != nil {
		return nil, err
	}
	p := shape.p
	m := &Model{
		shape: shape, rule: rule, scratch: scratch,
		xx: make([]float64, p*p), xz: make([]float64, p), classes: make(classes, 2*p), edges: newEdges(p, shape.intercept), draws: make([]float64, shape.s*p),
	}
	m.post.cov, m.post.means = make([]float64, p*p), make([]float64, p*shape.s)
	m.outline()
	return m, nil
}

// Blocks returns the single block {beta}.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{m} }

// work takes scratch space; the caller gives it back.
func (m *Model) work() *work {
	w := m.scratch.Get().(*work)
	w.size(m.p, m.chains, m.s)
	return w
}

// Absorb lets the shard's rows into the window. A shard that is larger than
// the window goes in parts, and what follows from each part is sampled before
// the next one displaces it.
//
// With a discount lambda < 1 a row of age k counts lambda^k. A power of Phi
// has no latent variable, a power of its quadratic is a multiple of it: so
// every row of the window is frozen before it is discounted, and only rows
// that count fully are exact. The prior is not in the statistics and is never
// discounted.
func (m *Model) Absorb(s *cdf.Step) {
	w := m.work()
	defer m.scratch.Put(w)
	m.failed = nil
	if s.Forget < 1 {
		if m.rows() > 0 {
			m.edges.close()
		}
		m.freeze(m.leaving(m.rows(), w), w)
		lin.Scale(s.Forget, m.xx)
		lin.Scale(s.Forget, m.xz)
		lin.Scale(s.Forget, m.classes)
		if !m.anyLeft() {
			m.edges.begin() // of none but the rows to come
		}
	}
	sh, n := s.Shard, s.Shard.Observed()
	count, row := parts(n, m.limit), 0
	for i := range count {
		if i > 0 {
			if m.failed = m.sample(s, w); m.failed != nil {
				return
			}
		}
		fresh := part(n, count, i+1) - part(n, count, i)
		w.fresh, row = m.Signed(w.fresh[:0], sh, row, fresh)
		m.grown = float64(fresh) > m.classes.rows()
		m.classes.add(w.fresh, m.p)
		m.edges.add(w.fresh, m.p)
		m.freeze(m.leaving(max(0, m.rows()+fresh-m.limit), w), w)
		m.window.x = append(m.window.x, w.fresh...)
	}
}

// rows returns the number of rows in the window.
func (m *Model) rows() int { return len(m.window.x) / m.p }

// freeze moves rows of the window, in ascending order, into the statistics, by the
// draws of the step before, in which they took part.
func (m *Model) freeze(rows []int, w *work) {
	p := m.p
	for of := rows; len(of) > 0; {
		h := min(scoreRows, len(of))
		x := w.block[:h*p]
		for r, i := range of[:h] {
			copy(lin.Row(x, p, r), lin.Row(m.window.x, p, i))
		}
		var weight, c [scoreRows]float64
		m.sites(w, x, weight[:h], c[:h])
		for r := range h {
			xs := lin.Row(x, p, r)
			lin.Axpy(c[r], xs, m.xz)
			for j, v := range xs {
				w.weighted[r*p+j] = weight[r] * v
			}
		}
		lin.AddGram(h, p, w.weighted, x, m.xx)
		of = of[h:]
	}
	m.window.drop(rows, p)
}

// Sample draws from the posterior given the statistics and the window.
func (m *Model) Sample(s *cdf.Step) error {
	if m.failed != nil {
		return m.failed
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.sample(s, w); err != nil {
		return err
	}
	if s.Draws != nil {
		m.tell(s.Draws)
	}
	return nil
}

// Redraw fills the draws with those that the state goes on from.
func (m *Model) Redraw(s *cdf.Step) error {
	if m.stage == stageNew {
		return errNumeric("nothing was drawn so far")
	}
	m.tell(s.Draws)
	return nil
}

func (m *Model) tell(d *cdf.Draws) { vec.Transpose(m.s, m.p, m.draws, m.p, d.Data, m.s) }

func errNumeric(what string) error { return fmt.Errorf("%w: probit: %s", cdf.ErrNumeric, what) }
