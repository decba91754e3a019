package compressed

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Exact is the model of Sketch with X'X itself:
//
//	y = alpha + z'gamma + e,  e ~ N(0, sigma2),  z_j = (x_j - xbar_j)/s_j
//	gamma_j ~ N(0, sigma2 kappa),  sigma2 ~ IG(a, b),  kappa of the greatest evidence
//
// It is conjugate regression at that kappa however the rows were cut, and
// what a sketch approaches as its rank goes to p. It uses no random numbers.
type Exact struct {
	Shape
	xx   []float64 // sums of products about the means: the lower triangle, by rows
	xy   []float64 // p
	xbar []float64 // p: weighted means
	g    []float64 // p: posterior mean on the standardised columns

	ybar, yy float64 // mean and sum of squares about it
	n        float64 // rows absorbed
	weight   float64 // rows after forgetting
	logKappa float64
	rate     float64 // sigma2 ~ IG(a + weight/2, rate)
	sums     prequential

	version uint64 // of the state, for work kept in scratch space
	law     dist.Standard
	scratch *sync.Pool
}

// maxExact is the greatest number of columns whose X'X is kept: 4 MB.
const maxExact = 1000

func newExact(s Settings, d cdf.Dims, scratch *sync.Pool) (*Exact, error) {
	shape, err := NewShape(s, d)
	if err != nil {
		return nil, err
	}
	p := shape.P
	if p > maxExact {
		return nil, fmt.Errorf("%w: compressed: statistics: exact keeps X'X of at most %d columns, there are %d: "+
			"set settings.statistics: sketch, or list fewer columns.features", cdf.ErrSchema, maxExact, p)
	}
	m := &Exact{Shape: shape, scratch: scratch, xx: make([]float64, p*(p+1)/2)}
	m.xy, m.xbar, m.g = make([]float64, p), make([]float64, p), make([]float64, p)
	m.rate = s.Prior.Sigma2Rate
	return m, nil
}

// Blocks returns the single block {gamma, sigma2}.
func (m *Exact) Blocks() []cdf.Block { return []cdf.Block{m} }

// exactRows is the number of rows that are added at a time.
const exactRows = 256

// exactWork is scratch space shared through a pool. Only the factor, under the
// name of its model and version, outlives the call that took it.
type exactWork struct {
	x, y       []float64 // exactRows x p, exactRows
	base, mean []float64 // p
	scale      []float64 // p: s
	a          []float64 // p x p: the inverse of l, after solve
	d, off, u  []float64 // p
	z          []float64 // p
	rows       *together
	untold     []int     // see ridge
	l          []float64 // p x p: LL' = Z'Z + I/kappa
	diag       []float64 // p: the diagonal of its inverse
	few        handful   // of the state whose l it is
	of         *Exact
	version    uint64
	ridge      ridge // of the state
}

func newExactScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(exactWork) }} }

// work takes scratch space for this model's size; the caller gives it back.
func (m *Exact) work() *exactWork {
	w := m.scratch.Get().(*exactWork)
	if p := m.P; len(w.base) != p {
		*w = exactWork{x: make([]float64, exactRows*p), y: make([]float64, exactRows), a: make([]float64, p*p), l: make([]float64, p*p)}
		for _, v := range []*[]float64{&w.base, &w.mean, &w.scale, &w.d, &w.off, &w.u, &w.z, &w.diag} {
			*v = make([]float64, p)
		}
		w.rows, w.few = newTogether(p, p), newHandful(p)
		w.untold = make([]int, 0, p)
	}
	return w
}

// Absorb scores the rows that have a response, forgets and adds them.
func (m *Exact) Absorb(s *cdf.Step) {
	rows := s.Shard.Observed()
	m.sums.discount(s.Forget)
	if rows == 0 && (s.Forget == 1 || m.weight == 0) {
		return
	}
	m.version++
	w := m.work()
	defer m.scratch.Put(w)
	if m.weight > 0 {
		m.review(w, s.Shard)
	}
	m.forget(s.Forget)
	m.n += float64(rows)
	for row := 0; rows > 0; {
		n := min(rows, exactRows)
		fillRows(s.Shard, &row, n, w.x, w.y)
		m.add(w, n)
		rows -= n
	}
}

// review compares the predictions of the rows with the running mean.
func (m *Exact) review(w *exactWork, sh *cdf.Shard) {
	m.scales(w.scale)
	r := m.posterior(w)
	for i, y := range sh.Y {
		if !math.IsNaN(y) {
			m.sums.add(y-r.mean(lin.Row(sh.X, sh.Cols, i)), y-m.ybar)
		}
	}
}

func (m *Exact) forget(d float64) {
	if m.weight*d < negligibleWeight {
		for _, x := range [][]float64{m.xx, m.xy, m.xbar, m.g} {
			clear(x)
		}
		m.ybar, m.yy, m.weight, m.logKappa, m.rate = 0, 0, 0, 0, m.settings.Prior.Sigma2Rate
	}
	if d < 1 {
		lin.Scale(d, m.xx)
		lin.Scale(d, m.xy)
		m.yy *= d
		m.weight *= d
	}
}

// add adds n rows of w about the common mean. Means are summed about a value
// near them, so that a constant column stays exactly constant. With u and v
// the differences of the rows' means to the old ones,
//
//	xx += sum (x - mean)(x - mean)' + f u u',  xy += ... + f u v,  f = W n/(W + n)
func (m *Exact) add(w *exactWork, n int) {
	p, rows := m.P, float64(n)
	base, ybase := w.base, m.ybar
	if copy(base, m.xbar); m.weight == 0 {
		copy(base, w.x[:p])
		ybase = w.y[0]
	}
	mean, ymean := w.mean, 0.
	clear(mean)
	for i := range n {
		x := lin.Row(w.x, p, i)
		lin.Axpy(-1, base, x)
		lin.Axpy(1/rows, x, mean)
		w.y[i] -= ybase
		ymean += w.y[i] / rows
	}
	for i := range n {
		x := lin.Row(w.x, p, i)
		lin.Axpy(-1, mean, x)
		w.y[i] -= ymean
		lin.Axpy(w.y[i], x, m.xy)
		m.yy += float64(w.y[i] * w.y[i])
	}
	clear(w.a)
	lin.AddGram(n, p, w.x, w.x, w.a)
	f := m.weight * rows / (m.weight + rows)
	for i, at := 0, 0; i < p; i++ {
		row := m.xx[at : at+i+1]
		lin.Axpy(1, w.a[i*p:i*p+i+1], row)
		lin.Axpy(float64(f*mean[i]), mean[:i+1], row)
		at += i + 1
	}
	lin.Axpy(float64(f*ymean), mean, m.xy)
	m.yy += float64(float64(f*ymean) * ymean)
	share := rows / (m.weight + rows)
	for j, v := range mean {
		m.xbar[j] = base[j] + float64(v*share)
	}
	m.ybar = ybase + float64(ymean*share)
	m.weight += rows
}

// scales writes the sds of the columns, 1 for one that is constant or whose
// reciprocal squared would overflow.
func (m *Exact) scales(dst []float64) {
	for i, at := 0, -1; i < m.P; i++ {
		at += i + 1
		if dst[i] = math.Sqrt(m.xx[at] / max(m.weight-1, 1)); !(dst[i] >= 1e-150) {
			dst[i] = 1
		}
	}
}

// gram writes the lower triangle of Z'Z, Z'y to w.u and the scales to w.scale.
func (m *Exact) gram(w *exactWork, dst []float64) {
	m.scales(w.scale)
	p := m.P
	for i, at := 0, 0; i < p; i++ {
		for j, v := range m.xx[at : at+i+1] {
			dst[i*p+j] = v / w.scale[i] / w.scale[j]
		}
		w.u[i] = m.xy[i] / w.scale[i]
		at += i + 1
	}
}

// Sample settles kappa and with it the posterior, and draws where draws are
// asked for.
func (m *Exact) Sample(s *cdf.Step) error {
	w := m.work()
	defer m.scratch.Put(w)
	if m.weight > 0 && (s.Shard.Observed() > 0 || s.Forget < 1) {
		if err := m.estimate(w); err != nil {
			return err
		}
	}
	if !m.loadable() {
		return errExact("statistics not finite")
	}
	if s.Draws != nil {
		return m.draw(w, s)
	}
	return nil
}

// estimate takes the kappa that is greatest, with its prior, in evidence,
//
//	-1/2 log|I + kappa Z'Z| - a_n log(b + (y'y - h'(Z'Z + I/kappa)^{-1}h)/2),  h = Z'y,
//
// of which the tridiagonal form of Z'Z gives every value at the cost of p
// operations.
func (m *Exact) estimate(w *exactWork) error {
	if !lin.Finite(m.xx...) || !lin.Finite(m.xy...) || math.IsInf(m.yy, 1) {
		return errExact("statistics not finite")
	}
	p, shape := m.P, m.shape()
	m.gram(w, w.a)
	lin.Tridiagonal(p, w.a, w.u, w.d, w.off, w.z)
	m.logKappa = maximise(leastLogKappa, func(log float64) float64 {
		det, fit, ok := lin.ShiftedSolve(w.d, w.off, w.u, math.Exp(-log))
		if !ok {
			return math.Inf(-1)
		}
		return -(det+float64(float64(p)*log))/2 - shape*math.Log(m.rateOf(fit)) + m.settings.Prior.signal(float64(p)*math.Exp(log))
	})
	m.version++
	if err := m.solve(w); err != nil {
		return err
	}
	copy(m.g, w.u)
	lin.SolveLower(p, w.l, m.g)
	m.rate = m.rateOf(lin.Dot(m.g, m.g))
	lin.SolveLowerT(p, w.l, m.g)
	if !lin.Finite(m.g...) || !(m.rate > 0) || math.IsInf(m.rate, 1) {
		return errExact("estimate not finite")
	}
	return nil
}

func errExact(what string) error { return fmt.Errorf("%w: compressed exact: %s", cdf.ErrNumeric, what) }

// rateOf is b_n where the fit takes so much of the response's sum of squares.
func (m *Exact) rateOf(fit float64) float64 {
	return m.settings.Prior.Sigma2Rate + max(m.yy-fit, 0)/2
}

func (m *Exact) shape() float64 { return m.settings.Prior.Sigma2Shape + m.weight/2 }

// solve makes w.l, w.diag and w.scale those of the state, and, of a state that it
// has not solved last, w.u its Z'y.
func (m *Exact) solve(w *exactWork) error {
	if w.of == m && w.version == m.version {
		m.scales(w.scale)
		return nil
	}
	w.of, w.few.known = nil, false
	m.gram(w, w.l)
	p, ridge := m.P, math.Exp(-m.logKappa)
	for i := range p {
		w.l[i*p+i] += ridge
	}
	if !lin.FactorInverse(p, w.l, w.a) {
		return errExact("precision not positive definite")
	}
	clear(w.diag)
	for i := range p {
		for j, v := range w.a[i*p : i*p+i+1] {
			w.diag[j] += float64(v * v)
		}
	}
	w.of, w.version = m, m.version
	return nil
}

// solved returns the posterior in scratch space, which release gives back.
func (m *Exact) solved() (*ridge, error) {
	w := m.work()
	if err := m.solve(w); err != nil {
		m.scratch.Put(w)
		return nil, err
	}
	return m.posterior(w), nil
}

func (m *Exact) release(r *ridge) { m.scratch.Put(r.inverse) }

// constant reports whether the column was the same in all rows.
func (m *Exact) constant(column int) bool { return m.xx[column*(column+3)/2] == 0 }

func (m *Exact) absorbed() bool { return m.weight > 0 }

// posterior returns the posterior after solve; its means need only the scales.
func (m *Exact) posterior(w *exactWork) *ridge {
	w.untold = appendUntold(w.untold[:0], m.P, m.constant)
	w.ridge = ridge{
		untold: w.untold, kappa: math.Exp(m.logKappa),
		params: &m.Shape, law: m.law.At(m.shape()), shape: m.shape(), rate: m.rate, ybar: m.ybar, weight: m.weight,
		g: m.g, xbar: m.xbar, scale: w.scale, diag: w.diag, z: w.z, rows: w.rows, inverse: w, few: &w.few,
	}
	return &w.ridge
}

func (w *exactWork) quadratic(z []float64) float64 {
	lin.SolveLower(len(z), w.l, z)
	return lin.Dot(z, z)
}

func (w *exactWork) quadratics(n int, z, dst []float64) {
	p := len(w.z)
	w.rows.squares(n, p, p, z, w.a, dst)
}
