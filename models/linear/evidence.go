package linear

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/models/internal/dist"
)

// LogEvidence returns log p(D_1, ..., D_t), exactly: it is not the surrogate's
// but an integral over sigma2. NaN once a shard was discounted.
func (m *Model) LogEvidence() float64 {
	if m.forgot {
		return math.NaN()
	}
	if m.n == 0 {
		return 0
	}
	q := &m.post
	if q.ready && q.known {
		return q.evidence
	}
	w := m.work()
	defer m.scratch.Put(w)
	if m.prepare(w) != nil {
		return math.NaN()
	}
	q.evidence, q.known = m.logEvidence(w), true
	return q.evidence
}

// logEvidence returns log p(D_1..t), NaN where the factor is not finite.
func (m *Model) logEvidence(w *work) float64 {
	if m.early() { // by nodes at even distances: states hold its bits
		m.fillFar(&w.far, 1)
		return m.evidence(&w.far)
	}
	if !m.placePeak(&w.nodes) {
		if m.post.s0 > 0 && !m.form(w) {
			return math.NaN()
		}
		m.fillNodes(&w.nodes)
	}
	return m.evidence(&w.nodes)
}

// evidence returns log p(D_1..t) by nodes that are filled.
func (m *Model) evidence(w *nodes) float64 {
	a := m.prior.Sigma2Shape
	return w.top + math.Log(w.total*w.h) +
		a*math.Log(m.prior.Sigma2Rate) - dist.LogGamma(a) - 0.5*m.n*math.Log(2*math.Pi)
}

const (
	// steep is how far f falls to the first and the last node of a peak, in
	// sds of a parabola: by 29, and what lies beyond is 1e-13 of the integral.
	steep = 7.616
	// broad is the sd of log sigma2 from which a peak is not looked for.
	broad = 0.25
)

// onePeak reports that f is concave below hi.
func (m *Model) onePeak() bool {
	q, b := &m.post, m.prior.Sigma2Rate
	shape := m.prior.Sigma2Shape + 0.5*(m.n-float64(m.P))
	return q.misfitBelow((b+0.5*(q.rho2+q.b2))/shape) < 2*(b+q.rho2)
}

// placePeak places the nodes that the evidence needs where f has one maximum,
// beside the plug-in, and falls like the log density of an inverse gamma law: some
// 22, without a search for maxima and edges. It reports false where that is
// not certain.
//
// A maximum lies below hi, where the mean of the residuals' squares would be that of
// the responses'. In log s the second derivative of f is at most
//
//	-(b + rho^2/2)/s + (RSS(s) - rho^2)/(2s)
//
// and RSS, of the ridge fit at s, grows with s: where it is negative at hi, f is
// concave below.
func (m *Model) placePeak(w *nodes) bool {
	if !m.onePeak() {
		return false
	}
	first, second := m.slope(m.s2)
	variance := -1 / second
	if !(variance > 0 && variance < broad*broad && first*first*variance < 1) {
		return false
	}
	peak, sd := math.Log(m.s2)+first*variance, math.Sqrt(variance)
	// Where t + e^-t - 1 = eta^2/2, to third order.
	reach := func(eta float64) float64 { return eta * (1 + eta*(1./6+eta/36)) }
	from, to := peak+reach(-steep*sd), peak+reach(steep*sd)
	m.layNodes(w, from, to, int(math.Ceil((to-from)/(0.75*sd))))
	if !m.post.reaches(w.s[len(w.s)-1]) {
		return false
	}
	w.raise(slices.Max(w.e))
	return max(w.e[0], w.e[len(w.e)-1]) < 1e-11
}
