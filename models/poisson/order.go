package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// leastLost is how many counts rates are off by at least before that is told of. Rare counts in no order lose several while their first
// shards hardly tell a rate; few_events is of these.
const leastLost = 10

// When sums are kept: else they begin anew as if all rows before were in no order, which costs little then. Of rows in no order hardly any state has
// them, so that releases before read these.
const (
	heldLeast = 2   // counts that rates are off by
	heldSDs   = .15 // of the intercept, all else known, that these are
	heldMoves = 4.  // sds of a shard's mean that its rows are away from what was before
)

// order tells whether the order of the rows matters. A row is expanded once, at the fit of its time. Where coefficients are far
// from that later, as behind rows that are sorted by their counts, the quadratics take the rates of past rows for lower
// than they are: the score of the intercept, counts less rates, is 0 in them and not at the rows. All are sums over the
// rows that are not expanded anew, discounted.
type order struct {
	counts           float64
	rates, curvature float64 // at the present fit, as far as the mean change of log rates tells
}

func (o *order) discount(a float64) {
	o.counts *= a
	o.rates *= a
	o.curvature *= a
}

// absorb takes the sums along with a fit to rows that are not expanded anew, before which the past had so much curvature. What is less than
// enough to tell coefficients is taken as if it were in no order: rates go far, each row's its own way.
func (o *order) absorb(f *fit, change, past, now, enough float64) {
	if past < enough {
		*o = order{}
		return
	}
	o.move(change, past)
	o.add(f)
	moved := float64(change*now) / math.Sqrt(max(now-past, faintest))
	if !(math.Abs(o.rates-o.counts) > max(heldLeast, heldSDs*math.Sqrt(now))) && !(math.Abs(moved) > heldMoves) {
		*o = order{}
	}
}

// add takes the rows of the fit, at which they were expanded.
func (o *order) add(f *fit) {
	for i, y := range f.rows.y {
		y *= f.rows.weight[i]
		o.counts += y
		o.rates += max(y-f.now.grad[i], 0) // beside a great count a small rate is rounding, and no state has one below 0
		o.curvature += f.now.w[i]
	}
}

// move takes rates and their curvature along with the fit, in which the logarithms of the rates change by so much on average. All rows
// are taken for alike: with x = s2e rate, of which the curvature is the part 1/(1+x) of the rate, x + log x
// changes by it, as in fit.rate. Rows of before the sums are kept begin as if they were in no order, with the past's curvature.
func (o *order) move(change, past float64) {
	if *o == (order{}) {
		*o = order{past, past, past}
	}
	if !(o.curvature > 0) {
		return
	}
	change = min(max(change, -etaMax), etaMax)
	x := o.rates/o.curvature - 1
	if !(x > 1e-6) { // no effects of the rows' own
		o.rates *= math.Exp(change)
		o.curvature *= math.Exp(change)
		return
	}
	next := omega(math.Log(x) + x + change)
	o.rates *= next / x
	o.curvature = o.rates / (1 + next)
}

// change returns the mean change of the past rows' log rates, each weighed by its curvature, from where the fit began.
func (f *fit) change() float64 {
	s, c, q := f.stats, f.stats.c, f.stats.q
	sum := 0.0
	for j, b := range f.b {
		sum += float64((s.lam[j*c] - f.reduced.lam[j*c]) * (b - f.begunB[j]))
	}
	for t, g := range f.design.touched {
		b, _, _ := s.record(int(g))
		for j, u := range lin.Row(f.u, q, t) {
			sum += float64(b[j*c] * (u - f.begunU[t*q+j]))
		}
	}
	return sum / max(s.lam[0], faintest)
}

// ordered reports whether the order of the rows is judged: where there is a level to judge by, and rows are expanded once.
func (m *Model) ordered() bool { return m.intercept && !m.held && m.settings.Buffer <= 1 }

// orderMatters reports whether rates are off by more than the intercept's interval allows for.
func (m *Model) orderMatters(w *work) bool {
	if !m.ordered() { // there may be no column at all
		return false
	}
	off, information := math.Abs(m.order.rates-m.order.counts), m.stats.lam[0]
	if !(off > max(leastLost, mostBias*math.Sqrt(information))) {
		return false
	}
	sd, ok := m.interceptSD(w)
	return ok && off > float64(mostBias*information*sd)
}

// interceptSD returns the published sd of the intercept.
func (m *Model) interceptSD(w *work) (sd float64, ok bool) {
	if m.prepare(w) != nil {
		return 0, false
	}
	w.place.reset(&m.stats, m.terms)
	w.place.core[0] = 1
	m.mixAt(&w.place, 0, w)
	_, sd = w.mix.Moments()
	return sd, true
}
