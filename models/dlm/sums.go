package dlm

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/rnd"
)

// Sums is what the conditionals of tau2, sigma2 and phi need of a path of
// theta. C holds, each over the path,
//
//	sum (y - theta_s)^2 / 2 + theta_0^2 / 2h,  sum theta_{s-1}^2 / 2,
//	sum theta_{s-1} theta_s / 2,  sum theta_s^2 / 2
//
// h the variance of theta_0 in units of sigma2: like an observation, theta_0
// tells of sigma2, and counts as one of the Observations.
//
// Source: arXiv:1401.3632, section 3.3.1, C_1 to C_4, its misprints mended.
type Sums struct {
	C            [4]float64
	Observations float64
	Transitions  float64
}

// Start takes theta_0 ~ N(0, h sigma2).
func (c *Sums) Start(theta0, h float64) {
	c.C[0] += float64(0.5*theta0*theta0) / h
	c.Observations++
}

// Observe takes the observations of a step at which theta is now.
func (c *Sums) Observe(s *Step, now float64) {
	if s.n > 0 {
		e := s.mean - now
		c.C[0] += 0.5 * (s.ss + s.n*e*e)
		c.Observations += s.n
	}
}

// Move takes the transition from theta before to theta now.
func (c *Sums) Move(before, now float64) {
	c.C[1] += 0.5 * before * before
	c.C[2] += 0.5 * before * now
	c.C[3] += 0.5 * now * now
	c.Transitions++
}

// Draw is a sweep of the Gibbs sampler: it draws tau2 given phi, sigma2, and phi
// given tau2, in this order, and returns phi, tau2 and sigma2. From the zero
// value that is a draw from the prior.
func (c *Sums) Draw(r *rand.Rand, p *Prior, phi float64) [3]float64 {
	rest := max(c.C[3]-2*phi*c.C[2]+phi*phi*c.C[1], 0)
	tau2 := rnd.InvGamma(r, p.Tau2Shape+c.Transitions/2, p.Tau2Rate+rest)
	sigma2 := rnd.InvGamma(r, p.Sigma2Shape+c.Observations/2, p.Sigma2Rate+c.C[0])
	return [3]float64{p.drawPhi(r, c.C[1], c.C[2], tau2), tau2, sigma2}
}

// drawPhi draws phi given half the sums of squares and lag products of theta.
func (p *Prior) drawPhi(r *rand.Rand, c2, c3, tau2 float64) float64 {
	precision, weighted := 2*c2/tau2, 2*c3/tau2
	if p.PhiVariance > 0 {
		precision += 1 / p.PhiVariance
		weighted += p.PhiMean / p.PhiVariance
	}
	if !(precision > 1e-8) { // theta says nothing, the prior is flat
		return 2*r.Float64() - 1
	}
	const edge = 1 - 1e-12 // open at the ends: variances of theta stay finite
	return rnd.TruncNormal(r, weighted/precision, 1/math.Sqrt(precision), -edge, edge)
}
