package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// leastLost is how many counts rates are off by at least before that is told of. Rare counts in no order lose several while their first
// shards hardly tell a rate; few_events is of these.
const leastLost = 5

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
//
// Shards before a key's first count say that rates are low, and not how low: their quadratics have next to no curvature, and hold nothing
// against the rates that follow. Until counts tell coefficients the sums of such a key are the counts of all rows and, in the place of
// rates, their exposures, without a curvature.
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
// enough to tell coefficients is taken as if it were in no order, but behind shards without a count: rates go far, each row its own way.
func (o *order) absorb(f *fit, change, past, now, enough float64) {
	moved := 0.0
	switch {
	case now < enough:
		if o.curvature > 0 { // the rest was forgotten
			*o = order{}
		}
		o.wait(f)
		return
	case o.waits():
		o.begin(f)
	case past < enough:
		*o = order{}
		return
	default:
		o.move(change, past)
		moved = float64(change*now) / math.Sqrt(max(now-past, faintest))
	}
	o.add(f)
	if !(math.Abs(o.rates-o.counts) > max(heldLeast, heldSDs*math.Sqrt(now))) && !(math.Abs(moved) > heldMoves) {
		*o = order{}
	}
}

// waits reports whether exposures stand in the place of rates.
func (o *order) waits() bool { return o.rates > 0 && o.curvature == 0 }

// wait takes the counts and exposures of rows that do not tell coefficients yet, once a shard had no count.
func (o *order) wait(f *fit) {
	counts, exposure := f.counts()
	if *o != (order{}) || counts == 0 {
		o.counts += counts
		o.rates += exposure
	}
}

// begin turns exposures into rates at the fit, of an average row of its.
func (o *order) begin(f *fit) {
	var now order
	now.add(f)
	_, exposure := f.counts()
	of := o.rates / exposure
	o.rates, o.curvature = of*now.rates, of*now.curvature
}

// counts returns the counts and exposures of the rows of the fit, these within bounds so that sums are finite and above 0.
func (f *fit) counts() (counts, exposure float64) {
	for i, y := range f.rows.y {
		counts += y * f.rows.weight[i]
		exposure += f.rows.weight[i] * math.Exp(min(max(f.rows.offset[i], -etaMax), etaMax))
	}
	return counts, exposure
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

// orderMatters reports whether rates are off by more than the intercept's interval allows for: where exposures wait, by the rate that the intercept says.
func (m *Model) orderMatters(w *work) bool {
	if !m.ordered() || m.order.counts == 0 { // there may be no column at all
		return false
	}
	rates, information := m.order.rates, m.stats.lam[0]
	enough := max(leastLost, mostBias*math.Sqrt(information))
	if !m.order.waits() && !(math.Abs(rates-m.order.counts) > enough) {
		return false
	}
	mean, sd, ok := m.interceptMoments(w)
	if m.order.waits() {
		rates *= math.Exp(min(mean, etaMax))
	}
	off := math.Abs(rates - m.order.counts)
	return ok && off > max(enough, mostBias*information*sd)
}

// interceptMoments returns the published mean and sd of the intercept.
func (m *Model) interceptMoments(w *work) (mean, sd float64, ok bool) {
	if m.prepare(w) != nil {
		return 0, 0, false
	}
	w.place.reset(&m.stats, m.terms)
	w.place.core[0] = 1
	m.mixAt(&w.place, 0, w)
	mean, sd = w.mix.Moments()
	return mean, sd, true
}
