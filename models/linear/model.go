package linear

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Model is Gaussian regression:
//
//	y_r | beta, sigma2 ~ N(x_r' beta, sigma2)
//	beta_j ~ N(0, v_j),  sigma2 ~ IG(a, b)
//
// The statistics are exact: the triangular factor of [X y] and the number of
// rows. Conditional density filtering enters as the plug-in s2 between the
// blocks {beta} and {sigma2}, whose mean-field fixed point is found in every
// shard with the trace of the other block's covariance kept, so that neither
// block is frozen at an early estimate. Both are therefore updated in one
// step here. While the rows are few the exact marginals are published
// instead, by quadrature over sigma2.
//
// Source: arXiv:1401.3632, section 3.1.1, with its plug-ins corrected.
type Model struct {
	columns
	r      []float64 // packed factor of order p+1: R, z and rho, R'R = X'X, R'z = X'y
	n      float64   // rows absorbed, discounted
	s2     float64   // plug-in of sigma2, 0 while n is 0
	forgot bool      // some shard was discounted: there is no joint evidence

	post posterior
}

// New returns the corrected linear model with empty statistics.
func New(s Settings, d cdf.Dims) (*Model, error) { return newModel(s, d, newScratch()) }

func newModel(s Settings, d cdf.Dims, pool *scratch) (*Model, error) {
	shape, err := newColumns(s, d, pool)
	if err != nil {
		return nil, err
	}
	m := &Model{columns: shape, r: make([]float64, lin.PackedLen(shape.P+1))}
	m.post.init(shape.P)
	return m, nil
}

// Blocks returns the single block {beta, sigma2}.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{m} }

// work takes scratch space for this model's size; the caller gives it back.
func (s *columns) work() *work {
	w := s.scratch.Get().(*work)
	w.size(s)
	return w
}

// Absorb discounts the factor by sqrt(lambda), in every shard, and folds in
// the rows that have a response. The prior is not in the factor and is never
// discounted.
func (m *Model) Absorb(s *cdf.Step) {
	m.post.ready = false
	if s.Forget < 1 {
		m.forgot = true
		lin.Scale(math.Sqrt(s.Forget), m.r)
		m.n *= s.Forget
	}
	w := m.work()
	defer m.scratch.Put(w)
	m.n += float64(w.fold.Fold(m.r, m.P, w.block, s.Shard))
}

// Sample settles the plug-in and the posterior that follows from it, and
// draws where draws are asked for. Both follow from the factor, so that a shard that
// another one follows at once leaves them to that.
func (m *Model) Sample(s *cdf.Step) error {
	if s.Passing {
		return nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if !m.decompose(w) || !m.fixedPoint(w) {
		return fmt.Errorf("%w: linear: factor or variance not finite", cdf.ErrNumeric)
	}
	if s.Draws != nil {
		return m.draw(s, w)
	}
	return nil
}

// prepare makes the posterior available after the state was replaced.
func (m *Model) prepare(w *work) error {
	if m.post.ready {
		return nil
	}
	if !m.decompose(w) || m.inSeries() && !m.post.covers(m.s2) && !m.form(w) {
		return fmt.Errorf("%w: linear: factor not finite", cdf.ErrNumeric)
	}
	m.settle(w)
	return nil
}

// early reports that the rows are too few for the closed form.
func (m *Model) early() bool { return m.n < float64(max(50, 10*m.P)) }
