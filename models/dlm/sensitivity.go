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
	w.locate(&m.grid)
	tau := w.sensitivity(&m.grid, p.Tau2Shape, p.Tau2Rate, true, t.phi)
	sigma := w.sensitivity(&m.grid, p.Sigma2Shape, p.Sigma2Rate, false, t.phi)
	t.sensitivity[tau2Row], t.sensitivity[sigma2Row] = tau.own, sigma.own
	t.sensitivity[phiRow] = max(math.Abs(tau.phi), math.Abs(sigma.phi)) / t.phiSD
	if max(tau.own, sigma.own) > beyondDoubt {
		t.sensitivity[thetaRow] = lastOff * max(math.Abs(tau.level), math.Abs(sigma.level))
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
// It is of the posterior that was weighed last.
func (w *work) doubt(g *grid, p *Prior) (by, slowest float64) {
	shape, rate := max(p.Tau2Shape-weakShape, 0), max(p.Tau2Rate-weakRate, 0)
	if p.Tau2Shape > Defaults().Prior.Tau2Shape || shape == 0 && rate == 0 {
		return 0, -1
	}
	phi := w.marginal(g)
	low, high := phi.quantile(.025), phi.quantile(.975)
	// The density of a node is that of before times q^shape, B^A / (B - rate/q)^(A - shape).
	log, weak := w.room[0], w.factor
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
	top := math.Inf(-1)
	for i := range nodes {
		at := i * nodes
		rates, weights, before := (*[nodes]float64)(w.logRate[at:]), (*[nodes]float64)(w.weight[at:]), (*[nodes]float64)(w.log[at:])
		to := (*[nodes]float64)(log[at:])
		for j, v := range weights {
			if v == 0 { // nor has it one here
				to[j] = math.Inf(-1)
				continue
			}
			to[j] = before[j] + (more[j] + float64(w.shape*rates[j]) - float64((w.shape-shape)*to[j]))
			top = max(top, to[j])
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

// moved is by what a posterior moves per power of the prior of a variance, the derivative by the exponent of its density.
type moved struct {
	own   float64 // log of the variance, in sds of it
	phi   float64 // phi
	level float64 // the level, in sds, where the last row is an sd off its prediction
}

// sensitivity returns it for the prior IG(a, b) of sigma2 or tau2, over the posterior that was weighed last and located: the sd of
// log p(log s), s the variance and p its prior density, and covariances with it. At a node, where s ~ IG(A, B), log p has the mean
// -a log B - bA/B but for a constant, and the variance that dist.InvGammaSensitivity is the root of.
//
// The level takes over a part of the last row's error, the gain K, which is spread where the last step has one row, and its sd is
// (K (1-K))^(1/2) of the prediction's.
func (w *work) sensitivity(g *grid, a, b float64, tau bool, phi float64) (by moved) {
	var mean, square, within, gain, gained float64
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
		spread, off := (*[nodes]float64)(w.spread[from:]), at-phi
		for j, weight := range (*[nodes]float64)(w.weight[from:]) {
			x := -float64(a*logs[j]) - means[j]
			apart := part[j] - expected
			within += weight * (float64(shape*apart*apart) + tail)
			mean += weight * x
			square += weight * x * x
			by.phi += weight * off * x
			taken := weight
			if spread[j] < 1 {
				taken *= spread[j]
			}
			gain += taken
			gained += taken * x
		}
	}
	by.own = math.Sqrt(within + max(square-mean*mean, 0))
	if 1-gain > 1e-9 { // else the last rows have no response
		by.level = (gained - mean*gain) / math.Sqrt(gain*(1-gain))
	}
	return by
}

// lastOff is how many of its sds the last row is taken to be off its prediction where the level is said to depend on a prior: intervals of 95 % miss the
// level where it is off by more than it mostly is. Of some other row by chance near the prediction the level would say nothing of that.
const lastOff = 1.4

// steps returns the rates of tau2 at the nodes and their logarithms, in the room of factors and one of its own.
func (w *work) steps(g *grid) (rates, logs []float64) {
	rates, logs = w.factor, w.room[2]
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
