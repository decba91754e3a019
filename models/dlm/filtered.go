package dlm

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Filtered is the model of Model by conditional density filtering of the
// complete data: steps that leave the window turn into the statistics that the
// conditionals of tau2, sigma2 and phi have when theta is known, Sums,
// averaged over the draws of the shard. Within the window theta is drawn
// forward-filtering, backward-sampling. The statistics count the departed theta
// as if observed, so tau2, sigma2 and phi look surer than they are.
//
// The variant paper differs in the statistics alone: products of mean theta
// instead of mean products, and no variance at the boundary. It is kept for
// comparison: sigma2 collapses.
//
// Source: arXiv:1401.3632, section 3.3.1, its misprints mended.
type Filtered struct {
	rowWindow
	paper bool
	burn  int        // sweeps before the first draw of the first shard
	thin  int        // sweeps per draw
	c     [4]float64 // c1 .. c4 of the departed steps
	nSig  float64    // their observations, theta_0 among them
	nTau  float64    // their transitions

	scratch *sync.Pool
}

// NewFiltered returns the model of mode filtered without observations.
func NewFiltered(s Settings, d cdf.Dims) (*Filtered, error) {
	return newFiltered(s, d, false, newFilteredScratch())
}

// NewPaper returns the model of variant paper without observations.
func NewPaper(s Settings, d cdf.Dims) (*Filtered, error) {
	return newFiltered(s, d, true, newFilteredScratch())
}

// NewBatch returns batch Gibbs sampling of the same model without
// observations: forward filtering, backward sampling over all steps, of which
// none ever leaves the window. The state is the series and the last draw, from
// which the chain goes on. burn >= 0 sweeps precede the first draw of a key's
// first shard, and every draw takes thin >= 1 sweeps. Mode and Window of the
// settings have no meaning here, nor has forgetting: every row counts in full.
//
// Source: Carter & Kohn (1994, doi:10.1093/biomet/81.3.541); Fruehwirth-Schnatter
// (1994, doi:10.1111/j.1467-9892.1994.tb00184.x).
func NewBatch(s Settings, burn, thin int, d cdf.Dims) (*Filtered, error) {
	m, err := NewFiltered(s, d)
	if err != nil {
		return nil, err
	}
	m.window, m.burn, m.thin = math.MaxInt, burn, thin
	return m, nil
}

func newFiltered(s Settings, d cdf.Dims, paper bool, scratch *sync.Pool) (*Filtered, error) {
	base, err := newRowWindow(s, d)
	if err != nil {
		return nil, err
	}
	return &Filtered{rowWindow: base, paper: paper, burn: runIn, thin: 1, scratch: scratch}, nil
}

// Blocks returns the single block of all parameters.
func (m *Filtered) Blocks() []cdf.Block { return []cdf.Block{m} }

// filteredWork is scratch space for a path of theta, the boundary first.
type filteredWork struct {
	m, v, p, theta []float64
	// Means over the draws at the steps that leave: theta, its square, its
	// product with the one before, squared residual.
	first, second, cross, residual []float64
}

func newFilteredScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(filteredWork) }} }

func (w *filteredWork) size(steps, leaving int) {
	for _, x := range []*[]float64{&w.m, &w.v, &w.p, &w.theta} {
		*x = lin.Grow(*x, steps+1)
	}
	for _, x := range []*[]float64{&w.first, &w.second, &w.cross, &w.residual} {
		*x = lin.Grow(*x, leaving+1)
		clear(*x)
	}
}

// Absorb appends the rows to the window and discounts the departed steps.
func (m *Filtered) Absorb(s *cdf.Step) {
	m.take(s.Shard)
	if s.Forget < 1 {
		lin.Scale(s.Forget, m.c[:])
		m.nSig *= s.Forget
		m.nTau *= s.Forget
	}
}

// Sample sweeps over theta, tau2, sigma2 and phi, and lets the oldest steps
// leave.
func (m *Filtered) Sample(s *cdf.Step) error {
	d := s.Draws
	w := m.scratch.Get().(*filteredWork)
	defer m.scratch.Put(w)
	burn := 0
	if m.begin() {
		burn = m.burn
	}
	leaving := max(len(m.steps)-m.window, 0)
	w.size(len(m.steps), leaving)
	m.sum = moments{}
	for k := -burn; k < d.S; k++ {
		for range m.thin {
			m.path(s, w)
			m.draw(s, w)
		}
		if k < 0 {
			continue
		}
		end := len(m.steps)
		m.sum.add(m.last, w.m[end], w.v[end])
		for i, x := range m.last {
			d.Row(i)[k] = x
		}
		d.Row(thetaRow)[k] = w.theta[end]
		w.collect(m.steps[:leaving], 1/float64(d.S))
	}
	copy(m.hat[:], m.sum.mean[:])
	m.settle(w, leaving)
	if !lin.Finite(m.sum.mean[:]...) || !lin.Finite(m.c[:]...) || !m.loadable() {
		return fmt.Errorf("%w: dlm: statistics not finite", cdf.ErrNumeric)
	}
	return nil
}

// path draws theta from the boundary to the last step given the parameters,
// by forward filtering and backward sampling.
func (m *Filtered) path(s *cdf.Step, w *filteredWork) {
	phi, tau2, sigma2 := m.last[0], m.last[1], m.last[2]
	mean, v := m.boundary(sigma2)
	w.m[0], w.v[0] = mean, v
	for i := range m.steps {
		w.p[i+1] = float64(phi*phi*v) + tau2
		mean, v = m.steps[i].kalman(mean, v, phi, tau2, sigma2)
		w.m[i+1], w.v[i+1] = mean, v
	}
	end := len(m.steps)
	x := mean + math.Sqrt(v)*s.RNG.NormFloat64()
	w.theta[end] = x
	for i := end - 1; i >= 0; i-- {
		inv := 1 / w.p[i+1]
		x = w.m[i] + phi*w.v[i]*inv*(x-phi*w.m[i]) + math.Sqrt(w.v[i]*tau2*inv)*s.RNG.NormFloat64()
		w.theta[i] = x
	}
}

// draw draws tau2, sigma2 and phi given the path.
func (m *Filtered) draw(s *cdf.Step, w *filteredWork) {
	sums := Sums{C: m.c, Observations: m.nSig, Transitions: m.nTau}
	if !m.left {
		sums.Start(w.theta[0], m.prior.Theta0Variance)
	}
	for i := range m.steps {
		sums.Observe(&m.steps[i], w.theta[i+1])
		sums.Move(w.theta[i], w.theta[i+1])
	}
	m.last = sums.Draw(s.RNG, &m.prior, m.last[0])
}

// collect adds a draw of the steps that leave.
func (w *filteredWork) collect(leaving []Step, weight float64) {
	for i := range w.first {
		x := w.theta[i]
		w.first[i] += weight * x
		w.second[i] += weight * x * x
		if i > 0 {
			e := leaving[i-1].mean - x
			w.cross[i] += weight * x * w.theta[i-1]
			w.residual[i] += weight * e * e
		}
	}
}

// settle turns the steps that leave into statistics and moves the boundary
// behind them.
func (m *Filtered) settle(w *filteredWork, leaving int) {
	if leaving > 0 && !m.left {
		square := w.second[0]
		if m.paper {
			square = w.first[0] * w.first[0]
		}
		m.c[0] += 0.5 * square / m.prior.Theta0Variance
		m.nSig++
		m.m0, m.v0 = m.boundary(m.hat[2])
		m.left = true
	}
	for i := range leaving {
		step := &m.steps[i]
		before, now, cross, residual := w.second[i], w.second[i+1], w.cross[i+1], w.residual[i+1]
		if m.paper {
			a, b := w.first[i], w.first[i+1]
			before, now, cross, residual = a*a, b*b, a*b, (step.mean-b)*(step.mean-b)
		}
		if step.n > 0 {
			m.c[0] += 0.5 * (step.ss + step.n*residual)
			m.nSig += step.n
		}
		m.c[1] += 0.5 * before
		m.c[2] += 0.5 * cross
		m.c[3] += 0.5 * now
		m.nTau++
		if m.paper {
			m.m0, m.v0 = w.first[i+1], 0
		} else {
			m.m0, m.v0 = step.kalman(m.m0, m.v0, m.hat[0], m.hat[1], m.hat[2])
		}
	}
	m.keep()
}
