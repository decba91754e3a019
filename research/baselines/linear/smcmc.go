package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/law"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// smcmc is S-MCMC for linear regression: Gibbs sampling of the exact
// posterior from the sums of all rows,
//
//	y_i | beta, sigma2 ~ N(x_i'beta, sigma2),  beta_j ~ N(0, v_j),  sigma2 ~ IG(a, b)
//	beta | sigma2 ~ N(P^{-1} X'y/sigma2, P^{-1}),  P = X'X/sigma2 + V^{-1}
//	sigma2 | beta ~ IG(a + N/2, b + |y - X beta|^2/2)
//
// With V^{1/2} X'X V^{1/2} = Q' diag(w) Q, once per shard, beta = V^{1/2} Q'u,
// whose coordinates are independent given sigma2: a sweep costs O(p), a draw
// the 2p^2 flops of the product. Chains start cold, so that nothing but sums
// is propagated: p(p+1)/2 + p + 2 numbers.
//
// The sums are those of the paper, without a factorisation to guard them: a
// response whose mean is 10^6 of its sds loses the last three digits.
//
// Source: arXiv:1401.3632, section 3.1.1 (S-MCMC).
type smcmc struct {
	prior     linear.Prior
	intercept bool
	p         int
	n         float64
	gram      []float64 // (X y)'(X y), lower triangle row by row, order p+1
	chain     gibbs
	law       law.Mixture
}

// gibbs is what a chain of sweeps works on; it follows from the state.
type gibbs struct {
	shape, rate float64   // of the prior of sigma2, the shape with N/2
	yy          float64   // y'y
	q           []float64 // p x p row-major, row j the eigenvector of w[j]
	w           []float64 // p, eigenvalues, not negative
	c           []float64 // p, Q V^{1/2} X'y
	u           []float64 // p, the coordinates of beta
	work        []float64
	sigma2      float64
}

func buildSMCMC(s *linear.Settings) (kind.Build, error) {
	return func(d cdf.Dims) (cdf.Model, error) { return newSMCMC(*s, d) }, nil
}

func newSMCMC(s linear.Settings, d cdf.Dims) (*smcmc, error) {
	p := len(d.Columns)
	if p == 0 {
		return nil, fmt.Errorf("%w: linear smcmc needs an intercept or a feature", cdf.ErrSchema)
	}
	m := &smcmc{prior: s.Prior, intercept: d.Intercept, p: p, gram: make([]float64, (p+1)*(p+2)/2)}
	m.chain = gibbs{
		q: make([]float64, p*p), w: make([]float64, p), c: make([]float64, p), u: make([]float64, p),
		work: make([]float64, max(lin.EigenWork(p), p+1)),
	}
	return m, nil
}

// sd returns the prior sd of coefficient j.
func (m *smcmc) sd(j int) float64 {
	if m.intercept && j == 0 {
		return math.Sqrt(m.prior.InterceptVariance)
	}
	return math.Sqrt(m.prior.BetaVariance)
}

// Params returns beta, the intercept first where there is one, then sigma2.
func (m *smcmc) Params() []cdf.Param {
	return []cdf.Param{{Name: "beta", Len: m.p}, {Name: "sigma2", Len: 1}}
}

// Chains returns 1.
func (m *smcmc) Chains() int { return 1 }

// Check reports, wrapping ErrShard, a shard of another width.
func (m *smcmc) Check(sh *cdf.Shard) error {
	if sh.Cols != m.p {
		return fmt.Errorf("%w: %d columns, want %d", cdf.ErrShard, sh.Cols, m.p)
	}
	return nil
}

// Blocks returns the single block {beta, sigma2}.
func (m *smcmc) Blocks() []cdf.Block { return []cdf.Block{m} }

// Absorb adds the rows that have a response to the sums.
func (m *smcmc) Absorb(s *cdf.Step) {
	m.n *= s.Forget
	lin.Scale(s.Forget, m.gram)
	row := m.chain.work[:m.p+1]
	for i, y := range s.Shard.Y {
		if math.IsNaN(y) {
			continue
		}
		m.n++
		copy(row, lin.Row(s.Shard.X, m.p, i))
		row[m.p] = y
		for j, at := 0, 0; j <= m.p; j++ {
			lin.Axpy(row[j], row[:j+1], m.gram[at:at+j+1])
			at += j + 1
		}
	}
}

// Sample runs one sweep per draw.
func (m *smcmc) Sample(s *cdf.Step) error {
	if err := m.start(s.RNG); err != nil {
		return err
	}
	c, beta := &m.chain, m.chain.work[:m.p]
	for i := range s.Draws.S {
		c.sweep(s.RNG)
		clear(beta)
		for j, u := range c.u {
			lin.Axpy(u, lin.Row(c.q, m.p, j), beta)
		}
		for j, b := range beta {
			s.Draws.Data[j*s.Draws.S+i] = m.sd(j) * b
		}
		s.Draws.Data[m.p*s.Draws.S+i] = c.sigma2
	}
	if !(c.sigma2 > 0) || !lin.Finite(c.u...) {
		return fmt.Errorf("%w: linear smcmc: sigma2 is %v", cdf.ErrNumeric, c.sigma2)
	}
	return nil
}

// start makes the eigendecomposition and takes a chain away from its start.
func (m *smcmc) start(r *rand.Rand) error {
	c, p := &m.chain, m.p
	last := m.gram[p*(p+1)/2:] // X'y, then y'y
	for i, at := 0, 0; i < p; i++ {
		for j := range i + 1 {
			c.q[i*p+j] = m.sd(i) * m.sd(j) * m.gram[at+j]
		}
		at += i + 1
	}
	if !lin.Finite(last...) || !lin.Eigen(p, c.q, c.w, c.work) {
		return fmt.Errorf("%w: linear smcmc: sums not finite", cdf.ErrNumeric)
	}
	for j := range p {
		c.w[j], c.c[j] = max(c.w[j], 0), 0
		for i, q := range lin.Row(c.q, p, j) {
			c.c[j] += float64(q * m.sd(i) * last[i])
		}
	}
	c.yy = last[p]
	c.shape, c.rate = m.prior.Sigma2Shape+m.n/2, m.prior.Sigma2Rate
	c.sigma2 = (c.rate + c.yy/2) / c.shape
	for range chain.Burn {
		c.sweep(r)
	}
	return nil
}

// sweep draws beta | sigma2 in the coordinates of Q, then sigma2 | beta.
func (c *gibbs) sweep(r *rand.Rand) {
	rss := c.yy
	for j, w := range c.w {
		v := 1 / (w/c.sigma2 + 1)
		u := float64(c.c[j]/c.sigma2*v) + float64(math.Sqrt(v)*r.NormFloat64())
		c.u[j] = u
		rss += float64(u * (float64(w*u) - 2*c.c[j]))
	}
	c.sigma2 = chain.Variance(r, c.shape, c.rate+max(rss, 0)/2)
}

// laws calls f with the law of every row: the mixture over sigma2 of normals
// with beta integrated out. The law is valid until f returns.
func (m *smcmc) laws(sh *cdf.Shard, f func(i int, l *law.Mixture)) error {
	r := chain.Ahead()
	if err := m.start(r); err != nil {
		return err
	}
	c, l := &m.chain, &m.law
	l.Size(chain.SweepsAhead)
	for k := range l.Noise {
		c.sweep(r)
		l.Noise[k] = c.sigma2
	}
	for i := range sh.Rows {
		x := lin.Row(sh.X, m.p, i)
		clear(l.Mean)
		clear(l.Level)
		for j, w := range c.w {
			e := 0.0 // of the row in direction j
			for h, q := range lin.Row(c.q, m.p, j) {
				e += float64(q * m.sd(h) * x[h])
			}
			for k, s2 := range l.Noise {
				v := s2 / (w + s2)
				l.Mean[k] += float64(e * c.c[j] * (v / s2))
				l.Level[k] += float64(e * e * v)
			}
		}
		l.Settle()
		f(i, l)
	}
	return nil
}

// Predict describes a new observation and the regression line of every row.
func (m *smcmc) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	return m.laws(sh, func(i int, l *law.Mixture) {
		l.Describe(&out[i])
		l.Value(sh.Y[i], &out[i])
	})
}

// Score scores the rows that have a response. The generator is not used.
func (m *smcmc) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	s := law.NewScoring()
	if err := m.laws(sh, func(i int, l *law.Mixture) { s.Row(l, sh.Y[i]) }); err != nil {
		return s.Out, err
	}
	return s.Score("linear smcmc")
}

// AppendBinary appends the format, N and the sums: 8(p(p+1)/2 + p + 2) + 1
// bytes.
func (m *smcmc) AppendBinary(b []byte) ([]byte, error) {
	return state.Append(b, []float64{m.n}, m.gram)
}

// UnmarshalBinary replaces the state.
func (m *smcmc) UnmarshalBinary(b []byte) error {
	var n [1]float64
	if err := state.Read("linear smcmc", b, n[:], m.gram); err != nil {
		return err
	}
	m.n = n[0]
	for i, at := 0, 0; i <= m.p; i++ {
		if at += i; m.n < 0 || m.gram[at+i] < 0 {
			return state.Damaged("linear smcmc", "negative rows or squares")
		}
	}
	return nil
}
