package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// nodes are the nodes of a trapezoid rule over l = log sigma2, where
// beta is integrated analytically:
//
//	f(l) = log p(D | s) + log p(s) + l + const,  s = e^l
//
// All published numbers that need the exact posterior are sums over them.
type nodes struct {
	l, s, f []float64 // f relative to its largest value top
	top, h  float64
	total   float64   // trapezoid sum of e^f, without h
	cum     []float64 // integral of e^f up to a node
}

const (
	// depth is how far below its maximum f is followed.
	depth = 40
	// farthest bounds |l|, so that s is a float.
	farthest = 690
)

// logJoint returns f at l up to a constant that does not depend on l.
func (m *Model) logJoint(l float64) float64 {
	q := &m.post
	s := math.Exp(l)
	inv := 1 / s
	quad := 2*m.prior.Sigma2Rate + q.rho2
	det := dist.NewLogProduct()
	g2 := q.g2[:len(q.d2)]
	for j, d2 := range q.d2 {
		v := 1 + d2*inv
		det.Mul(v)
		quad += g2[j] / v
	}
	return -(m.prior.Sigma2Shape+m.n/2)*l - 0.5*(det.Log()+quad*inv)
}

// slope returns the first two derivatives of f at log s.
func (m *Model) slope(s float64) (first, second float64) {
	q := &m.post
	c := (m.prior.Sigma2Rate + 0.5*q.rho2) / s
	first = c - m.prior.Sigma2Shape - m.n/2
	second = -c
	for j, d2 := range q.d2 {
		h := 1 / (s + d2)
		k := s * h
		first += 0.5 * (d2*h + q.g2[j]*h*k)
		second += 0.5 * h * k * (q.g2[j]*h*(d2-s) - d2)
	}
	return first, second
}

// modes returns the leftmost and the rightmost maximum of f that lie within
// depth of the highest. More than one exists where prior and data disagree:
// much noise against large coefficients. Every maximum lies in [lo, hi], and
// f is smooth on the scale of 1, so a grid finds the basins.
func (m *Model) modes() (left, right float64) {
	q := &m.post
	shape := m.prior.Sigma2Shape + m.n/2
	mass := q.rho2
	for j := range q.d2 {
		mass += q.g2[j] + q.d2[j]
	}
	lo := math.Log(m.prior.Sigma2Rate / shape)
	hi := math.Log((m.prior.Sigma2Rate + 0.5*mass) / shape)
	steps := int(math.Ceil((hi-lo)/0.75)) + 1
	step := (hi - lo) / float64(steps)
	s, ratio := math.Exp(lo), math.Exp(step)
	best, found, rising := 0.0, false, true
	for i := range steps {
		s *= ratio
		first, _ := m.slope(s)
		if last := i == steps-1; rising && (first <= 0 || last) {
			x := m.climb(lo+float64(i)*step, lo+float64(i+1)*step)
			switch fx := m.logJoint(x); {
			case !found || fx > best+depth:
				left, right, best, found = x, x, fx, true
			case fx > best-depth:
				right, best = x, max(best, fx)
			}
		}
		rising = first > 0
	}
	return left, right
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

// fillNodes places the nodes: 201 of them, as many more as a long tail or a
// narrow mode needs, or 41 where f is close to a parabola, which the rule
// integrates to working precision already then.
func (m *Model) fillNodes(w *nodes) {
	left, right := m.modes()
	top := max(m.logJoint(left), m.logJoint(right))
	from, sd := m.edge(left, -1, top)
	to, other := m.edge(right, 1, top)
	sd = min(sd, other)
	k := 41
	if m.early() || left != right || to-from > 24*sd {
		spacing := min(0.2, 0.5*sd)
		k = min(max(4*int(math.Ceil((to-from)/(4*spacing)))+1, 201), 20_001)
	}
	w.l, w.s, w.f = lin.Grow(w.l, k), lin.Grow(w.s, k), lin.Grow(w.f, k)
	w.top, w.h, w.total = top, (to-from)/float64(k-1), 0
	for i := range k {
		l := from + float64(i)*w.h
		w.l[i], w.s[i], w.f[i] = l, math.Exp(l), m.logJoint(l)-top
		w.total += w.weight(i)
	}
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
			return at, sd
		}
	}
}

// weight returns the trapezoid weight of node i times e^f there.
func (w *nodes) weight(i int) float64 {
	v := math.Exp(w.f[i])
	if i == 0 || i == len(w.f)-1 {
		return 0.5 * v
	}
	return v
}

// logEvidence returns log p(D_1..t).
func (m *Model) logEvidence(w *nodes) float64 {
	m.fillNodes(w)
	a := m.prior.Sigma2Shape
	return w.top + math.Log(w.total*w.h) +
		a*math.Log(m.prior.Sigma2Rate) - dist.LogGamma(a) - 0.5*m.n*math.Log(2*math.Pi)
}

// sigma2 returns the mean and sd of sigma2. Beyond the last node the density
// of l falls by the power of s that holds there, which is integrated exactly;
// a power of 1 or less has no mean, of 2 or less no sd: NaN.
func (w *nodes) sigma2() (mean, sd float64) {
	last := len(w.f) - 1
	power := (w.f[last-1] - w.f[last]) / w.h
	end, s := math.Exp(w.f[last]), w.s[last]
	total := w.total * w.h
	mean, sd = math.NaN(), math.NaN()
	if !(power > 1) {
		return mean, sd
	}
	sum := 0.0
	for i, v := range w.s {
		sum += v * w.weight(i)
	}
	mean = (sum*w.h + end*s/(power-1)) / total
	if !(power > 2) {
		return mean, sd
	}
	sum = 0
	for i, v := range w.s {
		sum += (v - mean) * (v - mean) * w.weight(i)
	}
	tail := end * (s*s/(power-2) - 2*mean*s/(power-1) + mean*mean/power)
	return mean, math.Sqrt((sum*w.h + tail) / total)
}

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

// accumulate integrates e^f up to every node.
func (w *nodes) accumulate(m *Model) {
	w.cum = lin.Grow(w.cum, len(w.l))
	w.cum[0] = 0
	for i := range len(w.l) - 1 {
		w.cum[i+1] = w.cum[i] + m.gauss(w.l[i], w.l[i+1], w.top)
	}
}

// gauss integrates e^(f-top) over [a, b] by the three-point Gauss rule.
func (m *Model) gauss(a, b, top float64) float64 {
	mid, half := 0.5*(a+b), 0.5*(b-a)
	d := half * 0.7745966692414834 // sqrt(3/5)
	return half / 9 * (5*(math.Exp(m.logJoint(mid-d)-top)+math.Exp(m.logJoint(mid+d)-top)) +
		8*math.Exp(m.logJoint(mid)-top))
}

// quantile returns the p-quantile of l = log sigma2, after accumulate.
func (w *nodes) quantile(m *Model, p float64) float64 {
	target := p * w.cum[len(w.cum)-1]
	lo, hi := 0, len(w.cum)-2
	for lo < hi {
		if k := (lo + hi + 1) / 2; w.cum[k] <= target {
			lo = k
		} else {
			hi = k - 1
		}
	}
	start, end := w.l[lo], w.l[lo+1]
	x := start + (end-start)*(target-w.cum[lo])/(w.cum[lo+1]-w.cum[lo])
	for range 20 {
		step := (w.cum[lo] + m.gauss(start, x, w.top) - target) / math.Exp(m.logJoint(x)-w.top)
		next := min(max(x-step, start), end)
		if math.Abs(next-x) < 1e-13*(end-start) {
			return next
		}
		x = next
	}
	return x
}

// nodeMixture is a law given the data, mixed over the nodes of sigma2.
type nodeMixture struct {
	dist.NormalMixture
	s   []float64 // sigma2 of each component
	inv []float64 // components x p: 1/(1 + d^2/sigma2), the shrinkage of the directions of V
}

// mixNodes fills the mixture's weights from every fourth node, or second
// where these lie far apart. The rule's error is exp(-2 pi c/h) with c, the
// distance of the singularities of e^f from the real line, pi/2: 3e-10 at
// h = .45.
func (m *Model) mixNodes(w *work) {
	m.fillNodes(&w.nodes)
	n, x := &w.nodes, &w.mix
	stride := 4
	if n.h > 0.45/4 {
		stride = 2
	}
	k := (len(n.l)-1)/stride + 1
	x.Size(k)
	x.s, x.inv = lin.Grow(x.s, k), lin.Grow(x.inv, k*m.P)
	sum := 0.0
	for i := range k {
		x.s[i] = n.s[stride*i]
		x.W[i] = math.Exp(n.f[stride*i])
		if i == 0 || i == k-1 {
			x.W[i] *= 0.5
		}
		sum += x.W[i]
		for j, d2 := range m.post.d2 {
			x.inv[i*m.P+j] = 1 / (1 + d2/x.s[i])
		}
	}
	lin.Scale(1/sum, x.W)
}

// mixAt sets the mixture to the law of shift + c' (V D beta) given the data,
// c in the directions of V; with noise, of that plus an N(0, sigma2) error.
func (m *Model) mixAt(x *nodeMixture, c []float64, shift float64, noise bool) {
	for k, s := range x.s {
		inv := lin.Row(x.inv, m.P, k)
		mean, v := 0.0, 0.0
		for j, cj := range c {
			mean += cj * m.post.dg[j] * inv[j]
			v += cj * cj * inv[j]
		}
		if noise {
			v += s
		}
		x.Mean[k], x.SD[k] = shift+mean/s, math.Sqrt(v)
	}
}
