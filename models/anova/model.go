package anova

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Model is the one-way analysis of variance with random effects:
//
//	y_ij | zeta, sigma2 ~ N(zeta_i, sigma2)
//	zeta_i | mu, tau2 ~ N(mu, tau2)
//	mu ~ N(0, v) or flat,  tau2 ~ IG(a, b),  sigma2 ~ IG(alpha, beta)
//
// The statistics of the groups are exact, N_i, ybar_i and the sum of squares
// within, and so is what is made of them: all parameters are one block, whose
// posterior is found by quadrature over the two variances. The paper draws
// from two blocks with estimates of the other's plugged in, {zeta, sigma2} and
// {mu, tau2}. But mu and tau2 are learnt from k groups however many rows there
// are, and sigma2 from few rows at first: no estimate of them is precise enough.
//
// Source: arXiv:1401.3632, section 3.2, without its partition.
type Model struct {
	statistics
	quantiles [7]float64 // of sigma2, at dist.Levels
	// Of the grid of the last Sample and not part of the state: how far the priors
	// of tau2 and sigma2 decide, and the sd of log tau2.
	sensitivity [2]float64
	logTau2SD   float64
}

// New returns the corrected anova model with empty statistics.
func New(s Settings) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return newModel(s, newScratch()), nil
}

func newModel(s Settings, scratch *sync.Pool) *Model {
	return &Model{statistics: statistics{prior: s.Prior, scratch: scratch}}
}

// Retire drops the groups with fewer than 1e-6 rows.
func (m *Model) Retire() []int32 {
	gone := m.statistics.Retire()
	if len(m.n) == 0 {
		m.quantiles = [7]float64{}
	}
	return gone
}

// Chains returns 1: the draws are independent.
func (m *Model) Chains() int { return 1 }

// Blocks returns one block of all parameters.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{block{m}} }

// block is Theta_1 = {zeta, mu, tau2, sigma2}, k+3 parameters.
type block struct{ m *Model }

// Absorb discounts and folds in the rows that have a response.
func (b block) Absorb(s *cdf.Step) { b.m.absorb(s) }

// Sample finds the posterior of the statistics and draws from it.
func (b block) Sample(s *cdf.Step) error {
	if s.Draws == nil {
		return errNoDraws
	}
	return b.m.sample(s, true)
}

// Redraw draws from the posterior of the statistics as Sample does.
func (m *Model) Redraw(s *cdf.Step) error { return m.sample(s, false) }

// sample draws from the posterior; settle says that its moments are to be noted.
func (m *Model) sample(s *cdf.Step, settle bool) error {
	if len(m.n) == 0 {
		m.drawPrior(s)
		return nil
	}
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	if !w.grid.fill(&m.statistics) {
		return fmt.Errorf("%w: anova: no grid holds the posterior", cdf.ErrNumeric)
	}
	if settle {
		m.settle(w)
		if !m.readable() || !lin.Finite(m.quantiles[:]...) {
			return fmt.Errorf("%w: anova: moments not finite", cdf.ErrNumeric)
		}
	}
	m.draw(s, w)
	return nil
}

// errNoDraws says that a sampled model was not given room for its draws.
var errNoDraws = fmt.Errorf("%w: anova: no draws asked for", cdf.ErrNumeric)

// The rows of Draws once there are groups.
const (
	muRow = iota
	tau2Row
	sigma2Row
	zetaRow
)

// settle finds the moments of all parameters. With r_i = 1/(1 + N_i rho), zeta_i
// is normal given rho, sigma2 and mu, with mean ybar_i + r_i (mu - ybar_i) and
// variance r_i tau2.
func (m *Model) settle(w *work) {
	g := &w.grid
	k := len(m.n)
	w.mean, w.m2, w.within = grown(w.mean, k), grown(w.m2, k), grown(w.within, k)
	var mu, tau2, sigma2, logs, logTau2 weighted
	var tauPrior, sigmaPrior logPrior
	muWithin, upTo, p := 0.0, 0.0, &m.prior
	for i := range g.nodes {
		n := &g.nodes[i]
		x, tauRate := math.Log(n.rho/g.nodes[0].rho), p.Tau2Rate/n.rho
		for _, c := range g.cells[n.first:n.end] {
			z, inv := g.stepZ*float64(c.at), 1/c.sigma2
			tau2.add(c.sigma2*n.rho, c.mass)
			sigma2.add(c.sigma2, c.mass)
			logs.add(z, c.mass)
			logTau2.add(x+z, c.mass)
			tauPrior.add(float64(p.Tau2Shape*(x+z))+float64(tauRate*inv), c.mass)
			sigmaPrior.add(float64(p.Sigma2Shape*z)+float64(p.Sigma2Rate*inv), c.mass)
		}
		if n.mass == 0 {
			continue
		}
		mu.add(n.mu, n.mass)
		muWithin += float64(n.mass * (n.spread + n.moves))
		upTo += n.mass
		inv, tau := n.mass/upTo, n.rho*n.sigma2
		for j, rows := range m.n {
			r := 1 / (1 + float64(rows*n.rho))
			e := float64(r*(n.mu+g.origin-m.ybar[j])) - w.mean[j]
			w.mean[j] += float64(e * inv)
			w.m2[j] += float64(e * e * n.mass * (1 - inv))
			w.within[j] += float64(n.mass * (float64(r*tau) + float64(r*r*(n.spread+n.moves))))
		}
	}
	for j := range m.n {
		m.zeta[j] = m.ybar[j] + w.mean[j]
		m.vari[j] = w.within[j] + w.m2[j]
	}
	m.mu = moments{mu.mean + g.origin, math.Sqrt(muWithin + mu.squares)}
	m.tau = moments{}
	if m.tail() > 1 {
		m.tau.mean = tau2.mean
	}
	if m.tail() > 2 {
		m.tau.sd = math.Sqrt(tau2.squares)
	}
	m.sigma, m.quantiles = moments{}, g.sigma2Quantiles()
	if g.shape > 1 {
		m.sigma.mean = sigma2.mean
	}
	if g.shape > 2 {
		m.sigma.sd = math.Sqrt(sigma2.squares)
	}
	// Predictions take sigma2 for inverse gamma, with the mean and variance that
	// its logarithm has.
	m.shape = dist.TrigammaInverse(logs.squares)
	m.s2 = math.Exp(g.middle+logs.mean+mathext.Digamma(m.shape)) / m.shape
	m.sensitivity = [...]float64{tauPrior.sd(), sigmaPrior.sd()}
	m.logTau2SD = math.Sqrt(logTau2.squares)
}

// weighted sums up a mean and the mean square about it, of masses that add up
// to 1.
type weighted struct{ mass, mean, squares float64 }

func (s *weighted) add(x, mass float64) {
	if mass == 0 {
		return
	}
	before := s.mass
	s.mass += mass
	d := x - s.mean
	s.mean += float64(d * mass / s.mass)
	s.squares += float64(d * d * mass * before / s.mass)
}

// logPrior sums up a log density and its square, of masses that add up to 1. Its sd is
// about its size over the root of the rows, which a difference of squares can tell.
type logPrior struct{ mean, square float64 }

func (l *logPrior) add(log, mass float64) {
	v := mass * log
	l.mean += v
	l.square += float64(v * log)
}

func (l *logPrior) sd() float64 { return math.Sqrt(l.square - float64(l.mean*l.mean)) }

// draw draws from the posterior: a point of the grid, moved within its cell for
// the variances, then mu and the levels given the point. Levels that are not
// described are left out, and change nothing of the others.
func (m *Model) draw(s *cdf.Step, w *work) {
	g := &w.grid
	w.rows(len(m.n), s.Draws)
	w.picks = w.picks.room(s.Draws.S)
	for i := range s.Draws.S {
		n, c := g.pick(s.RNG.Float64())
		mean, variance := g.muGiven(&m.statistics, n, c.sigma2)
		mu := mean + g.origin + float64(math.Sqrt(variance)*s.RNG.NormFloat64())
		w.picks.rho[i], w.picks.tau2[i], w.picks.mu[i] = n.rho, c.sigma2*n.rho, mu
		sigma2 := c.sigma2 * math.Exp(g.stepZ*(s.RNG.Float64()-0.5))
		w.draws[muRow][i], w.draws[sigma2Row][i] = mu, sigma2
		w.draws[tau2Row][i] = sigma2 * n.rho * math.Exp(g.stepX*(s.RNG.Float64()-0.5))
	}
	rows := math.NaN() // that r and sd of the picks are of
	for j, row := range w.draws[zetaRow:] {
		if row == nil {
			continue
		}
		if n := m.n[j]; n != rows {
			rows = n
			p := &w.picks
			for i, rho := range p.rho {
				p.r[i] = 1 / (1 + float64(n*rho))
				p.sd[i] = math.Sqrt(p.r[i] * p.tau2[i])
			}
		}
		rnd.StreamNormals(s.RNG, s.Source, row)
		vec.Levels(row, w.picks.r, w.picks.mu, w.picks.sd, m.ybar[j])
	}
}

// picks are what draws of a level need to know, by draw, and of a level with some rows r
// and the sd given the rest: levels with as many, one after the other, share them.
type picks struct{ rho, tau2, mu, r, sd []float64 }

// room returns picks of n draws.
func (p picks) room(n int) picks {
	if cap(p.rho) < n {
		all := make([]float64, 5*n)
		p = picks{all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n], all[3*n : 4*n : 4*n], all[4*n:]}
	}
	return picks{p.rho[:n], p.tau2[:n], p.mu[:n], p.r[:n], p.sd[:n]}
}

// drawPrior fills the draws while there is no group.
func (m *statistics) drawPrior(s *cdf.Step) {
	row := 0
	if m.located() {
		sd := math.Sqrt(m.prior.MuVariance)
		for i := range s.Draws.S {
			s.Draws.Row(0)[i] = sd * s.RNG.NormFloat64()
		}
		row = 1
	}
	for i := range s.Draws.S {
		s.Draws.Row(row)[i] = rnd.InvGamma(s.RNG, m.prior.Tau2Shape, m.prior.Tau2Rate)
		s.Draws.Row(row + 1)[i] = rnd.InvGamma(s.RNG, m.prior.Sigma2Shape, m.prior.Sigma2Rate)
	}
}
