package anova

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// statistics is what both variants keep of the rows and of what they last
// said: 8(4k+9) bytes for k groups.
type statistics struct {
	prior   Prior
	n, ybar []float64 // per group: rows, discounted, and their mean
	ss      float64   // sum of squares within the groups, discounted
	s2      float64   // rate over shape of the law of sigma2, 0 while there is no group

	// The posterior as it was published: predictions are made of it.
	shape      float64   // of sigma2, whose rate is shape*s2
	zeta, vari []float64 // per group: mean and variance
	mu, tau    moments
	sigma      moments // 0 where undefined

	params  [4]cdf.Param
	law     dist.Standard
	scratch *sync.Pool
}

// moments are a mean and an sd. Whether they are those of a law that has
// them is for tail to say.
type moments struct{ mean, sd float64 }

// retired is the number of discounted rows below which a group leaves.
const retired = 1e-6

// flat reports that mu has no proper prior.
func (m *statistics) flat() bool { return m.prior.MuVariance == 0 }

// located reports that mu has a law: with a flat prior only once there are
// rows.
func (m *statistics) located() bool { return !m.flat() || len(m.n) > 0 }

// Params returns mu, tau2, sigma2 and zeta, a row per group in the order of
// first appearance. Under a flat prior mu joins with the first group.
func (m *statistics) Params() []cdf.Param {
	at := 0
	if m.located() {
		at = 1
	}
	m.params = [...]cdf.Param{{Name: "mu", Len: at}, {Name: "tau2", Len: 1}, {Name: "sigma2", Len: 1}, {Name: "zeta", Len: len(m.n)}}
	return m.params[:]
}

// Check reports, wrapping ErrShard, an infinite response or a group column of
// another length. Columns of X are not looked at.
func (m *statistics) Check(sh *cdf.Shard) error {
	if len(sh.Group) != 1 || len(sh.Group[0]) != sh.Rows || len(sh.Y) != sh.Rows {
		return fmt.Errorf("%w: anova needs one group column with a value in every row", cdf.ErrShard)
	}
	for i, y := range sh.Y {
		if math.IsInf(y, 0) {
			return fmt.Errorf("%w: response of row %d is %v", cdf.ErrShard, i, y)
		}
	}
	return nil
}

// absorb discounts every group, also those without rows in the shard, and
// folds the rows in one by one (Welford's update). The prior, to which the
// law of zeta given mu and tau2 belongs, is not discounted, and neither are
// the means: a group without recent rows drifts back to mu.
func (m *statistics) absorb(s *cdf.Step) {
	if forget := max(s.Forget, m.leastForget()); forget < 1 {
		for i := range m.n {
			m.n[i] *= forget
		}
		m.ss *= forget
	}
	for i, y := range s.Shard.Y {
		g := int(s.Shard.Group[0][i])
		if math.IsNaN(y) || g < 0 {
			continue
		}
		for len(m.n) <= g {
			m.n, m.ybar = append(m.n, 0), append(m.ybar, 0)
			m.zeta, m.vari = append(m.zeta, 0), append(m.vari, 0)
		}
		d, n := y-m.ybar[g], m.n[g]+1
		m.ss += float64(d * d * (m.n[g] / n))
		m.ybar[g] += d / n
		m.n[g] = n
	}
}

// leastForget returns the factor that leaves one row in all, where a part of a row
// might leave no law: under a flat prior of mu that of sigma2 falls with exponent
// alpha + (rows-1)/2, which has to be positive.
func (m *statistics) leastForget() float64 {
	if !m.flat() || m.prior.Sigma2Shape >= 0.5 || len(m.n) == 0 {
		return 0
	}
	rows := 0.0
	for _, n := range m.n {
		rows += n
	}
	return 1 / rows
}

// Retire drops the groups with fewer than 1e-6 rows. Without any group left
// the model is as it was before its first row.
func (m *statistics) Retire() (gone []int32) {
	kept := 0
	for i, n := range m.n {
		if n < retired {
			gone = append(gone, int32(i))
			continue
		}
		m.n[kept], m.ybar[kept], m.zeta[kept], m.vari[kept] = n, m.ybar[i], m.zeta[i], m.vari[i]
		kept++
	}
	m.n, m.ybar, m.zeta, m.vari = m.n[:kept], m.ybar[:kept], m.zeta[:kept], m.vari[:kept]
	if kept == 0 {
		m.ss, m.s2, m.shape, m.mu, m.tau, m.sigma = 0, 0, 0, moments{}, moments{}, moments{}
	}
	return gone
}

// tail is the tail shape of tau2's posterior, whose mean exists above 1 and
// whose variance above 2. The flat prior of mu takes half a group.
func (m *statistics) tail() float64 {
	e := m.prior.Tau2Shape + float64(len(m.n))/2
	if m.flat() {
		e -= 0.5
	}
	return e
}

// noiseTail is that of sigma2, of which the flat prior of mu takes a row. At a point of the grid the shape is more by that of
// tau2, but only there: sums over the grid are then those of its limits.
func (m *statistics) noiseTail() float64 {
	e := 2 * m.prior.Sigma2Shape
	for _, n := range m.n {
		e += n
	}
	if m.flat() {
		e--
	}
	return e / 2
}

// spreads reports that the variances of mu and the levels exist: under a flat prior of mu they have all of that of the rows.
func (m *statistics) spreads() bool { return !m.flat() || m.noiseTail() > 1 }

// tauMoments and muMoments return NaN for moments that the law does not have.
// Under a flat prior mu's spread is as heavy-tailed as tau2 and sigma2.
func (m *statistics) tauMoments() (mean, sd float64) {
	if len(m.n) == 0 {
		return dist.InvGammaMoments(m.prior.Tau2Shape, m.prior.Tau2Rate)
	}
	mean, sd = math.NaN(), math.NaN()
	e := m.tail()
	if e > 1 {
		mean = m.tau.mean
	}
	if e > 2 {
		sd = m.tau.sd
	}
	return mean, sd
}

func (m *statistics) muMoments() (mean, sd float64) {
	switch {
	case !m.located() || m.flat() && m.tail() <= 1, len(m.n) > 0 && !m.spreads():
		return math.NaN(), math.NaN()
	case len(m.n) == 0:
		return 0, math.Sqrt(m.prior.MuVariance)
	}
	return m.mu.mean, m.mu.sd
}

// sigmaMoments returns NaN for moments that the law does not have.
func (m *statistics) sigmaMoments() (mean, sd float64) {
	if len(m.n) == 0 {
		return dist.InvGammaMoments(m.prior.Sigma2Shape, m.prior.Sigma2Rate)
	}
	mean, sd = math.NaN(), math.NaN()
	if m.sigma.mean > 0 && m.noiseTail() > 1 {
		mean = m.sigma.mean
	}
	if m.sigma.sd > 0 && m.noiseTail() > 2 {
		sd = m.sigma.sd
	}
	return mean, sd
}

// sigmaLaw returns shape and rate of the inverse gamma law of sigma2.
func (m *statistics) sigmaLaw() (shape, rate float64) {
	if len(m.n) == 0 {
		return m.prior.Sigma2Shape, m.prior.Sigma2Rate
	}
	return m.shape, m.shape * m.s2
}
