package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// mostOfTerms is the greatest number of normals with several variances, and termsNumbers
	// that of the numbers in their factors: 4 MiB. With one normal of a core of 197, which a factor of 190 levels
	// makes, sds of another of five levels were .63 of what they are.
	mostOfTerms  = 32
	termsNumbers = 1 << 19
	// telling is an sd of log s2, over the number of its points, from which on one more
	// changes what is published.
	telling = 0.15
)

// axis is the points of one of several log variances: those of Gauss for its law given the
// others, or its fit where that tells enough.
type axis struct {
	few
	spread float64
	points int
	log    []float64 // log density at the points, other variances at their fit
	now    int       // the point of a combination
}

// mixTerms takes the normals at all combinations of points of the variances. The weights are
// those of the joint density that the statistics have: given by the product of the
// rules, and by how the density differs from a product.
func (q *posterior) mixTerms(p *shape, s *stats, m []float64, w *work) bool {
	combinations := w.space(q.vars, min(mostOfTerms, termsNumbers/max(s.c*s.c, 1)))
	for t := range w.axes {
		a := &w.axes[t]
		a.place(-math.Log(m[t]), &q.vars[t], w)
		if combinations > 1 && !a.weigh(t, p, s, m, w) { // one alone has all the weight
			return false
		}
	}
	q.gauss, q.wt = lin.Resize(q.gauss, combinations), q.wt[:0]
	top := math.Inf(-1)
	for more := true; more; more = w.next() {
		log := 0.0
		for t := range w.axes {
			a := &w.axes[t]
			w.m[t] = math.Exp(-a.at[a.now])
			log += math.Log(a.wt[a.now]) - a.log[a.now] + p.logPrior(a.at[a.now])
		}
		g := &q.gauss[len(q.wt)]
		if !g.conditional(p, s, w.m, w) {
			return false
		}
		q.wt = append(q.wt, log+g.log)
		top = max(top, log+g.log)
	}
	total := 0.0
	for i, log := range q.wt {
		q.wt[i] = math.Exp(log - top)
		total += q.wt[i]
	}
	lin.Scale(1/total, q.wt)
	return lin.Finite(top)
}

// space chooses how many points each log variance has, more where it is known less, and
// returns the number of their combinations, the given one at most if that is not 0.
func (w *work) space(vars []variance, greatest int) int {
	w.axes = lin.Resize(w.axes, len(vars))
	for t := range w.axes {
		a := &w.axes[t]
		a.spread, a.points, a.now = vars[t].spread(), 1, 0
	}
	for all := 1; ; {
		var next *axis
		most := telling
		for t := range w.axes {
			a := &w.axes[t]
			if left := a.spread / float64(a.points); left > most && all/a.points*(a.points+1) <= greatest {
				next, most = a, left
			}
		}
		if next == nil {
			return all
		}
		all = all / next.points * (next.points + 1)
		next.points++
	}
}

// place finds the points of a log variance, of which the given one is the fit.
func (a *axis) place(fit float64, v *variance, w *work) {
	a.log = lin.Grow(a.log, a.points)
	clear(a.log)
	if a.points == 1 {
		a.at, a.wt = append(a.at[:0], fit), append(a.wt[:0], 1)
	} else {
		w.l = lin.Grow(w.l, len(v.l))
		total := 0.0
		for i, f := range v.f {
			w.l[i] = v.weight(i, f)
			total += w.l[i]
		}
		lin.Scale(1/total, w.l)
		mean, sd := moments(v.l, w.l)
		a.rule(v.l, w.l, mean, sd, a.points)
	}
}

// weigh finds the log density at the points of term t.
func (a *axis) weigh(t int, p *shape, s *stats, m []float64, w *work) bool {
	copy(w.m, m)
	for k, l := range a.at {
		w.m[t] = math.Exp(-l)
		g := &w.recent[0]
		if !g.conditional(p, s, w.m, w) {
			return false
		}
		a.log[k] = g.log + p.logPrior(l)
	}
	return true
}

// next moves the points on to another combination and reports whether there is one.
func (w *work) next() bool {
	for t := range w.axes {
		a := &w.axes[t]
		if a.now++; a.now < a.points {
			return true
		}
		a.now = 0
	}
	return false
}
