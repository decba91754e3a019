package dlm

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// Model is the first-order dynamic linear model of one series:
//
//	y_s | theta_s ~ N(theta_s, sigma2)
//	theta_s | theta_{s-1} ~ N(mu + phi (theta_{s-1} - mu), tau2),  theta_0 | sigma2 ~ N(0, h sigma2)
//	sigma2 ~ IG(a, b),  tau2 ~ IG(c, d),  phi on (-1, 1)
//	mu = 0, or mu | phi, tau2, sigma2 ~ N(0, sigma2 + tau2/(1-phi^2))
//
// A row without a response is a step at which nothing was observed. All that
// is not linear is (phi, q), q = tau2/sigma2. On a grid of these the posterior
// is a mixture with closed forms: exact to the spacing of the grid, which
// follows the posterior. There is one block, and no draw enters the state.
//
// Source: the model, with mu = 0, is that of arXiv:1401.3632, section 3.3.1; the method is not
// conditional density filtering but exact filtering on a grid.
type Model struct {
	family *family
	grid   grid
	// reserve filters the full range alongside once grid covers less: it
	// says how the statistics go on beyond the limits when grid must widen.
	reserve  grid
	reserved bool
	n        float64 // observations, discounted
	rows     int64   // observations
	clock    Clock
	forgot   bool   // some shard was discounted: there is no joint evidence
	failed   bool   // a statistic is not finite
	told     told   // of the present state, once it is known
	age      uint64 // see changed
}

// New returns the model of mode grid without observations.
func New(s Settings, d cdf.Dims) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Mode = "grid"
	return newOnGrid(newFamily(s, s.knows(d)), d)
}

func newOnGrid(f *family, d cdf.Dims) (*Model, error) {
	if err := Columns(d); err != nil {
		return nil, err
	}
	m := &Model{family: f, grid: newGrid(f.known)}
	m.grid.start(f.settings.Prior.Theta0Variance)
	m.changed()
	return m, nil
}

// Params returns phi, tau2, sigma2, theta, the level after the last row, and mu
// where it is not known.
func (m *Model) Params() []cdf.Param {
	if m.family.known {
		return Params()
	}
	return params
}

// Check reports, wrapping ErrShard, a shard with features, an infinite
// response or a time before the last one absorbed.
func (m *Model) Check(sh *cdf.Shard) error { return m.clock.Check(sh) }

// CheckBehind is Check of rows behind others.
func (m *Model) CheckBehind(sh *cdf.Shard, b *cdf.Before) error { return m.clock.CheckBehind(sh, b) }

// Blocks returns the single block of all parameters.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{m} }

// checkEvery is the number of observations between two checks of the grid
// within a shard; there is another one at its end.
const checkEvery = 32

// Absorb discounts the likelihood, in every shard, and filters the rows.
func (m *Model) Absorb(s *cdf.Step) {
	sh := s.Shard
	w := m.family.take()
	defer m.family.scratch.Put(w)
	w.regrid.clear()
	m.failed, m.told = false, told{}
	if s.Forget < 1 {
		m.forgot = true
		m.n *= s.Forget
		m.grid.forget(s.Forget)
		if m.reserved {
			m.reserve.forget(s.Forget)
		}
	}
	for i, y := range sh.Y {
		steps := m.clock.Tick(sh, i)
		m.grid.step(steps, y, w.product)
		if m.reserved {
			m.reserve.step(steps, y, w.regrid.product)
		}
		if math.IsNaN(y) {
			continue
		}
		m.n++
		m.rows++
		if m.rows%checkEvery == 0 && !m.check(w) {
			m.failed = true
			return
		}
	}
	m.failed = !m.check(w)
}

// Sample reports statistics that are not finite, and draws where draws are
// asked for.
func (m *Model) Sample(s *cdf.Step) error {
	if m.failed {
		return fmt.Errorf("%w: dlm: statistics not finite", cdf.ErrNumeric)
	}
	if s.Draws == nil {
		return nil
	}
	return m.draw(s)
}
