package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// told is what flags and listings ask of a posterior beside its description. It is
// not part of the state.
type told struct {
	known       bool
	phi, phiSD  float64
	sensitivity [thetaRow + 1]float64 // of phi, tau2, sigma2 and theta
	slowest     float64               // see doubt, -1 where it has nothing to say
}

// posterior returns what is told of the present state, of which Summarize usually
// has found it.
func (m *Model) posterior() *told {
	if !m.told.known {
		w := m.family.take()
		if w.weighState(m) {
			m.tell(w)
		}
		m.family.scratch.Put(w)
	}
	return &m.told
}

// tell finds what is told of the posterior that was weighed last.
func (m *Model) tell(w *work) {
	w.marginals()
	p, t := &m.family.settings.Prior, told{known: true}
	t.phi, t.phiSD = w.phiMoments(&m.grid)
	var byTau, bySigma float64
	t.sensitivity[tau2Row], byTau = w.sensitivity(&m.grid, p.Tau2Shape, p.Tau2Rate, true, t.phi)
	t.sensitivity[sigma2Row], bySigma = w.sensitivity(&m.grid, p.Sigma2Shape, p.Sigma2Rate, false, t.phi)
	t.sensitivity[phiRow] = max(math.Abs(byTau), math.Abs(bySigma)) / t.phiSD
	if max(t.sensitivity[tau2Row], t.sensitivity[sigma2Row]) > beyondDoubt {
		w.locate(&m.grid)
		t.sensitivity[thetaRow] = lastOff * max(w.ofLast(&m.grid, p.Tau2Shape, p.Tau2Rate, true), w.ofLast(&m.grid, p.Sigma2Shape, p.Sigma2Rate, false))
	}
	t.slowest = -1
	if t.sensitivity[tau2Row] > beyondDoubt {
		var by float64
		by, t.slowest = w.doubt(&m.grid, p)
		t.sensitivity[phiRow] = max(t.sensitivity[phiRow], byEnds*by/t.phiSD)
	}
	m.told = t
}

// The prior of tau2 that takes the place of the model's where that is doubted: it lets a level hardly
// move, and is what docs/models/dlm.md advises for such a one.
const weakShape, weakRate = .5, .001

// beyondDoubt is a sensitivity of tau2 up to which no other prior of it changes what is said of phi: to save time.
const beyondDoubt = .15

// byEnds makes phi depend on its prior, by a sensitivity of .35, where an end of its interval is half an sd off.
const byEnds = .7

// doubt returns by how much an end of the 95 % interval of phi moves out under a prior of tau2 that lets the level hardly
// move, and where its upper end is then; 0 and -1 where the model's own says more than the default, as one that is known, or no more
// than that one. The default hardly lets a level move by less than a tenth of the noise. Of one that does, it
// makes one that returns at once, and phi is near 0: by so many orders of the density that no power of the prior shows
// any of it.
//
// It is of the posterior that was weighed last, and takes the room of its logarithms.
func (w *work) doubt(g *grid, p *Prior) (by, slowest float64) {
	shape, rate := max(p.Tau2Shape-weakShape, 0), max(p.Tau2Rate-weakRate, 0)
	if p.Tau2Shape > Defaults().Prior.Tau2Shape || shape == 0 && rate == 0 {
		return 0, -1
	}
	phi := w.marginal(g)
	low, high := phi.quantile(.025), phi.quantile(.975)
	// The density of a node is that of before times q^shape, B^A / (B - rate/q)^(A - shape).
	log, weak := w.log, w.factor
	var less, more [nodes]float64
	for j, q := range g.q {
		less[j], more[j] = rate/q, float64(shape*g.l[j])
	}
	for i := range nodes {
		from := (*[nodes]float64)(w.rate[i*nodes:])
		for j, to := 0, weak[i*nodes:][:nodes]; j < nodes; j++ {
			to[j] = from[j] - less[j]
		}
	}
	vec.Logs(log, weak)
	for i := range nodes {
		rates := (*[nodes]float64)(w.logRate[i*nodes:])
		for j, to := 0, log[i*nodes:][:nodes]; j < nodes; j++ {
			to[j] = more[j] + float64(w.shape*rates[j]) - float64((w.shape-shape)*to[j])
		}
	}
	// Nodes without a weight have none here either: their logarithms are any.
	some := w.room[0]
	for k, v := range w.weight {
		if v == 0 {
			v = 1
		}
		some[k] = v
	}
	vec.Logs(weak, some)
	top := math.Inf(-1)
	for k, v := range w.weight {
		if log[k] += weak[k]; v > 0 {
			top = max(top, log[k])
		} else {
			log[k] = math.Inf(-1)
		}
	}
	vec.Lower(log, top, -nothing)
	vec.Exps(weak, log)
	var axis [nodes]float64
	sum := 0.0
	for i := range axis {
		weights, along := (*[nodes]float64)(w.weight[i*nodes:]), 0.0
		for j, v := range (*[nodes]float64)(weak[i*nodes:]) {
			if weights[j] > 0 {
				along += v
				sum += v
			}
		}
		axis[i] = along
	}
	lin.Scale(1/sum, axis[:])
	w.doubted.fill(g, &axis)
	slowest = w.doubted.quantile(.975)
	return max(low-w.doubted.quantile(.025), slowest-high), slowest
}

// PriorSensitivity writes those of tau2 and sigma2, and those of phi and the level: the sds by which
// they move per power of the prior of tau2 or sigma2, whichever moves them more.
// Where a variance is not what its prior expects, the level is taken for faster or
// slower than it is, and for nearer to the last row or farther from it.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.n == 0 {
		return
	}
	for i, f := range functionals {
		if len(f.Param) == 1 && f.Param[0] <= thetaRow {
			dst[i] = m.posterior().sensitivity[f.Param[0]]
		}
	}
}

// sensitivity returns, over the posterior that was weighed last, the sd of log p(log s)
// and its covariance with phi, for s = sigma2 or tau2 and its prior density p, IG(a, b).
// At a node, where s ~ IG(A, B), log p has the mean -a log B - bA/B but for a constant, and
// the variance that dist.InvGammaSensitivity is the root of.
func (w *work) sensitivity(g *grid, a, b float64, tau bool, phi float64) (sd, cross float64) {
	var mean, square, within float64
	shape := w.shape
	tail, expected := a*a*(dist.Trigamma(shape)-1/shape), a/shape
	rates, logs := w.rate, w.logRate
	if tau {
		rates, logs = w.steps(g)
	}
	part, means := w.over(b, rates, 0), w.over(b*shape, rates, 1)
	for i, at := range g.phi {
		from := i * nodes
		part, means, logs := (*[nodes]float64)(part[from:]), (*[nodes]float64)(means[from:]), (*[nodes]float64)(logs[from:])
		off := at - phi
		for j, weight := range (*[nodes]float64)(w.weight[from:]) {
			x := -float64(a*logs[j]) - means[j]
			apart := part[j] - expected
			within += weight * (float64(shape*apart*apart) + tail)
			mean += weight * x
			square += weight * x * x
			cross += weight * off * x
		}
	}
	return math.Sqrt(within + max(square-mean*mean, 0)), cross
}

// lastOff is how many of its sds the last row is taken to be off its prediction where the level is said to depend on a prior: intervals of 95 % miss the
// level where it is off by more than it mostly is. Of some other row by chance near the prediction the level would say nothing of that.
const lastOff = 1.4

// ofLast returns by how many of its sds the level moves per power of the prior of sigma2 or tau2, IG(a, b), if the last row is an sd off its prediction, over
// the posterior that was weighed last and located. The level takes over a part of that error, the gain K, which is spread where the last step has one
// row, and its sd is (K (1-K))^(1/2) of the prediction's. At a node the mean of log p is that of sensitivity.
func (w *work) ofLast(g *grid, a, b float64, tau bool) float64 {
	shape := w.shape
	rates, logs := w.rate, w.logRate
	if tau {
		rates, logs = w.steps(g)
	}
	x := w.over(b*shape, rates, 0)
	log, gain, cross := 0.0, 0.0, 0.0
	for k, weight := range w.weight {
		x[k] += float64(a * logs[k])
		log += weight * x[k]
		gain += weight * min(w.spread[k], 1)
	}
	if !(1-gain > 1e-9) { // the last rows have no response
		return 0
	}
	for k, weight := range w.weight {
		cross += weight * min(w.spread[k], 1) * (x[k] - log)
	}
	return math.Abs(cross) / math.Sqrt(gain*(1-gain))
}

// steps returns the rates of tau2 at the nodes and their logarithms, in the room of logarithms and factors.
func (w *work) steps(g *grid) (rates, logs []float64) {
	rates, logs = w.factor, w.log
	for i := range nodes {
		from := i * nodes
		rate, log := (*[nodes]float64)(w.rate[from:]), (*[nodes]float64)(w.logRate[from:])
		toRate, toLog := (*[nodes]float64)(rates[from:]), (*[nodes]float64)(logs[from:])
		for j := range nodes {
			toRate[j] = rate[j] * g.q[j]
			toLog[j] = log[j] + g.l[j]
		}
	}
	return rates, logs
}

// over returns c over each of x, in a room.
func (w *work) over(c float64, x []float64, room int) []float64 {
	to := w.room[room]
	for k := range to {
		to[k] = c
	}
	vec.DivideEach(to, to, x)
	return to
}
