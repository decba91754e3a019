package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// nodes are the nodes of a trapezoid rule over l = log sigma2, where
// beta is integrated analytically:
//
//	f(l) = log p(D | s) + log p(s) + l + const,  s = e^l
//
// All published numbers that need the exact posterior are sums over them.
type nodes struct {
	l, s, e []float64 // e: e^f relative to its largest value, e^top
	of      uint64    // stamp of the posterior whose nodes fillNodes left here
	top, h  float64
	total   float64 // trapezoid sum of e, without h
	power   float64 // of 1/s in e beyond the last node
	step    int     // of nodes that fillFar left: every which of all there are

	cum    []float64    // integral of e up to a node
	series [][4]float64 // Taylor coefficients of e at the nodes, in units of h
	work   []float64

	bend     *bend   // nil: the nodes are at even distances of l
	mode, sd float64 // of a bend: l is mode where t is 0, and its slope there
	from, to int     // nodes of a bend that have a series
}

const (
	// depth is how far below its maximum f is followed.
	depth = 40
	// farthest bounds |l|, so that s is a float.
	farthest = 690
	// mostVariance is a sigma2 about which f is followed to its depth before that.
	mostVariance = 1e290
	// stride is how many nodes lie between two of those that laws are mixed
	// over, and one.
	stride = 2
)

// size makes room for k nodes, of nobody.
func (w *nodes) size(k int) {
	w.of, w.bend = 0, nil
	w.l, w.s, w.e, w.work = lin.Grow(w.l, k), lin.Grow(w.s, k), lin.Grow(w.e, k), lin.Grow(w.work, 3*k)
}

// logJoint returns f at l up to a constant that does not depend on l.
func (m *Model) logJoint(l float64) float64 {
	s, f, work := [1]float64{math.Exp(l)}, [1]float64{}, [3]float64{}
	m.post.joint(2*m.prior.Sigma2Rate, s[:], f[:], work[:])
	return m.power()*l - 0.5*f[0]
}

// power is that of sigma2 in e^f, but for what bidiagonal.joint counts.
func (m *Model) power() float64 { return 0.5*(float64(m.P)-m.n) - m.prior.Sigma2Shape }

// slope returns the first two derivatives of f at log s.
func (m *Model) slope(s float64) (first, second float64) {
	c := (m.prior.Sigma2Rate + 0.5*m.post.rho2) / s
	first, second = m.post.slopes(s)
	return first + m.power() + c, second - c
}

// modes returns the leftmost and the rightmost maximum of f that lie within
// depth of the highest, and its height. More than one exists where prior and
// data disagree: much noise against large coefficients. Every maximum lies in
// [lo, hi], and f is smooth on the scale of 1, so a grid finds the basins.
func (m *Model) modes(w *nodes) (left, right, top float64) {
	if m.post.s0 > 0 { // there is one, near the plug-in
		l := math.Log(m.post.s0)
		x := m.climb(l-1, l+1)
		return x, x, m.logJoint(x)
	}
	shape := m.prior.Sigma2Shape + m.n/2
	lo := math.Log(m.prior.Sigma2Rate / shape)
	hi := math.Log((m.prior.Sigma2Rate + 0.5*m.post.mass()) / shape)
	steps := int(math.Ceil((hi-lo)/0.75)) + 1
	step := (hi - lo) / float64(steps)
	w.size(steps)
	ratio := math.Exp(step)
	s := m.prior.Sigma2Rate / shape
	for i := range w.s {
		s *= ratio
		w.s[i] = s
	}
	m.post.rises(w.s, w.e, w.work)
	found, rising := false, true
	for i, first := range w.e {
		first += m.power() + (m.prior.Sigma2Rate+0.5*m.post.rho2)/w.s[i]
		if last := i == steps-1; rising && (first <= 0 || last) {
			x := m.climb(lo+float64(i)*step, lo+float64(i+1)*step)
			switch fx := m.logJoint(x); {
			case !found || fx > top+depth:
				left, right, top, found = x, x, fx, true
			case fx > top-depth:
				right, top = x, max(top, fx)
			}
		}
		rising = first > 0
	}
	return left, right, top
}

// climb finds the maximum of f in [a, b] by Newton's method on its slope,
// halving where that leaves the interval.
func (m *Model) climb(a, b float64) float64 {
	x := 0.5 * (a + b)
	for range 60 {
		first, second := m.slope(math.Exp(x))
		if first > 0 {
			a = x
		} else {
			b = x
		}
		next := x - first/second
		if !(second < 0 && next > a && next < b) {
			next = 0.5 * (a + b)
		}
		if math.Abs(next-x) < 1e-4 {
			return next
		}
		x = next
	}
	return x
}

// fillNodes places the nodes: some 50 of a bend while the rows are few, else as placeEven does.
//
// A shard asks for them several times: they stay until others take their place.
func (m *Model) fillNodes(w *nodes) {
	if m.has(w) {
		return
	}
	left, right, top := m.peaks(w)
	if !(m.early() && left == right && m.bendNodes(w, left, top)) {
		m.placeEven(w, left, right, top, 1)
	}
	w.of = m.post.stamp
}

// fillFar places nodes that hold where e is small, too: by them rows are predicted, of which some lie far from where
// all others do, and the evidence is summed. Of a step above 1 it may leave out those between the ones that laws are mixed over.
func (m *Model) fillFar(w *nodes, step int) {
	if m.has(w) && w.step <= step {
		return
	}
	left, right, top := m.peaks(w)
	m.placeEven(w, left, right, top, step)
	w.of, w.step = m.post.stamp, step
}

// peaks are the modes, found once for the two kinds of nodes of a posterior.
func (m *Model) peaks(w *nodes) (left, right, top float64) {
	p := &m.post.peaks
	if p.of != m.post.stamp || p.of == 0 {
		p.left, p.right, p.top = m.modes(w)
		p.of = m.post.stamp
	}
	return p.left, p.right, p.top
}

// has reports that the nodes are those of this posterior.
func (m *Model) has(w *nodes) bool { return w.of == m.post.stamp && w.of != 0 }

// placeEven places nodes at even distances of l: 81 of them, as many more as a long tail or a
// narrow mode needs, or some 25 where f is close to a parabola, which the rule
// integrates to working precision already then: its error at a spacing of h
// sds is 2 exp(-2 (pi/h)^2), 1e-15 at .75. While the rows are few it leaves out all but
// those that lie by a multiple of the step from the first.
func (m *Model) placeEven(w *nodes, left, right, top float64, step int) {
	from, sd := m.edge(left, -1, top)
	to, other := m.edge(right, 1, top)
	sd = min(sd, other)
	cells := 4 * int(math.Ceil((to-from)/(3*sd)))
	switch {
	case m.early():
		// What is interpolated between nodes is off by 4e-8 (h/sd)^8. Laws are
		// mixed over every second node; that rule's error is that of the
		// Fourier transform at 1/(2h), below 1e-12 for gamma laws.
		cells = m.cells(to-from, min(0.14, 0.28*sd), 80) / step
	case left != right || to-from > 24*sd:
		cells = m.cells(to-from, min(0.2, 0.5*sd), 200)
	}
	m.layNodes(w, from, to, cells)
	w.raise(top)
	first, _ := m.slope(w.s[cells])
	w.power = -first
}

// layNodes places nodes at even distances and sets e to f there.
func (m *Model) layNodes(w *nodes, from, to float64, cells int) {
	w.size(cells + 1)
	w.h = (to - from) / float64(cells)
	for i := range w.l {
		w.l[i] = from + float64(float64(i)*w.h)
	}
	vec.Exps(w.s, w.l)
	m.post.joint(2*m.prior.Sigma2Rate, w.s, w.e, w.work)
	for i, l := range w.l {
		w.e[i] = float64(m.power()*l) - 0.5*w.e[i]
	}
}

// raise takes e from f to e^f relative to e^top.
func (w *nodes) raise(top float64) {
	w.top, w.total = top, 0
	w.work = lin.Grow(w.work, len(w.e))
	for i, f := range w.e {
		w.work[i] = f - top
	}
	vec.Exps(w.e, w.work)
	for i := range w.e {
		w.total += w.weight(i)
	}
}

// cells returns how many cells of at most the given width a range is cut
// into: at least the given number, and a multiple of stride.
func (m *Model) cells(width, spacing float64, least int) int {
	return min(max(stride*int(math.Ceil(width/(stride*spacing))), least), 20_000)
}

// edge follows f from a maximum at x in the given direction until it is depth
// below top, and returns where and the width of the maximum.
func (m *Model) edge(x, direction, top float64) (at, sd float64) {
	_, second := m.slope(math.Exp(x))
	sd = 1
	if second < 0 {
		sd = 1 / math.Sqrt(-second)
	}
	for d := 9 * sd; ; d *= 1.15 {
		at = x + direction*d
		if math.Abs(at) > farthest {
			return max(-farthest, min(farthest, at)), sd
		}
		if m.logJoint(at) < top-depth {
			break
		}
	}
	// Towards small variances f falls faster than a parabola.
	for {
		nearer := x + (at-x)/1.15
		if !(m.logJoint(nearer) < top-depth) {
			return at, sd
		}
		at = nearer
	}
}

// weight returns the trapezoid weight of node i times e there.
func (w *nodes) weight(i int) float64 {
	if i == 0 || i == len(w.e)-1 {
		return 0.5 * w.e[i]
	}
	return w.e[i]
}

// sigma2 returns the mean and sd of sigma2; a power of 1 or less has no mean,
// of 2 or less no sd: NaN.
func (w *nodes) sigma2() (mean, sd float64) {
	last := len(w.e) - 1
	end, s := w.e[last], w.s[last]
	mean, sd = math.NaN(), math.NaN()
	if !(w.power > 1) {
		return mean, sd
	}
	sum := 0.0
	for i, v := range w.s {
		sum += v * w.weight(i)
	}
	if w.bend == nil {
		sum += end * s * w.beyond(1)
	}
	mean = sum / w.total
	if !(w.power > 2) {
		return mean, sd
	}
	sum = 0
	for i, v := range w.s {
		sum += (v - mean) * (v - mean) * w.weight(i)
	}
	if w.bend != nil {
		return mean, math.Sqrt(sum / w.total)
	}
	tail := end * (s*s*w.beyond(2) - 2*mean*s*w.beyond(1) + mean*mean*w.beyond(0))
	return mean, math.Sqrt((sum + tail) / w.total)
}

// beyond returns the trapezoid sum of s^k e beyond the last node, relative to
// the value there: e falls by the power of s that holds there, so that the
// nodes that would follow are a geometric series.
func (w *nodes) beyond(k float64) float64 { return 0.5 + 1/math.Expm1((w.power-k)*w.h) }

// sensitivity returns the sd of the log prior density of log sigma2.
func (w *nodes) sensitivity(p *Prior) float64 {
	log := func(i int) float64 { return float64(-p.Sigma2Shape*w.l[i]) - p.Sigma2Rate/w.s[i] }
	mean, square := 0.0, 0.0
	for i := range w.l {
		mean += float64(w.weight(i) * log(i))
	}
	mean /= w.total
	for i := range w.l {
		d := log(i) - mean
		square += float64(w.weight(i) * d * d)
	}
	return math.Sqrt(square / w.total)
}
