package linear

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// bend places nodes where a law of log sigma2 is nearly normal, so that a trapezoid rule needs few of
// them. With t(z) from
//
//	t + e^-t - 1 = eta^2/2,  t has the sign of eta,  z = r eta
//
// and l = mode + sd r t(z/r), the log of sigma2 ~ IG(r^2, rate) has a density of z that is the
// normal one times a smooth function, whatever r is. Over l itself its upper tail is exponential and its lower one
// falls at once: at a spacing that the narrow side needs, the other takes most of the nodes.
//
// Any analytic l(z) gives the right integral. How well one fits shows in the sums over every
// second node, and over the others: they agree where the rule of either has converged.
type bend struct {
	r, h  float64 // h: of z
	first float64 // z/h of the first node
	at    []bentNode
}

// bentNode is l(z) with mode 0 and sd 1, in units of h.
type bentNode struct {
	series           [4]float64 // of t, Taylor's
	log              float64    // of dt/dz
	log1, log2, log3 float64    // its derivatives
}

// bends are by skewness and by spacing, wide first.
const (
	bendClasses = 8
	leastBend   = 1.5 // of r^2, which the classes double
	bendLow     = 8   // how far nodes reach below the mode
	wideFrom    = 2   // the class from which the widest spacing mostly does
)

var bendSpacings = [...]float64{0.37, 0.30, 0.24}

var bends = sync.OnceValue(func() *[bendClasses][len(bendSpacings)]bend {
	all := new([bendClasses][len(bendSpacings)]bend)
	for i := range all {
		square := leastBend * math.Exp2(float64(i))
		for k, h := range bendSpacings {
			// As far above that s^2 e is as small there, where the law's power is r^2.
			high := min(math.Sqrt(64/max(1-2*math.Sqrt2/square, 0.1)), 16)
			all[i][k] = newBend(math.Sqrt(square), h, bendLow, high)
		}
	}
	return all
})

// newBend has no node at 0, where the derivatives are 0/0.
func newBend(r, h, low, high float64) bend {
	below, above := int(math.Ceil(low/h)), int(math.Ceil(high/h))
	b := bend{r: r, h: h, first: 0.5 - float64(below), at: make([]bentNode, below+above)}
	for i := range b.at {
		eta := b.eta(float64(i))
		t := bent(eta)
		q, rest := -math.Expm1(-t), math.Exp(-t)
		g1 := eta / q
		g2 := (1 - rest*g1*g1) / q
		g3 := rest * g1 * (g1*g1 - 3*g2) / q
		g4 := -rest * (4*g1*g3 + 3*g2*g2 - 6*g1*g1*g2 + g1*g1*g1*g1) / q
		u := h / r // a cell, in eta
		l1 := g2 / g1
		l2 := g3/g1 - l1*l1
		l3 := g4/g1 - 3*l1*(g3/g1) + 2*l1*l1*l1
		b.at[i] = bentNode{
			series: [4]float64{r * t, r * g1 * u, r * g2 * u * u / 2, r * g3 * u * u * u / 6},
			log:    math.Log(g1),
			log1:   l1 * u, log2: l2 * u * u, log3: l3 * u * u * u,
		}
	}
	return b
}

// bent returns t where eta is.
func bent(eta float64) float64 {
	if math.Abs(eta) < 1e-3 {
		return eta * (1 + eta*(1./6+eta/36))
	}
	t := eta * (1 + eta/6)
	if eta < -2 {
		t = -math.Log(0.5 * eta * eta)
	}
	for range 20 {
		// Halley's method: the second derivative is 1 - q.
		q := -math.Expm1(-t)
		f := t - q - 0.5*eta*eta
		step := f / q
		step /= 1 - 0.5*step*(1-q)/q
		if t -= step; math.Abs(step) < 1e-5*(1+math.Abs(t)) {
			break
		}
	}
	return t
}

// eta returns that of a node.
func (b *bend) eta(i float64) float64 { return (i + b.first) * b.h / b.r }

const (
	// converged bounds the part by which the sums over every second node and over the others differ.
	// Their means of z may by ten times as much and those of sigma2 by thirty: distribution functions that are mixed over every
	// second one are then off by less than a hundred times as much, in sds.
	converged = 1e-12
	// widest bounds the square of a spacing times one and twice the square of the way, in its own sds, that a mean given sigma2
	// goes in one sd of log sigma2: a mixture's distribution function is the narrower the faster its components move.
	widest = 0.165
	// outside bounds what the first and the last node have of the sum, and of that of the moments of sigma2 that
	// there are.
	outside = 1e-12
)

// bendNodes places nodes about the only maximum of f. It reports false where those that there are do not
// do, as of two or three rows.
func (m *Model) bendNodes(w *nodes, mode, top float64) bool {
	s := [1]float64{math.Exp(mode)}
	var first, second, third [1]float64
	m.post.derivatives(s[:], first[:], second[:], third[:])
	c := (m.prior.Sigma2Rate + 0.5*m.post.rho2) / s[0]
	f2, f3 := second[0]-c, third[0]+c
	if !(f2 < 0) {
		return false
	}
	sd := 1 / math.Sqrt(-f2)
	class := 0
	for limit := leastBend * math.Sqrt2; class < bendClasses-1 && -f2*f2*f2 > limit*f3*f3; limit *= 2 {
		class++
	}
	start := 0
	if class < wideFrom {
		start = 1
	}
	w.work = lin.Grow(w.work, 3*m.P)
	narrow := 1 + 2*m.post.turns(s[0], w.work)/-f2
	for k := start; k < len(bendSpacings); k++ {
		if h := bendSpacings[k]; h*h*narrow < widest && m.layBent(w, &bends()[class][k], mode, sd, top) {
			return true
		}
	}
	return false
}

// turns returns the square of the derivative by log s of the mean of V'D beta, in units of the covariance at s: s b'(B'B + sI)^{-1} b,
// b the mean. work has three entries for each.
func (q *posterior) turns(s float64, work []float64) (sum float64) {
	p := len(q.a2)
	l, g, mean := work[:p], work[p:2*p], work[2*p:3*p]
	q.pivots(s, l, g, mean)
	v := 0.0
	for i := p - 1; i >= 0; i-- {
		v = mean[i] - float64(l[i]*v)
		sum += float64(v * v * g[i])
	}
	return sum
}

func (m *Model) layBent(w *nodes, b *bend, mode, sd, top float64) bool {
	k := len(b.at)
	w.size(k)
	w.bend, w.mode, w.sd, w.h, w.top = b, mode, sd, sd*b.h, top
	for i := range b.at {
		w.l[i] = mode + float64(sd*b.at[i].series[0])
	}
	vec.Exps(w.s, w.l)
	m.post.joint(2*m.prior.Sigma2Rate, w.s, w.e, w.work)
	power := m.power()
	f := w.work[:k]
	for i, l := range w.l {
		f[i] = float64(power*l) - 0.5*w.e[i] - top + b.at[i].log
	}
	vec.Exps(w.e, f)
	w.total = w.converge()
	w.power = m.prior.Sigma2Shape + 0.5*m.n
	last := w.e[k-1]
	if w.power > 1 {
		ratio := w.s[k-1] / math.Exp(mode)
		if last *= ratio; w.power > 2 {
			last *= ratio
		}
	}
	return w.e[0] < outside*w.total && last < outside*w.total
}

// converge returns the sum of e, NaN unless every second node has half of it, and of the means of z and sigma2.
func (w *nodes) converge() float64 {
	var sum, of, ofS [2]float64
	for i, e := range w.e {
		k := i & 1
		sum[k] += e
		of[k] += float64(e * float64(i))
		ofS[k] += float64(e * w.s[i])
	}
	total := sum[0] + sum[1]
	center := (of[0] + of[1]) / total
	place := (of[0] - of[1] - center*(sum[0]-sum[1])) * w.bend.h
	if math.Abs(sum[0]-sum[1]) < converged*total && math.Abs(place) < 10*converged*total && math.Abs(ofS[0]-ofS[1]) < 30*converged*(ofS[0]+ofS[1]) {
		return total
	}
	return math.NaN()
}

// countless is the part of the sum that a node of a mixture has that no published digit depends on.
const countless = 1e-13

// counting returns the range of the nodes that laws are mixed over. Above, variances grow with sigma2.
func (w *nodes) counting() (from, to int) {
	to = len(w.e)
	if w.bend == nil {
		return 0, to
	}
	least := countless * w.total
	for w.e[from] < least {
		from++
	}
	s := math.Exp(w.mode)
	for w.e[to-1]*w.s[to-1] < least*s {
		to--
	}
	return from, to
}
