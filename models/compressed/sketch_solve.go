package compressed

import (
	"cmp"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Limits of log kappa, and the least one once curvature was given up: a small
// first shard whose evidence peaks at the lower limit would otherwise hold
// kappa near 0 for many shards.
const (
	leastLogKappa      = -16
	leastLossyLogKappa = -8
	mostLogKappa       = 16
)

// rankTol is the eigenvalue, relative to the largest, below which a direction
// of M'M counts as rounding.
const rankTol = 1e-10

// rotate finds the directions of M'M, those with the most curvature first,
// from the smaller of M M' and M'M.
func (m *Sketch) rotate(w *sketchWork) error {
	p, q := m.P, w.rows
	side := w.side()
	w.vals, w.order, w.vh2 = w.vals[:0], w.order[:0], w.vh2[:0]
	if side == 0 {
		return nil
	}
	h := w.v2[:side]
	if w.flip {
		w.turned = w.now.gram(p)
		copy(h, m.h)
	} else {
		w.turned = w.products[:q*q]
		lin.GramT(q, p, w.m, w.turned)
		for i := range q {
			h[i] = lin.Dot(lin.Row(w.m, p, i), m.h)
		}
	}
	vals := w.v1[:side]
	if !lin.Eigen(side, w.turned, vals, w.eigen) {
		return errSketch("eigenvalues not found")
	}
	top := max(slices.Max(vals), 0)
	for k, v := range vals {
		if v > rankTol*top {
			w.order = append(w.order, k)
		}
	}
	slices.SortFunc(w.order, func(i, j int) int { return cmp.Or(cmp.Compare(vals[j], vals[i]), i-j) })
	for _, k := range w.order {
		d := lin.Dot(lin.Row(w.turned, side, k), h)
		d *= d
		if !w.flip {
			d /= vals[k]
		}
		w.vals, w.vh2 = append(w.vals, vals[k]), append(w.vh2, d)
	}
	return nil
}

// estimate settles kappa, the law of sigma2 and the mode g at the rows of w.m.
//
// While nothing was given up kappa maximises its posterior density, and sigma2 is
// inverse gamma as in conjugate regression. Afterwards the fit is better than
// it should be, so sigma2 comes from the errors of prediction and kappa from
// two steps of its fixed point g'g / (sigma2 p_eff), p_eff = p - tr(A)/kappa, to
// which the prior adds 2s (p kappa - 1)/(p kappa + 1).
func (m *Sketch) estimate(w *sketchWork) error {
	a, b := m.settings.Prior.Sigma2Shape, m.settings.Prior.Sigma2Rate
	if !m.lossy {
		least := float64(leastLogKappa)
		if len(w.vals) > m.rank {
			least = leastLossyLogKappa
		}
		m.shape = a + m.weight/2
		m.logKappa = m.mostEvident(w, least)
		m.rate = m.rateAt(w, math.Exp(m.logKappa))
	} else {
		shape := a + m.lossN/2
		sigma2 := (b + m.loss/2) / shape
		// The sd of the law is given. With fewer than 3 degrees of freedom
		// it would come from the tail alone and the rest shrink to nothing.
		m.shape = max(shape, 1.5)
		m.rate = sigma2 * (m.shape - 1)
		if m.n < 2*float64(m.rank) {
			m.logKappa = m.mostEvident(w, leastLossyLogKappa)
		} else if err := m.stepKappa(w, sigma2); err != nil {
			return err
		}
	}
	return m.settle(w, false)
}

// settle writes the mode at the present kappa, and prepares the number of coefficients
// that are effective where that is wanted.
func (m *Sketch) settle(w *sketchWork, effective bool) error {
	if !w.now.mode(m, math.Exp(m.logKappa), effective) {
		return errSketch("precision not positive definite")
	}
	return nil
}

func (m *Sketch) stepKappa(w *sketchWork, sigma2 float64) error {
	for range 2 {
		if err := m.settle(w, true); err != nil {
			return err
		}
		kappa := math.Exp(m.logKappa)
		effective := w.now.effective(m.P, kappa)
		signal := float64(m.P) * kappa
		effective += 2 * m.settings.Prior.SignalShape * (signal - 1) / (signal + 1)
		next := m.logKappa + .5
		if effective > 0 {
			next = math.Log(lin.Dot(m.g, m.g) / (sigma2 * effective))
		}
		next = min(max(next, m.logKappa-.5), m.logKappa+.5)
		m.logKappa = min(max(next, leastLossyLogKappa), mostLogKappa)
	}
	return nil
}

// rateAt is b_n of conjugate regression in the directions of rotate.
func (m *Sketch) rateAt(w *sketchWork, kappa float64) float64 {
	rss := m.yy
	for k, v := range w.vals {
		rss -= w.vh2[k] / (v + 1/kappa)
	}
	return m.settings.Prior.Sigma2Rate + max(rss, 0)/2
}

// evidence is the log marginal likelihood of kappa with its prior, but for a
// constant.
func (m *Sketch) evidence(w *sketchWork, logKappa float64) float64 {
	kappa := math.Exp(logKappa)
	prior := &m.settings.Prior
	return evidence(w.vals, kappa, prior.Sigma2Shape+m.weight/2, m.rateAt(w, kappa)) + prior.signal(float64(m.P)*kappa)
}

// evidence is the log marginal likelihood of conjugate regression, but for a
// constant: of the eigenvalues of X'X, the prior variance in units of sigma2, and
// shape and rate of the law of sigma2.
func evidence(eigenvalues []float64, variance, shape, rate float64) float64 {
	det := dist.NewLogProduct()
	for _, v := range eigenvalues {
		det.Mul(1 + variance*v)
	}
	return -det.Log()/2 - shape*math.Log(rate)
}

// mostEvident returns the log kappa of the greatest evidence.
func (m *Sketch) mostEvident(w *sketchWork, least float64) float64 {
	return maximise(least, func(x float64) float64 { return m.evidence(w, x) })
}

// maximise returns the logarithm of a prior variance where the evidence is
// greatest: a grid from least on in steps of a half, then golden section to 1e-4
// about its best point.
func maximise(least float64, evidence func(log float64) float64) float64 {
	best, at := math.Inf(-1), least
	try := func(x float64) float64 {
		v := evidence(x)
		if v > best {
			best, at = v, x
		}
		return v
	}
	for x := least; x <= mostLogKappa; x += .5 {
		try(x)
	}
	const golden = 0.6180339887498949
	lo, hi := max(at-.5, least), min(at+.5, mostLogKappa)
	x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fx, fy := try(x), try(y)
	for hi-lo > 1e-4 {
		if fx >= fy {
			hi, y, fy = y, x, fx
			x = hi - golden*(hi-lo)
			fx = try(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + golden*(hi-lo)
			fy = try(y)
		}
	}
	return at
}

// truncate makes B of the first r directions V_k. What the others hold is given
// up, but for what a diagonal D can have of it. D acts in the kept directions
// too, so that what it adds there is taken off them:
//
//	S = V'(w - delta)V + c + D,  delta_k = V_k'D V_k,
//	D_j = t_j sum_{k>r} w_k V_kj^2 + sum_{k<=r} delta_k V_kj^2
//
// This leaves the curvature along every kept direction as it was and, where
// t_j = 1, the diagonal of S. Were all columns alike D would be d I. t_j is less than 1
// for what rows told of some directions and D says of all (tell). h moves
// along, so that S g - h, and with it the mode, stays.
func (m *Sketch) truncate(w *sketchWork) {
	p, q := m.P, w.rows
	side := w.side()
	keep := min(len(w.vals), m.rank)
	for i, k := range w.order[:keep] {
		u, from := lin.Row(w.vectors, side, i), lin.Row(w.turned, side, k)
		copy(u, from)
		if w.flip {
			lin.Scale(math.Sqrt(w.vals[i]), u)
		}
	}
	m.rows, m.b = keep, lin.Grow(m.b, keep*p)
	if w.flip {
		copy(m.b, w.vectors[:keep*p])
	} else {
		lin.Mul(keep, p, q, w.vectors, w.m, m.b)
	}
	if len(w.vals) <= m.rank && !w.near {
		return
	}
	m.lossy = true
	d, shift := w.mean, w.base
	clear(shift)
	w.now.slope(m.g, -1, shift)
	m.spread(w, d)
	slope(keep, m.b, m.g, 1, shift)
	for j, v := range d {
		m.h[j] += float64(v*m.g[j]) + shift[j]
		m.c[j] += v
	}
}

// slope adds sign A'A g to dst, A rows x p.
func slope(rows int, a, g []float64, sign float64, dst []float64) {
	for i := range rows {
		row := lin.Row(a, len(g), i)
		lin.Axpy(float64(sign*lin.Dot(row, g)), row, dst)
	}
}

// spreadSteps is the number of steps towards the fixed point of D. Each makes the
// error smaller by the share of a column that is kept, r/p on average, and the
// first guess is exact for columns that are alike. The diagonal is exact
// after any number.
const spreadSteps = 8

// spread writes D and shrinks the rows of B by it. No delta_k exceeds the
// greatest curvature given up, D_j being a mean of curvatures given up and of
// others that are not greater. What of the curvature along a direction B lacks may stay
// with D.
func (m *Sketch) spread(w *sketchWork, d []float64) {
	p, delta, over, share := m.P, w.delta[:m.rows], w.over[:m.rows], w.share[:m.rows]
	w.now.beyond(p, m.b, w.vals, over)
	lost, kept := w.v1[:p], w.v2[:p]
	clear(kept)
	w.now.squares(lost)
	squares := w.solution.t[:m.rows*p] // of B, in the place of a solution that is no longer needed
	for i := range delta {
		square := lin.Row(squares, p, i)
		for j, v := range lin.Row(m.b, p, i) {
			v *= v
			square[j] = v
			lost[j] -= v
			kept[j] += v / w.vals[i]
		}
	}
	most := 0.0
	if m.rows < len(w.vals) {
		most = w.vals[m.rows]
	}
	for j, v := range lost {
		lost[j] = max(v, 0)
	}
	if w.now.partial() && m.rows < len(w.vals) {
		m.tell(w, lost, kept)
	}
	for j := range lost {
		if d[j] = most; lost[j] < float64(most*(1-kept[j])) {
			d[j] = lost[j] / (1 - kept[j])
		}
	}
	for range spreadSteps {
		lin.Mul(m.rows, 1, p, squares, d, delta)
		for i, v := range delta {
			delta[i] = min(max(v/w.vals[i]-over[i], 0), w.vals[i])
			share[i] = delta[i] / w.vals[i]
		}
		copy(d, lost)
		lin.AddTMul(m.rows, p, 1, squares, share, d)
	}
	for i, v := range delta {
		lin.Scale(math.Sqrt(1-v/w.vals[i]), lin.Row(m.b, p, i))
	}
}

// tell shrinks what columns lost to what D may say of it, by the shares of them that
// directions of B have. Rows that are fewer than the columns have directions without any curvature,
// and D has as much there as in the others: to keep the mean of their curvatures would be to
// know what no row told, and since the mode stays, to know that it is where it was. What is kept
// is the mean of their variances. Where the precision was a_j = c_j + 1/kappa, a
// direction of curvature w has 1/a - f w/a^2, f = 1/(1 + w/a), so that
//
//	1/(a_j + d_j) = 1/a_j - f q_j/a_j^2,  d_j = f q_j/(1 - f q_j/a_j),
//
// q_j the mean curvature over the directions not kept and f that of those given up.
// Where they are all of one curvature d_j is q_j, and with many rows behind, a >> w, nearly so.
func (m *Sketch) tell(w *sketchWork, lost, kept []float64) {
	prior, sum, inverse := math.Exp(-m.logKappa), 0., 0.
	for j, v := range lost {
		sum += v
		inverse += v / (m.c[j] + prior)
	}
	if !(sum > 0) {
		return
	}
	inverse /= sum
	given, told := 0., 0.
	for _, v := range w.vals[m.rows:] {
		given += v
		told += v / (1 + float64(v*inverse))
	}
	f := told / given
	for j, v := range lost {
		room, a := 1-kept[j], m.c[j]+prior
		if q := f * v / room; room > 0 && q < a {
			lost[j] = min(v, room*q/(1-q/a))
		}
	}
}
