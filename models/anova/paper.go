package anova

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/codec"
)

// Paper is the same model by the paper's own partition, {zeta, sigma2}
// and {mu, tau2}, its errors mended as far as the rule survives:
//
//	C_1i = sum of the rows of group i, C_2 = (sum zeta^_i^2, sum zeta^_i)
//	zeta_i ~ N((tau2^ C_1i + sigma2 mu^)/(N_i tau2^ + sigma2), tau2^ sigma2/(N_i tau2^ + sigma2))
//	sigma2 | zeta ~ IG(alpha + N/2, beta + sum of squared residuals / 2)
//	mu ~ N(mean zeta^, tau2/k),  tau2 ~ IG(a + k/2, b + sum (zeta^_i - mu)^2 / 2)
//
// with mu^, tau2^ and zeta^ the means of the draws. C_1 as printed
// accumulates what is cumulative already, under weights that cancel from no
// term. It is kept for comparison: the uncertainty of zeta is missing from
// C_2, so tau2 is too small, the groups are drawn together, and their
// intervals are far too short.
//
// Source: arXiv:1401.3632, section 3.2.
type Paper struct {
	statistics
	tau2, last float64 // draws of tau2 and sigma2, where the next chain starts
	fresh      bool    // this shard has set the start, so the chain must forget it
}

// NewPaper returns the paper's anova model with empty statistics.
func NewPaper(s Settings) (*Paper, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return newPaper(s, newScratch()), nil
}

func newPaper(s Settings, scratch *sync.Pool) *Paper {
	return &Paper{statistics: statistics{prior: s.Prior, scratch: scratch}}
}

// Retire drops the groups with fewer than 1e-6 rows.
func (m *Paper) Retire() []int32 {
	gone := m.statistics.Retire()
	if len(m.n) == 0 {
		m.tau2, m.last, m.fresh = 0, 0, false
	}
	return gone
}

// Chains returns 1.
func (m *Paper) Chains() int { return 1 }

// Blocks returns {zeta, sigma2} and {mu, tau2}.
func (m *Paper) Blocks() []cdf.Block { return []cdf.Block{paperZeta{m}, paperMu{m}} }

// paperZeta is Theta_1 = {zeta, sigma2}.
type paperZeta struct{ m *Paper }

// Absorb discounts and folds in the rows that have a response.
func (b paperZeta) Absorb(s *cdf.Step) {
	m := b.m
	m.absorb(s)
	if m.fresh = m.s2 == 0 && len(m.n) > 0; !m.fresh {
		return
	}
	m.start()
	m.last, m.tau.mean, m.mu.mean = m.s2, m.tau2, 0
	for _, y := range m.ybar {
		m.mu.mean += y / float64(len(m.ybar))
	}
}

// Sample runs one sweep per draw at the plug-ins mu^ and tau2^.
func (b paperZeta) Sample(s *cdf.Step) error {
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
	m.sweeps(s, w)
	for j := range m.n {
		m.zeta[j] = m.ybar[j] + w.mean[j]
		m.vari[j] = w.m2[j] / float64(s.Draws.S)
	}
	sigma := drawn(s.Draws.Row(sigma2Row))
	// The rule names no predictive law. With 1/s2 = E[1/sigma2] given the
	// spread of zeta, and all rows counted, a row is t as in the other variant.
	rows, squares := m.squares()
	m.shape = m.prior.Sigma2Shape + rows/2
	m.s2 = (m.prior.Sigma2Rate + squares/2) / m.shape
	m.sigma = moments{}
	if m.shape > 1 {
		m.sigma.mean = sigma.mean
	}
	if m.shape > 2 {
		m.sigma.sd = sigma.sd
	}
	if !(m.s2 > 0) || math.IsInf(m.s2, 1) || !(m.last > 0) || math.IsInf(m.last, 1) {
		return fmt.Errorf("%w: anova paper: sigma2 is %v", cdf.ErrNumeric, m.s2)
	}
	return nil
}

// start sets the plug-in and the first tau2 by the method of moments.
func (m *Paper) start() {
	k, total := float64(len(m.n)), 0.0
	within, inverse, mean := 0.0, 0.0, 0.0
	for i, n := range m.n {
		total += n
		within += max(n-1, 0)
		inverse += 1 / n / k
		mean += m.ybar[i] / k
	}
	grand, between := 0.0, 0.0
	for i, n := range m.n {
		d := m.ybar[i] - mean
		grand += n / total * d
		if k > 1 {
			between += d * d / (k - 1)
		}
	}
	p := &m.prior
	m.s2 = (p.Sigma2Rate + m.ss/2) / (p.Sigma2Shape + within/2 - 1)
	if within < 4 {
		// Too few rows within groups: the variance of all rows.
		all := m.ss
		for i, n := range m.n {
			d := m.ybar[i] - mean - grand
			all += n * d * d
		}
		if m.s2 = all / (total - 1); !(m.s2 > 0) {
			m.s2 = (p.Sigma2Rate + all/2) / (p.Sigma2Shape + total/2)
		}
	}
	m.tau2 = max(between-m.s2*inverse, 0.1*m.s2*k/total)
}

// burn is the number of sweeps that a chain drops after its start.
const burn = 200

// sweeps makes the sweeps of the shard, those before the first draw as number -1.
func (m *Paper) sweeps(s *cdf.Step, w *work) {
	k := len(m.n)
	w.rows(k, s.Draws)
	w.mean, w.m2 = grown(w.mean, k), grown(w.m2, k)
	if m.fresh {
		for range burn {
			m.sweep(s, w, -1)
		}
	}
	for i := range s.Draws.S {
		m.sweep(s, w, i)
	}
}

// leastTau2 bounds tau2 from below, in units of s2: nothing in the data tells
// smaller ones apart. mostTau2 keeps its square a float.
const (
	leastTau2 = 1e-12
	mostTau2  = 1e150
)

// sweep draws zeta | sigma2 and sigma2 | zeta, and adds to the sums over
// sweeps. Draw i is written unless it is -1.
func (m *Paper) sweep(s *cdf.Step, w *work, i int) {
	mu, inv := m.mu.mean, 1/float64(i+1)
	r := m.last / max(m.tau.mean, leastTau2*m.last)
	rows, squares := 0.0, m.ss
	for j, n := range m.n {
		q := 1 / (n + r)
		d := float64(r*q*(mu-m.ybar[j])) + float64(math.Sqrt(m.last*q)*s.RNG.NormFloat64()) // zeta - ybar
		rows += n
		squares += float64(n * d * d)
		if i >= 0 {
			if row := w.draws[zetaRow+j]; row != nil {
				row[i] = m.ybar[j] + d
			}
			e := d - w.mean[j]
			w.mean[j] += e * inv
			w.m2[j] += float64(e * e * (1 - inv))
		}
	}
	m.last = rnd.InvGamma(s.RNG, m.prior.Sigma2Shape+rows/2, m.prior.Sigma2Rate+squares/2)
	if i >= 0 {
		w.draws[sigma2Row][i] = m.last
	}
}

// squares returns N and the expected sum of squares of the rows about zeta.
func (m *Paper) squares() (rows, squares float64) {
	for i, n := range m.n {
		d := m.zeta[i] - m.ybar[i]
		rows += n
		squares += n*m.vari[i] + n*d*d
	}
	return rows, m.ss + squares
}

// paperMu is Theta_2 = {mu, tau2}.
type paperMu struct{ m *Paper }

// Absorb has nothing to add: C_2 follows from the first block's estimate.
func (b paperMu) Absorb(*cdf.Step) {}

// Sample runs one sweep per draw at the plug-in zeta^, of which only the mean
// and the sum of squares about it matter.
func (b paperMu) Sample(s *cdf.Step) error {
	m := b.m
	k := float64(len(m.n))
	if k == 0 {
		return nil
	}
	mean, variance := meanAndVariance(m.zeta)
	sweeps := s.Draws.S
	if m.fresh {
		sweeps += burn
	}
	muDraws, tauDraws := s.Draws.Row(muRow), s.Draws.Row(tau2Row)
	for i := s.Draws.S - sweeps; i < s.Draws.S; i++ {
		tau2 := max(m.tau2, leastTau2*m.s2)
		precision := k / tau2
		centre := mean
		if v := m.prior.MuVariance; v > 0 {
			precision += 1 / v
			centre = k / tau2 * mean / precision
		}
		mu := centre + s.RNG.NormFloat64()/math.Sqrt(precision)
		rate := m.prior.Tau2Rate + k/2*(variance+(mean-mu)*(mean-mu))
		m.tau2 = min(rnd.InvGamma(s.RNG, m.prior.Tau2Shape+k/2, rate), mostTau2)
		if i >= 0 {
			muDraws[i], tauDraws[i] = mu, m.tau2
		}
	}
	m.mu, m.tau = drawn(muDraws), drawn(tauDraws)
	if !m.readable() {
		return fmt.Errorf("%w: anova paper: moments not finite", cdf.ErrNumeric)
	}
	return nil
}

// drawn returns the moments of draws.
func drawn(x []float64) moments {
	mean, variance := meanAndVariance(x)
	return moments{mean, math.Sqrt(variance)}
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

// Summarize gives the moments of the draws and leaves the rest to them too.
// Without a group all laws are the prior's.
func (m *Paper) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	spreads := m.spreads()
	for i, f := range functionals {
		r := &rows[i]
		p, err := m.parameter(f)
		switch {
		case err != nil:
			return err
		case len(m.n) == 0:
			m.priorLaw(r, f, p)
		case p == sigma2Row:
			r.Variable, r.Open = f.Name, true
			mean, sd := m.sigmaMoments()
			r.Mean, r.SD = f.Const+f.Weight[0]*mean, math.Abs(f.Weight[0])*sd
		default:
			m.open(r, f, p, spreads)
		}
	}
	return nil
}

// AppendBinary appends the state: that of both variants and the last draws of
// the variances.
func (m *Paper) AppendBinary(b []byte) ([]byte, error) {
	b, err := m.statistics.AppendBinary(b)
	return codec.AppendFloats(b, m.tau2, m.last), err
}

// UnmarshalBinary replaces the state.
func (m *Paper) UnmarshalBinary(b []byte) error {
	at := max(len(b)-16, 0)
	var last [2]float64
	if !codec.ReadFloats(b[at:], last[:]) {
		return codec.Error("anova paper", "wrong length or numbers")
	}
	if err := m.statistics.UnmarshalBinary(b[:at]); err != nil {
		return err
	}
	m.tau2, m.last, m.fresh = last[0], last[1], false
	if min(m.tau2, m.last) < 0 || (len(m.n) > 0) != (m.last > 0) || (len(m.n) > 0) != (m.tau2 > 0) {
		return codec.Error("anova paper", "a number is out of range")
	}
	return nil
}
