package anova

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// Model is the one-way analysis of variance with random effects:
//
//	y_ij | zeta, sigma2 ~ N(zeta_i, sigma2)
//	zeta_i | mu, tau2 ~ N(mu, tau2)
//	mu ~ N(0, v) or flat,  tau2 ~ IG(a, b),  sigma2 ~ IG(alpha, beta)
//
// The statistics of the groups are exact: N_i, ybar_i and the sum of squares
// within. Conditional density filtering enters as the plug-in s2 between the
// blocks {zeta, mu, tau2} and {sigma2}. The paper cuts them as {zeta, sigma2}
// and {mu, tau2} instead, but mu and tau2 are learnt from k groups however
// many rows there are, so no estimate of them is precise enough to plug in;
// that of sigma2 is.
//
// In the first block mu is drawn with zeta integrated out, so that the chain
// mixes, and the moments that are published are averages of conditional
// moments given tau2 alone.
//
// Source: arXiv:1401.3632, section 3.2, with its partition changed.
type Model struct {
	statistics
	mcse []float64 // of the last shard's means, by row of Draws; not part of the state
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

// Chains returns 1.
func (m *Model) Chains() int { return 1 }

// Blocks returns {zeta, mu, tau2} and {sigma2}.
func (m *Model) Blocks() []cdf.Block { return []cdf.Block{groupsBlock{m}, sigmaBlock{m}} }

// groupsBlock is Theta_1 = {zeta, mu, tau2}, k+2 parameters.
type groupsBlock struct{ m *Model }

// Absorb discounts and folds in the rows that have a response.
func (b groupsBlock) Absorb(s *cdf.Step) { b.m.absorb(s) }

// burn is the number of sweeps that a chain drops after its start.
const burn = 200

// Sample runs one sweep per draw at the plug-in s2.
func (b groupsBlock) Sample(s *cdf.Step) error {
	m := b.m
	if s.Draws == nil {
		return errNoDraws
	}
	if len(m.n) == 0 {
		m.drawPrior(s)
		return nil
	}
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	m.run(s, w)
	m.errors(w)
	if sum := m.mu.mean + m.mu.sd + m.tau.mean + m.tau.sd + m.tau2; !lin.Finite(sum) {
		return fmt.Errorf("%w: anova: moments not finite", cdf.ErrNumeric)
	}
	return nil
}

// run makes all sweeps of the shard and settles the moments.
func (m *Model) run(s *cdf.Step, w *work) {
	m.sweeps(s, w, m.sweep)
	m.settle(w)
}

// sweeps makes the sweeps of the shard, those before the first draw as number -1.
func (m *statistics) sweeps(s *cdf.Step, w *work, sweep func(s *cdf.Step, w *work, i int)) {
	w.size(len(m.n), s.Draws)
	if m.fresh {
		for range burn {
			sweep(s, w, -1)
		}
	}
	for i := range s.Draws.S {
		sweep(s, w, i)
	}
}

// errNoDraws says that a sampled model was not given room for its draws.
var errNoDraws = fmt.Errorf("%w: anova: no draws asked for", cdf.ErrNumeric)

// leastTau2 bounds tau2 from below, in units of s2: nothing in the data tells
// smaller ones apart. mostTau2 keeps its square a float.
const (
	leastTau2 = 1e-12
	mostTau2  = 1e150
)

// sweep draws mu | tau2, then zeta | mu, tau2, then tau2 | zeta, mu, and adds
// the moments given the tau2 it began with to the sums over sweeps. With
// r = s2/tau2 and q_i = 1/(N_i+r), group i has the weight r q_i on mu and
// variance s2 q_i. Draw i is written unless it is -1.
func (m *Model) sweep(s *cdf.Step, w *work, i int) {
	s2 := m.s2
	tau2 := max(m.tau2, leastTau2*s2)
	r := s2 / tau2
	// The precision of mu, in units of 1/s2. Means are summed about that of
	// the first group, so that a large common offset costs no digits.
	precision, sum, origin := 0.0, 0.0, m.ybar[0]
	for j, n := range m.n {
		q := 1 / (n + r)
		w.q[j] = q
		weight := n * r * q
		precision += weight
		sum += float64(weight * (m.ybar[j] - origin))
	}
	if v := m.prior.MuVariance; v > 0 {
		precision += s2 / v
		sum -= float64(s2 / v * origin)
	}
	centre, spread := origin+sum/precision, s2/precision
	mu := centre + math.Sqrt(spread)*s.RNG.NormFloat64()
	rate, inv := m.prior.Tau2Rate, 1/float64(i+1)
	for j, n := range m.n {
		q := w.q[j]
		// zeta - mu, without the cancellation of computing both.
		d := float64(n*q*(m.ybar[j]-mu)) + float64(math.Sqrt(s2*q)*s.RNG.NormFloat64())
		rate += float64(0.5 * d * d)
		if i < 0 {
			continue
		}
		if row := w.draws[zetaRow+j]; row != nil {
			row[i] = mu + d
		}
		b := r * q
		e := b*(centre-m.ybar[j]) - w.mean[j]
		w.mean[j] += e * inv
		w.m2[j] += float64(e * e * (1 - inv))
		w.within[j] += float64(s2*q) + float64(b*b*spread)
	}
	shape := m.prior.Tau2Shape + float64(len(m.n))/2
	m.tau2 = min(rnd.InvGamma(s.RNG, shape, rate), mostTau2)
	if i < 0 {
		return
	}
	w.used[i], w.centre[i], w.spread[i], w.tau2[i] = tau2, centre, spread, rate
	w.draws[muRow][i], w.draws[tau2Row][i] = mu, m.tau2
}

// The rows of Draws once there are groups.
const (
	muRow = iota
	tau2Row
	sigma2Row
	zetaRow
)

// settle turns the sums over the sweeps into moments.
func (m *Model) settle(w *work) {
	S := float64(len(w.used))
	for j := range m.n {
		m.zeta[j] = m.ybar[j] + w.mean[j]
		m.vari[j] = (w.within[j] + w.m2[j]) / S
	}
	// mu given tau2 is N(centre, spread).
	within, _ := meanAndVariance(w.spread)
	mean, between := meanAndVariance(w.centre)
	m.mu = moments{mean, math.Sqrt(within + between)}
	// tau2 given zeta and mu is IG(a + k/2, rate).
	m.tau = moments{}
	shape := m.prior.Tau2Shape + float64(len(m.n))/2
	if m.tail() <= 1 {
		return
	}
	within = 0
	for i := range w.tau2 {
		w.tau2[i] /= shape - 1
		if m.tail() > 2 {
			within += w.tau2[i] * w.tau2[i] / (shape - 2)
		}
	}
	mean, between = meanAndVariance(w.tau2)
	m.tau = moments{mean, math.Sqrt(within/S + between)}
}

// errors finds the Monte Carlo errors of the means that are described: those
// of the averages of the conditional means.
func (m *Model) errors(w *work) {
	m.mcse = lin.Grow(m.mcse, zetaRow+len(m.n))
	m.mcse[muRow] = w.diag.MCSEMean(w.centre, 1)
	m.mcse[tau2Row] = w.diag.MCSEMean(w.tau2, 1)
	for j, n := range m.n {
		if w.draws[zetaRow+j] == nil {
			continue
		}
		for i, tau2 := range w.used {
			r := m.s2 / tau2
			w.series[i] = r / (n + r) * (w.centre[i] - m.ybar[j])
		}
		m.mcse[zetaRow+j] = w.diag.MCSEMean(w.series, 1)
	}
}

// meanAndVariance returns the mean and the mean squared deviation from it.
func meanAndVariance(x []float64) (mean, variance float64) {
	for i, v := range x {
		mean += (v - mean) / float64(i+1)
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
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

// sigmaBlock is Theta_2 = sigma2.
type sigmaBlock struct{ m *Model }

// Absorb has nothing to add: the statistics are those of the first block.
func (b sigmaBlock) Absorb(*cdf.Step) {}

// Sample settles the plug-in s2 = 1/E[1/sigma2] and the law of sigma2. Its
// rate holds the expected squares about zeta, not those about an estimate of
// it; its shape counts the rows that the groups have not used up, N - k_eff,
// k_eff = sum N_i V_i / s2. The V_i come from the plug-in before, so that in
// a first small shard k_eff could exceed N.
func (b sigmaBlock) Sample(s *cdf.Step) error {
	m := b.m
	if len(m.n) == 0 {
		return nil
	}
	rows, squares, used := m.squares()
	m.s2 = (m.prior.Sigma2Rate + squares/2) / (m.prior.Sigma2Shape + rows/2)
	m.shape = m.prior.Sigma2Shape + (rows-min(used/m.s2, rows))/2
	if !(m.s2 > 0) || math.IsInf(m.s2, 1) {
		return fmt.Errorf("%w: anova: plug-in of sigma2 is %v", cdf.ErrNumeric, m.s2)
	}
	shape, rate := m.sigmaLaw()
	row := s.Draws.Row(sigma2Row)
	for i := range row {
		row[i] = rnd.InvGamma(s.RNG, shape, rate)
	}
	return nil
}

// squares returns N, the expected sum of squares of the rows about zeta, and
// the part of it that is due to the uncertainty of zeta.
func (m *statistics) squares() (rows, squares, used float64) {
	for i, n := range m.n {
		d := m.zeta[i] - m.ybar[i]
		rows += n
		used += n * m.vari[i]
		squares += n * d * d
	}
	return rows, m.ss + squares + used, used
}
