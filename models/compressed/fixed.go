package compressed

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/compressed/projection"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/qr"
)

// Fixed is regression on a given projection of the columns:
//
//	y_r | beta, sigma2 ~ N((Phi x_r)' beta, sigma2),  gamma = Phi' beta
//	beta | sigma2 ~ N(0, sigma2 v I_m),  sigma2 ~ IG(a, b)
//
// It is conjugate, so the triangular factor of [P y], P = X Phi', and the
// number of rows are the posterior: beta has a t law, sigma2 an inverse gamma
// law, and nothing depends on how the rows were cut. Where v is not given it
// maximises the evidence of the rows.
//
// Source: arXiv:1401.3632, section on compressed regression, with Phi known;
// Guhaniyogi and Dunson, Bayesian compressed regression, arXiv:1303.0642.
type Fixed struct {
	Shape
	m      int
	phi    []float64 // m x p row-major
	r      []float64 // packed factor of order m+1 of the stack [P y]
	n      float64   // rows absorbed, discounted
	forgot bool      // some shard was discounted: there is no joint evidence
	length float64   // mean squared length of the projections of a column
	ybar   float64   // running mean of the response, for
	sums   prequential

	ready   bool
	v       float64   // prior variance of beta in units of sigma2
	l       []float64 // m x m, lower: LL' = P'P + I/v
	mu      []float64 // m: posterior mean of beta
	gamma   []float64 // p: Phi' mu
	a, b    float64   // sigma2 ~ IG(a, b)
	law     dist.Standard
	scratch *sync.Pool
}

// newFixed takes the projection from phi, by name where it has
// names, or draws signs over sqrt(m) where it is nil.
func newFixed(s Settings, phi *projection.Matrix, d cdf.Dims, scratch *sync.Pool) (*Fixed, error) {
	shape, err := NewShape(s, d)
	if err != nil {
		return nil, err
	}
	m := &Fixed{Shape: shape, m: s.Dimension, scratch: scratch}
	p := m.P
	if phi == nil {
		m.phi = projection.Signs(s.ProjectionSeed, m.m, p)
	} else if err := m.take(phi, d.Columns); err != nil {
		return nil, err
	}
	m.r = make([]float64, lin.PackedLen(m.m+1))
	m.length = lin.Dot(m.phi, m.phi) / float64(max(p, 1))
	m.l, m.mu, m.gamma = make([]float64, m.m*m.m), make([]float64, m.m), make([]float64, p)
	return m, nil
}

// take copies the columns of a matrix from a file.
func (m *Fixed) take(phi *projection.Matrix, names []string) error {
	if phi.Names == nil && len(phi.Columns) != m.P {
		return fmt.Errorf("%w: the projection file has %d columns without names, the model has %d", cdf.ErrSchema, len(phi.Columns), m.P)
	}
	at := make(map[string]int, len(phi.Names))
	for j, name := range phi.Names {
		at[name] = j
	}
	m.phi = make([]float64, m.m*m.P)
	for j, name := range names {
		from := j
		if phi.Names != nil {
			var ok bool
			if from, ok = at[name]; !ok {
				return fmt.Errorf("%w: the projection file has no column %q", cdf.ErrSchema, name)
			}
		}
		for k, v := range phi.Columns[from] {
			m.phi[k*m.P+j] = v
		}
	}
	return nil
}

// Blocks returns the single block {beta, sigma2}.
func (m *Fixed) Blocks() []cdf.Block { return []cdf.Block{m} }

// fixedWork is scratch space, shared through a pool.
type fixedWork struct {
	block []float64 // rows of [P y]
	order []float64 // packed factor of order m+1
	prior []float64 // block of m x (m+1)
	u, v  []float64 // m
	e     []float64 // m x S

	gram, eigen []float64 // where v is estimated: m x m, and room for lin.Eigen
}

func newFixedScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(fixedWork) }} }

func (m *Fixed) work() *fixedWork {
	w := m.scratch.Get().(*fixedWork)
	if k := m.m; len(w.u) != k {
		w.block = make([]float64, qr.BlockLen(k))
		w.order = make([]float64, lin.PackedLen(k+1))
		w.prior = make([]float64, lin.BlockLen(k, k+1))
		w.u, w.v = make([]float64, k), make([]float64, k)
	}
	return w
}

// project writes Phi x.
func (m *Fixed) project(x, dst []float64) {
	for k := range dst {
		dst[k] = lin.Dot(x, lin.Row(m.phi, m.P, k))
	}
}

// Absorb discounts the factor by sqrt(lambda) and folds in the projected rows
// that have a response. The prior is not in the factor.
func (m *Fixed) Absorb(s *cdf.Step) {
	known := m.n > 0 && m.prepare() == nil
	m.ready = false
	m.sums.discount(s.Forget)
	if s.Forget < 1 {
		m.forgot = true
		lin.Scale(math.Sqrt(s.Forget), m.r)
		m.n *= s.Forget
	}
	w := m.work()
	defer m.scratch.Put(w)
	sum := 0.0
	rows := float64(qr.Project(m.r, m.m, w.block, s.Shard, func(x []float64, y float64) []float64 {
		m.project(x, w.u)
		if known {
			m.sums.add(y-lin.Dot(w.u, m.mu), y-m.ybar)
		}
		sum += y - m.ybar
		return w.u
	}))
	if m.n += rows; rows > 0 {
		m.ybar += sum / m.n
	}
}

// Sample settles the posterior and draws where draws are asked for.
func (m *Fixed) Sample(s *cdf.Step) error {
	if err := m.prepare(); err != nil {
		return err
	}
	if !lin.Finite(m.n, m.ybar, m.sums.model, m.sums.null) { // such a state cannot be loaded; prepare has looked at the rest
		return fmt.Errorf("%w: compressed fixed: sums not finite", cdf.ErrNumeric)
	}
	if s.Draws != nil {
		m.draw(s)
	}
	return nil
}

// prepare adds the prior to the factor as m more rows, I/sqrt(v) with a
// response of 0, and reads mu and b off it: what is left of the response is
// the sum of squares y'y - c'mu, without its cancellation.
func (m *Fixed) prepare() error {
	if m.ready {
		return nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	k := m.m
	if m.v = m.settings.Prior.BetaVariance; m.v == 0 {
		m.v = m.estimate(w)
	}
	copy(w.order, m.r)
	clear(w.u)
	for i := range k {
		w.u[i] = 1 / math.Sqrt(m.v)
		lin.PutRow(w.prior, i, w.u, 0)
		w.u[i] = 0
	}
	lin.UpdateQR(w.order, k+1, w.prior, k)
	if !lin.Finite(w.order...) {
		return fmt.Errorf("%w: compressed fixed: factor not finite", cdf.ErrNumeric)
	}
	for i := range k {
		row := w.order[lin.PackedRow(k+1, i):lin.PackedRow(k+1, i+1)]
		for j := i; j < k; j++ {
			m.l[j*k+i] = row[j-i]
		}
		m.mu[i] = row[k-i]
	}
	rho := w.order[len(w.order)-1]
	lin.SolveLowerT(k, m.l, m.mu)
	m.a = m.settings.Prior.Sigma2Shape + m.n/2
	m.b = m.settings.Prior.Sigma2Rate + float64(rho*rho)/2
	clear(m.gamma)
	for i, v := range m.mu {
		lin.Axpy(v, lin.Row(m.phi, m.P, i), m.gamma)
	}
	if !lin.Finite(m.gamma...) || !lin.Finite(m.mu...) || math.IsInf(m.b, 1) {
		return fmt.Errorf("%w: compressed fixed: estimate not finite", cdf.ErrNumeric)
	}
	m.ready = true
	return nil
}

// estimate returns the prior variance of the greatest evidence,
//
//	-1/2 log|I + v P'P| - a_n log(b + (y'y - c'mu)/2),
//
// by the eigenvalues of P'P, whose directions hold z_k^2 of the response's sum of
// squares: y'y - c'mu = y'y - sum z_k^2 + sum z_k^2/(1 + v lambda_k). Before the
// first row, and where there are no eigenvalues, x'gamma varies as much as the
// noise.
func (m *Fixed) estimate(w *fixedWork) float64 {
	unit, k := 1., m.m
	if m.length > 0 {
		unit = 1 / m.length
	}
	w.gram, w.eigen = lin.Grow(w.gram, k*k), lin.Grow(w.eigen, lin.EigenWork(k))
	// P'P = R'R and P'y = R'r, R and r of the factor of [P y].
	clear(w.gram)
	clear(w.v)
	yy := 0.0
	for i := range k {
		row := m.r[lin.PackedRow(k+1, i):lin.PackedRow(k+1, i+1)]
		response := row[k-i]
		yy += response * response
		for a, v := range row[:k-i] {
			lin.Axpy(v, row[:a+1], w.gram[(i+a)*k+i:(i+a)*k+i+a+1])
			w.v[i+a] += float64(v * response)
		}
	}
	rest := m.r[len(m.r)-1] * m.r[len(m.r)-1]
	lambda := w.u
	if m.n == 0 || !lin.Eigen(k, w.gram, lambda, w.eigen) {
		return unit / float64(m.P)
	}
	top := slices.Max(lambda)
	z := w.eigen[:k]
	for i, l := range lambda {
		lambda[i], z[i] = max(l, 0), 0 // below 0 by rounding
		if l > rankTol*top {
			d := lin.Dot(lin.Row(w.gram, k, i), w.v)
			z[i] = d * d / l
		}
		yy -= z[i]
	}
	rest += max(yy, 0)
	prior := &m.settings.Prior
	return unit * math.Exp(maximise(leastLogKappa, func(log float64) float64 {
		v, left := unit*math.Exp(log), rest
		for i, l := range lambda {
			left += z[i] / (1 + v*l)
		}
		return evidence(lambda, v, prior.Sigma2Shape+m.n/2, prior.Sigma2Rate+left/2) + prior.signal(v*m.length*float64(m.P))
	}))
}

// draw fills the draws of gamma = Phi'beta and sigma2.
func (m *Fixed) draw(s *cdf.Step) {
	w := m.work()
	defer m.scratch.Put(w)
	d, k := s.Draws, m.m
	w.e = lin.Grow(w.e, k*d.S)
	clear(w.u)
	rnd.MVNPrecision(s.RNG, w.u, m.l, d.S, w.e)
	sigma2 := d.Row(m.P)
	for i := range sigma2 {
		sigma2[i] = rnd.InvGamma(s.RNG, m.a, m.b)
	}
	for i := range k {
		row := lin.Row(w.e, d.S, i)
		for c := range row {
			row[c] = m.mu[i] + float64(row[c]*math.Sqrt(sigma2[c]))
		}
	}
	for j := range m.P {
		row := d.Row(j)
		clear(row)
		for i := range k {
			lin.Axpy(m.phi[i*m.P+j], lin.Row(w.e, d.S, i), row)
		}
	}
}

// spread returns u'(P'P + I/v)^{-1}u and overwrites u.
func (m *Fixed) spread(u []float64) float64 {
	lin.SolveLower(m.m, m.l, u)
	return lin.Dot(u, u)
}
