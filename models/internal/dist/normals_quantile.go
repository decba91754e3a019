package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// components are those of a mixture whose weight is not negligible, one after
// the other and padded for normal.Mixed, and what tells where its quantiles about are.
type components struct {
	w, mean, sd, inv []float64 // inv: 1/sd

	narrowest float64 // sd
	// The mixture as a t law, exact where the squares of the sds have an inverse
	// gamma law, with its skewness.
	center, scale, perDF, skewness float64 // perDF: the inverse of its degrees of freedom
}

// gather finds the components that decide quantiles.
func (x *NormalMixture) gather() *components {
	c, n := &x.major, normal.Padded(len(x.W))
	c.w, c.mean, c.sd, c.inv = lin.Grow(c.w, n), lin.Grow(c.mean, n), lin.Grow(c.sd, n), lin.Grow(c.inv, n)
	n, c.narrowest, c.center = 0, math.Inf(1), 0
	wide, precise := 0.0, 0.0
	for k, w := range x.W {
		if w > negligible {
			sd := x.SD[k]
			inv := 1 / sd
			c.w[n], c.mean[n], c.sd[n], c.inv[n] = w, x.Mean[k], sd, inv
			c.narrowest = min(c.narrowest, sd)
			c.center += w * x.Mean[k]
			wide += w * sd
			precise += w * inv
			n++
		}
	}
	all := normal.Padded(n)
	c.w, c.mean, c.sd, c.inv = c.w[:all], c.mean[:all], c.sd[:n], c.inv[:all]
	clear(c.w[n:])
	clear(c.mean[n:])
	clear(c.inv[n:])
	apart, cube := 0.0, 0.0
	for k, sd := range c.sd {
		w, d := c.w[k], c.mean[k]-c.center
		apart += w * d * d
		cube += w * d * (3*sd*sd + d*d)
	}
	// Of X ~ IG(a, b) the means of X^(1/2) and of X^(-1/2) have the product
	// Gamma(a-1/2) Gamma(a+1/2)/Gamma(a)^2, whose logarithm is 1/(4a-2) nearly.
	df := 1 + 0.5/max(math.Log(wide*precise), 1e-12)
	c.perDF = 1 / max(df, 3)
	c.scale = math.Hypot((1-0.25/df)/precise, math.Sqrt(apart))
	c.skewness = cube / (c.scale * c.scale * c.scale)
	return c
}

// levelSeries are the quantiles of t at Levels, by powers of the inverse of the degrees
// of freedom.
var levelSeries = func() (s [len(Levels)][5]float64) {
	for k, z := range NormalQuantiles {
		s[k] = studentSeries(z)
	}
	return s
}()

// guess returns about the quantile whose standard normal quantile is z, where t has
// that of the series.
func (c *components) guess(z float64, t *[5]float64) float64 {
	return c.center + c.scale*(powers(t, c.perDF)+c.skewness*(z*z-1)/6)
}

// near is how far Taylor's series of four terms is followed, in sds of the
// narrowest component: what it leaves out is at most 3e-11 of probability.
const near = 0.02

// Quantile returns the p-quantile, 0 < p < 1, whose standard normal quantile
// is z.
func (x *NormalMixture) Quantile(p, z float64) float64 {
	t := studentSeries(z)
	return x.gather().quantile(p, z, &t)
}

// Quantiles returns those at Levels.
func (x *NormalMixture) Quantiles() (q [7]float64) {
	c := x.gather()
	// The series of one level waits for its own last result again and again. Those of all
	// levels do so together: that takes 0.9 of the time of one level after the other.
	var series [len(Levels)]series
	for k, z := range NormalQuantiles {
		q[k] = c.guess(z, &levelSeries[k])
		series[k] = c.series(Levels[k], q[k])
	}
	var steps [len(Levels)]float64
	for k := range steps {
		steps[k] = series[k].first()
	}
	for range 2 {
		for k := range steps {
			steps[k] = series[k].better(steps[k])
		}
	}
	for k, p := range Levels {
		if s := &series[k]; s.near(c) {
			q[k] += steps[k]
		} else {
			q[k] = c.onward(p, NormalQuantiles[k], q[k]+s.first(), 3)
		}
	}
	return q
}

func (c *components) quantile(p, z float64, t *[5]float64) float64 {
	return c.onward(p, z, c.guess(z, t), 4)
}

// onward finds the quantile from at, in a few steps where these are enough.
func (c *components) onward(p, z, at float64, steps int) float64 {
	for range steps {
		step, ok := c.step(p, at)
		at += step
		if ok {
			return at
		}
	}
	return c.between(p, z)
}

// between finds the quantile between the components' own, halving where the
// step leaves the bracket.
func (c *components) between(p, z float64) float64 {
	lo, hi, at, widest := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for k, sd := range c.sd {
		q := c.mean[k] + z*sd
		lo, hi = min(lo, q), max(hi, q)
		at += c.w[k] * q
		widest += c.w[k] * sd
	}
	if !(hi-lo > 1e-13*widest) {
		return 0.5 * (lo + hi)
	}
	at = min(max(at, lo), hi)
	for range 200 {
		step, ok := c.step(p, at)
		if step < 0 {
			hi = at
		} else {
			lo = at
		}
		next := at + step
		if !(next > lo && next < hi) {
			next, ok = 0.5*(lo+hi), false
		}
		if ok || next == lo || next == hi {
			return next
		}
		at = next
	}
	return at
}

// series is Taylor's of the way to the quantile: t + step (1 + step (a2 + step (a3 + step a4)))
// is 0 where it ends.
type series struct{ t, a2, a3, a4 float64 }

// series returns that of the way from at to the p-quantile, by the distribution function
// and its first four derivatives there.
func (c *components) series(p, at float64) series {
	below, f := normal.Mixed(c.w, c.mean, c.inv, at)
	excess, f1, f2, f3, f4 := below-p, f[0], f[1], f[2], f[3]
	return series{excess / f1, f2 / (2 * f1), f3 / (6 * f1), f4 / (24 * f1)}
}

// first returns the step by two terms, of the right sign.
func (s *series) first() float64 { return -s.t / max(1-s.t*s.a2, 0.5) }

// near reports that the way is short enough for all terms.
func (s *series) near(c *components) bool { return math.Abs(s.t) < near*c.narrowest }

// better returns a step of Newton's method from one that is near.
func (s *series) better(step float64) float64 {
	return step - (s.t+step*(1+step*(s.a2+step*(s.a3+step*s.a4))))/(1+step*(2*s.a2+step*(3*s.a3+step*4*s.a4)))
}

// step returns the way from at to the quantile and whether it is the last.
func (c *components) step(p, at float64) (step float64, ok bool) {
	s := c.series(p, at)
	step = s.first()
	if !s.near(c) {
		return step, false
	}
	return s.better(s.better(step)), true
}
