package dlm

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// family is what all keys of one configuration share.
type family struct {
	settings Settings
	known    bool // the mean of the level: it is 0
	scratch  sync.Pool
	logZ     float64       // of the prior on the full range, see work.weigh
	phiSD    float64       // of the prior
	ages     atomic.Uint64 // that states of grids were given
}

func newFamily(s Settings, known bool) *family {
	f := &family{settings: s, known: known}
	f.scratch.New = func() any { return newWork(known) }
	if s.Mode == "grid" {
		w := f.take()
		w.grid.place(fullLow, fullHigh)
		w.grid.start(s.Prior.Theta0Variance)
		w.weigh(&w.grid, &s.Prior, 0)
		f.logZ, f.phiSD = w.logZ, s.Prior.phiSD()
		f.scratch.Put(w)
	}
	return f
}

// none are products without a factor.
var none = func() (ones [nodes * nodes]float64) {
	for k := range ones {
		ones[k] = 1
	}
	return ones
}()

// take returns scratch space without products; the caller gives it back.
func (f *family) take() *work {
	w := f.scratch.Get().(*work)
	copy(w.product, none[:])
	return w
}

// work is scratch space. Nothing in it survives the call that took it but the
// weights of the state that was weighed last, if that is what the next call asks for.
type work struct {
	grid    grid      // a copy of the state that scores and predictions move on
	product []float64 // of F, see grid.step
	weight  []float64 // posterior weights of the nodes, sum 1
	rate    []float64 // B of sigma2 | node ~ IG(A, B)
	logRate []float64
	factor  []float64 // of F and of mean.mp, whose logarithms are not in the grid
	log     []float64 // log weights, 0 at the top
	age     uint64    // of the state whose weights these are, 0: of none, see weighState
	shape   float64   // A
	top     float64   // the greatest log weight
	total   float64   // sum of the weights relative to it
	logZ    float64   // log of the integral of the unnormalised posterior
	room    [3][]float64
	axis    [2][nodes]float64
	summed  bool // axis has the sums of the present weights
	filled  bool // so has phi
	// Where the mean is not known, mu | node, sigma2 ~ N(mu, sigma2 muVar).
	mu, muVar []float64
	// theta | node, sigma2 ~ N(level, sigma2 spread), see locate; own is where they
	// are if not those of a grid.
	level, spread []float64
	own           [2][]float64
	nodes         placed
	regrid        regrid
	mix           dist.Mixture
	t, g          dist.Table
	phi, doubted  phiMarginal
	binned        binned
}

func newWork(known bool) *work {
	const n = nodes * nodes
	w := &work{grid: newGrid(known), product: make([]float64, n), weight: make([]float64, n), rate: make([]float64, n), logRate: make([]float64, n), factor: make([]float64, n), log: make([]float64, n), regrid: regrid{known: known}}
	for i := range w.room {
		w.room[i] = make([]float64, n)
	}
	if !known {
		for _, x := range []*[]float64{&w.mu, &w.muVar, &w.own[0], &w.own[1]} {
			*x = make([]float64, n)
		}
	}
	return w
}

// weigh computes the posterior of the nodes after n observations,
//
//	log weight = log pi(phi) + log(1-phi^2) - c l - LD/2 - A log B,
//	A = a + c + n/2,  B = b + d/q + SSE/2,
//
// where 1-phi^2 and q are the Jacobians of the axes. A mean that is not known has the
// prior of an observation about it, mu ~ N(0, sigma2 M), M = 1 + q/(1-phi^2); with
// P = 1/M + RR, mu | sigma2, y ~ N(ER/P, sigma2/P), and integrated out it takes
// ER^2/P off SSE and adds log MP to LD. Logarithms still in the products count. It
// reports whether all numbers are finite.
func (w *work) weigh(g *grid, p *Prior, n float64) bool {
	w.age, w.summed, w.filled = 0, false, false
	w.shape = p.Sigma2Shape + p.Tau2Shape + n/2
	w.nodes.place(g, p)
	w.rates(g)
	vec.Logs(w.logRate, w.rate)
	vec.Logs(w.log, w.factor)
	top := vec.LogWeights(w.log, w.nodes.log[:], g.ld, w.logRate, w.shape)
	if !lin.Finite(top) {
		return false
	}
	vec.Lower(w.log, top, -nothing)
	vec.Exps(w.weight, w.log)
	sum := 0.0
	for k, e := range w.weight {
		if w.log[k] == -nothing {
			e = 0
			w.weight[k] = 0
		}
		sum += e
	}
	lin.Scale(1/sum, w.weight)
	w.top, w.total = top, sum
	w.logZ = top + math.Log(sum*g.spacing(etaAxis)*g.spacing(logAxis))
	return true
}

// nothing is how far below the greatest a log weight is that counts for nothing.
const nothing = 80

// placed is what weigh needs of the nodes and the prior, which are the same as long as the
// limits of the grid are.
type placed struct {
	of    [2][2]float64 // limits
	prior Prior
	log   [nodes * nodes]float64 // log weight without an observation and without A
	least [nodes * nodes]float64 // of B
	mean  [nodes * nodes]float64 // M
}

func (x *placed) place(g *grid, p *Prior) {
	limits := [2][2]float64{g.low, g.high}
	if limits == x.of && x.prior == *p {
		return
	}
	x.of, x.prior = limits, *p
	for i := range nodes {
		at := p.logPhi(g.phi[i]) - 2*g.logCosh[i]
		for j, l := range g.l {
			k := i*nodes + j
			x.log[k] = at - float64(p.Tau2Shape*l)
			x.least[k] = p.Sigma2Rate + p.Tau2Rate/g.q[j]
			x.mean[k] = 1 + float64(g.q[j]*g.cosh2[i])
		}
	}
}

// rates writes B, the factors whose logarithm LD lacks, and the law of the mean, where
// it is not known.
func (w *work) rates(g *grid) {
	copy(w.factor, w.product)
	if g.r == nil {
		for k, b := range w.nodes.least {
			w.rate[k] = b + 0.5*g.sse[k]
		}
		return
	}
	x := vec.Means{Prior: w.nodes.mean[:], Least: w.nodes.least[:], SSE: g.sse, ER: g.er, RR: g.rr, Mu: w.mu, V: w.muVar, Rate: w.rate, Factor: w.factor}
	x.Integrate()
}

// weighState is weigh of a model's state without products. Between two shards of one
// key it is asked for several times, and done once.
func (w *work) weighState(m *Model) bool {
	if w.age == m.age {
		return true
	}
	if !w.weigh(&m.grid, &m.family.settings.Prior, m.n) {
		return false
	}
	w.age = m.age
	return true
}

// changed gives the state an age that none had.
func (m *Model) changed() { m.age = m.family.ages.Add(1) }

// mean is the law of mu at a node, and what its integration does to the
// statistics there, see work.weigh.
type mean struct{ mu, v, sse, mp float64 }

func meanLaw(m, er, rr float64) mean {
	mp := 1 + float64(m*rr)
	v := m / mp
	mu := float64(v * er)
	return mean{mu: mu, v: v, sse: float64(mu * er), mp: mp}
}

// locate finds the laws of the levels of g, with the mean integrated out by the
// weights found last.
func (w *work) locate(g *grid) {
	if g.r == nil {
		w.level, w.spread = g.m, g.v
		return
	}
	w.level, w.spread = w.own[0], w.own[1]
	vec.Along(w.level, w.spread, g.m, g.v, g.r, w.mu, w.muVar)
}

// marginals sums the weights along the axes.
func (w *work) marginals() {
	if w.summed {
		return
	}
	var down [nodes]float64
	for i := range nodes {
		along := 0.0
		for j, v := range (*[nodes]float64)(w.weight[i*nodes:]) {
			along += v
			down[j] += v
		}
		w.axis[etaAxis][i] = along
	}
	w.axis[logAxis], w.summed = down, true
}

// marginal returns that of phi, of g, whose weights were found last and summed.
func (w *work) marginal(g *grid) *phiMarginal {
	if !w.filled {
		w.phi.fill(g, &w.axis[etaAxis])
		w.filled = true
	}
	return &w.phi
}

// mean returns the posterior mean of a function of the nodes.
func (w *work) mean(x []float64) float64 { return lin.Dot(w.weight, x) }

// LogEvidence returns log p(D_1, ..., D_t): the integral over phi and q is
// the sum over the nodes, that over sigma2 and theta is exact. NaN once a shard
// was discounted.
func (m *Model) LogEvidence() float64 {
	if m.forgot {
		return math.NaN()
	}
	if m.n == 0 {
		return 0
	}
	w := m.family.take()
	defer m.family.scratch.Put(w)
	if !w.weighState(m) {
		return math.NaN()
	}
	prior := m.family.settings.Prior
	return w.logZ + dist.LogGamma(w.shape) - m.family.logZ - dist.LogGamma(prior.Sigma2Shape+prior.Tau2Shape) - 0.5*m.n*math.Log(2*math.Pi)
}

// PriorSD writes the prior sd of each functional, NaN where undefined.
func (m *Model) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.family.settings.Prior.priorSD(functionals, dst, m.family.phiSD)
}
