package compressed

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Sketch is regression on many columns whose statistics are a
// sketch of X'X:
//
//	y = alpha + z'gamma + e,  e ~ N(0, sigma2),  z_j = (x_j - xbar_j)/s_j
//	gamma_j ~ N(0, sigma2 kappa),  sigma2 ~ IG(a, b),  kappa estimated
//
// Given its compression beta and the spread of its projection, compressed
// regression is ridge regression on gamma = Phi'beta; here beta and Phi are
// integrated out and only gamma is kept. The log likelihood is
//
//	-(g'Sg - 2h'g) / (2 sigma2),  S = B'B + diag(c),  B at most r x p.
//
// Curvature beyond r directions is given up in a way that leaves the posterior mode
// where it was, and of the diagonal of S what rows told of it (truncate). With p <= r
// nothing is given up, and the posterior is that of conjugate regression with
// kappa at its maximum of the evidence. It uses no random numbers.
//
// Source: arXiv:1401.3632, section on compressed regression, for the model;
// for the sketch compare Liberty, Simple and deterministic matrix sketching,
// arXiv:1206.0594, whose shrinkage is replaced by the rule of truncate.
type Sketch struct {
	Shape
	rank int

	rows  int       // of B
	b     []float64 // B, row-major; room for min(r, p) rows once they are there
	c     []float64 // p: the diagonal of S beyond B'B
	h     []float64 // p
	g     []float64 // p: posterior mode
	xbar  []float64 // p: weighted mean
	ss    []float64 // p: weighted sum of squares about it
	scale []float64 // p: s, sd of the columns

	ybar, yy float64 // mean and sum of squares about it
	n        float64 // rows absorbed
	weight   float64 // N_m, rows after discounting
	// loss and lossN sum squared standardised errors of prediction and rows,
	// discounted: the variance estimate of a sketch that has given up something.
	loss, lossN float64
	// misfit sums the squared errors of prediction as they are, discounted as
	// loss is, and best is the least mean square that they had: see gain.
	misfit, best float64
	logKappa     float64
	shape, rate  float64 // sigma2 ~ IG(shape, rate)
	lossy        bool
	sums         prequential

	version uint64 // of the state, for work kept in scratch space
	failed  error  // of the last Absorb
	law     dist.Standard
	scratch *sync.Pool
}

func newSketch(s Settings, d cdf.Dims, scratch *sync.Pool) (*Sketch, error) {
	shape, err := NewShape(s, d)
	if err != nil {
		return nil, err
	}
	m := &Sketch{Shape: shape, rank: s.Rank, scratch: scratch}
	p := m.P
	buf := make([]float64, 6*p)
	for _, x := range []*[]float64{&m.c, &m.h, &m.g, &m.xbar, &m.ss, &m.scale} {
		*x, buf = buf[:p:p], buf[p:]
	}
	m.empty()
	return m, nil
}

// empty makes the statistics those of no rows; the counts of rows and the
// prequential sums stay.
func (m *Sketch) empty() {
	m.rows, m.b = 0, m.b[:0]
	for _, x := range [][]float64{m.c, m.h, m.g, m.xbar, m.ss} {
		clear(x)
	}
	for j := range m.scale {
		m.scale[j] = 1
	}
	m.ybar, m.yy, m.weight, m.logKappa, m.lossy = 0, 0, 0, 0, false
	m.loss, m.lossN, m.misfit, m.best = 0, 0, 0, 0
	m.shape, m.rate = m.settings.Prior.Sigma2Shape, m.settings.Prior.Sigma2Rate
}

// Blocks returns the single block {gamma, sigma2}.
func (m *Sketch) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb discounts the statistics and takes the rows that have a response
// into the sketch, many rows in several passes. Rows enter as they are: the
// sketch centres and scales by means and sds of its own, on top of what the
// engine did to the columns.
func (m *Sketch) Absorb(s *cdf.Step) {
	m.failed = nil
	w := m.work()
	defer m.scratch.Put(w)
	if n := s.Shard.Observed(); m.atOnce(n) {
		m.failed = m.takeWhole(w, s)
	} else if n > 0 {
		serial := s.Shard.Serial // of the first pass: the next ones come to another state
		if n < s.Shard.Rows {
			serial = 0
		}
		m.failed = passes(s, m.most(), w.x, w.y, func(n int, forget float64) error { return m.pass(w, serial, n, forget) })
	} else if s.Forget < 1 && m.weight > 0 {
		m.failed = m.pass(w, 0, 0, s.Forget)
	}
}

// most is the number of rows that one pass takes.
func (m *Sketch) most() int { return max(m.rank, 100) }

// Sample draws where draws are asked for.
func (m *Sketch) Sample(s *cdf.Step) error {
	if m.failed != nil {
		return m.failed
	}
	if !m.loadable() {
		return errSketch("statistics not finite")
	}
	if s.Draws != nil {
		return m.draw(s)
	}
	return nil
}

// negligibleWeight is the number of rows below which what is left of
// discounted statistics is dropped, before its reciprocal overflows.
const negligibleWeight = 1e-12

// pass takes the n rows in w through the sketch: score, discount, centre,
// scale, stack on B, estimate kappa and sigma2, solve, truncate.
func (m *Sketch) pass(w *sketchWork, serial uint64, n int, forget float64) error {
	if err := m.review(w, serial, n, w.x, w.y[:n], forget); err != nil {
		return err
	}
	m.discount(forget, n)
	m.centre(w, n)
	if m.weight == 0 {
		return nil
	}
	squares := w.mean // no longer needed
	clear(squares)
	for i := range w.rows {
		for j, v := range lin.Row(w.x, m.P, i) {
			squares[j] += float64(v * v)
		}
	}
	m.rescale(w, n, squares)
	m.stack(w)
	if !lin.Finite(m.ss...) || !lin.Finite(m.h...) || !lin.Finite(w.m[:w.rows*m.P]...) || math.IsInf(m.yy, 1) {
		return errSketch("statistics not finite")
	}
	return m.reduce(w)
}

// reduce takes the statistics with the rows in w.now to what is kept of them.
func (m *Sketch) reduce(w *sketchWork) error {
	if err := m.rotate(w); err != nil {
		return err
	}
	if err := m.estimate(w); err != nil {
		return err
	}
	m.truncate(w)
	if !lin.Finite(m.g...) || !lin.Finite(m.h...) || !lin.Finite(m.c...) || !(m.rate > 0) || math.IsInf(m.rate, 1) {
		return errSketch("estimate not finite")
	}
	return nil
}

func errSketch(what string) error {
	return fmt.Errorf("%w: compressed sketch: %s", cdf.ErrNumeric, what)
}

// review scores the n rows that have a response with the state before them: the
// errors of prediction are what the variance of a lossy sketch is estimated from, since its
// fit to the rows it holds is too good. Of rows that were scored under the serial it is known.
func (m *Sketch) review(w *sketchWork, serial uint64, n int, x, y []float64, forget float64) error {
	d := forget
	if m.n > 0 {
		d *= math.Pow(m.n/(m.n+float64(n)), m.settings.Discount[0])
	}
	m.loss *= d
	m.lossN *= d
	m.misfit *= d
	m.sums.discount(forget)
	if m.weight == 0 || n == 0 {
		return nil
	}
	if err := m.solve(w); err != nil {
		return err
	}
	r, found := m.posterior(w), &w.together.found
	known := serial != 0 && serial == found.serial
	for from := 0; from < len(y); from += chunk {
		some := min(chunk, len(y)-from)
		mean, v := r.rows.mean[:some], r.rows.v[:some]
		if known {
			mean, v = found.mean[from:][:some], found.v[from:][:some]
		} else {
			r.observeAll(some, x[from*m.P:])
		}
		for i, y := range y[from : from+some] {
			if math.IsNaN(y) {
				continue
			}
			e := y - mean[i]
			m.loss += e * e / (1 + v[i])
			m.misfit += float64(e * e)
			m.sums.add(e, y-m.ybar)
		}
	}
	m.lossN += float64(n)
	return nil
}

// discount counts n rows more, forgets, and gives less weight to what was absorbed at an early
// mode once curvature was given up there: (N before / N)^a2, for directions
// whose curvature the sketch overstates, and what the fit has gained.
func (m *Sketch) discount(forget float64, n int) {
	before := m.n
	m.n += float64(n)
	m.version++
	d := forget
	if gain := m.gain(forget); m.lossy {
		d *= math.Pow(before/m.n, m.settings.Discount[1]) * gain
	}
	if m.weight*d < negligibleWeight {
		m.empty()
		return
	}
	if d == 1 {
		return
	}
	lin.Scale(math.Sqrt(d), m.b)
	for _, x := range [][]float64{m.c, m.h, m.ss} {
		lin.Scale(d, x)
	}
	m.yy *= d
	m.weight *= d
}

// gain returns the least mean square error of prediction so far over the least
// one before. The rows of a shard whose curvature is given up tell of gamma
// with the misfit of their time as noise: they weigh as the reciprocal of its
// mean square, which the product of the gains since then is, but for a
// factor common to all. A fit that gets worse, by an outlier or a change,
// does not make the past weigh more. With forgetting the least one is forgotten: it
// rises, at most to what the mean square is, and what it rises by is no gain later.
func (m *Sketch) gain(forget float64) float64 {
	if !(m.lossN > 0) || !(m.misfit > 0) {
		return 1
	}
	now := m.misfit / m.lossN
	if m.best == 0 {
		m.best = now
		return 1
	}
	before := m.best
	m.best = min(now, before/forget)
	return min(m.best/before, 1)
}

// centre moves the rows to their mean and the statistics to the common one:
// the difference of the means becomes one more row, which makes sums of
// squares about the common mean exact. Means are summed about a value near
// them, so that a constant column stays exactly constant.
func (m *Sketch) centre(w *sketchWork, n int) {
	w.rows = 0
	if n == 0 {
		return
	}
	p, rows := m.P, float64(n)
	old := m.weight > 0
	base, ybase := m.xbar, m.ybar
	if !old {
		base, ybase = w.base, w.y[0]
		copy(base, w.x[:p])
	}
	mean, ymean := w.mean, 0.
	clear(mean)
	for i := range n {
		x := lin.Row(w.x, p, i)
		for j, v := range x {
			x[j] = v - base[j]
			mean[j] += x[j]
		}
		w.y[i] -= ybase
		ymean += w.y[i]
	}
	lin.Scale(1/rows, mean)
	ymean /= rows
	for i := range n {
		lin.Axpy(-1, mean, lin.Row(w.x, p, i))
		w.y[i] -= ymean
	}
	w.rows = n
	if old {
		f := math.Sqrt(m.weight * rows / (m.weight + rows))
		x := lin.Row(w.x, p, n)
		for j, v := range mean {
			x[j] = f * v
		}
		w.y[n] = f * ymean
		w.rows++
	}
	share := rows / (m.weight + rows)
	for j, v := range mean {
		m.xbar[j] = base[j] + float64(v*share)
	}
	m.ybar = ybase + float64(ymean*share)
	m.weight += rows
}

// rescale updates the sds of the columns by the sums of squares of n rows, and moves the
// statistics to them. Once curvature was given up they stay as they are, but for a column
// that varies for the first time.
func (m *Sketch) rescale(w *sketchWork, n int, squares []float64) {
	p := m.P
	changed := false
	for j, v := range squares {
		first := m.ss[j] == 0
		m.ss[j] += v
		s := m.scale[j]
		switch {
		case m.ss[j] == 0:
			s = 1
		case !m.lossy:
			s = math.Sqrt(m.ss[j] / max(m.weight-1, 1))
		case first:
			s = math.Sqrt(m.ss[j] / float64(n))
		}
		if s < 1e-150 { // its reciprocal squared overflows: as good as constant
			s = 1
		}
		k := m.scale[j] / s
		w.base[j] = k
		if k != 1 {
			changed = true
			m.h[j] *= k // c_j is 0 wherever a scale changes
			m.scale[j] = s
		}
	}
	if changed {
		for i := range m.rows {
			row := lin.Row(m.b, p, i)
			for j, k := range w.base {
				row[j] *= k
			}
		}
	}
}

// stack adds the rows to h and puts them below B in w.m.
func (m *Sketch) stack(w *sketchWork) {
	p := m.P
	copy(w.m, m.b)
	for i := range w.rows {
		row := lin.Row(w.m, p, m.rows+i)
		vec.DivideEach(row, lin.Row(w.x, p, i), m.scale)
		lin.Axpy(w.y[i], row, m.h)
		m.yy += float64(w.y[i] * w.y[i])
	}
	w.rows += m.rows
	w.now, w.flip, w.near = stack{w}, p < w.rows, false
}
