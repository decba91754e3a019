package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// components are those of a mixture whose weight is not negligible, one after
// the other and padded for normal.Mixed, and what tells where its quantiles about are:
// lengths in units of unit, places from the center.
type components struct {
	w, mean, sd, inv []float64 // inv: 1/sd
	center, unit     float64   // unit: the mean sd by the inverses

	fifth float64 // sum of w/sd^5, for near
	// The mixture as a t law, exact where the squares of the sds have an inverse
	// gamma law, with its skewness.
	scale, perDF, skewness float64 // perDF: the inverse of its degrees of freedom
}

// point is an sd that is none.
const point = 1e-290

// gather finds the components that decide quantiles.
func (x *NormalMixture) gather() *components {
	c, n := &x.major, normal.Padded(len(x.W))
	c.w, c.mean, c.sd, c.inv = lin.Grow(c.w, n), lin.Grow(c.mean, n), lin.Grow(c.sd, n), lin.Grow(c.inv, n)
	n, c.center = 0, 0
	wide, precise := 0.0, 0.0
	for k, w := range x.W {
		if w > negligible {
			sd := max(x.SD[k], point)
			inv := 1 / sd
			c.w[n], c.mean[n], c.sd[n], c.inv[n] = w, x.Mean[k], sd, inv
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
	c.unit, c.fifth = 1/precise, 0
	apart, cube := 0.0, 0.0
	for k, sd := range c.sd {
		w, d, inv := c.w[k], (c.mean[k]-c.center)*precise, c.inv[k]*c.unit
		sd *= precise
		c.mean[k], c.sd[k], c.inv[k] = d, sd, inv
		square := inv * inv
		c.fifth += w * inv * (square * square)
		apart += w * d * d
		cube += w * d * (3*sd*sd + d*d)
	}
	// Of X ~ IG(a, b) the means of X^(1/2) and of X^(-1/2) have the product
	// Gamma(a-1/2) Gamma(a+1/2)/Gamma(a)^2, whose logarithm is 1/(4a-2) nearly.
	df := 1 + 0.5/max(math.Log(wide*precise), 1e-12)
	c.perDF = 1 / max(df, 3)
	scale2 := (1-0.25/df)*(1-0.25/df) + apart
	c.scale = math.Sqrt(scale2)
	c.skewness = cube / (scale2 * c.scale)
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
	return c.scale * (powers(t, c.perDF) + c.skewness*(z*z-1)/6)
}

// Quantile returns the p-quantile, 0 < p < 1, whose standard normal quantile
// is z.
func (x *NormalMixture) Quantile(p, z float64) float64 {
	t := studentSeries(z)
	c := x.gather()
	return c.center + c.unit*c.quantile(p, z, &t)
}

// inner and outer are the levels whose quantiles are found at once.
var (
	inner = [normal.Points]int{2, 3, 4, 4}
	outer = [normal.Points]int{0, 1, 5, 6}
)

// Quantiles returns those at Levels. A parabola through the errors of the guesses of inner ones makes those of
// outer ones, which miss more often, better: on a key's first shards a tenth of them are missed then, before a third.
func (x *NormalMixture) Quantiles() (q [7]float64) {
	c := x.gather()
	var guess [len(Levels)]float64
	for k, z := range NormalQuantiles {
		guess[k] = c.guess(z, &levelSeries[k])
	}
	q = guess
	c.find(&inner, &q)
	below, at, above := q[2]-guess[2], q[3]-guess[3], q[4]-guess[4]
	unit := NormalQuantiles[4]
	for _, k := range outer {
		z := NormalQuantiles[k] / unit
		q[k] += at + 0.5*z*(above-below+z*(above+below-2*at))
	}
	c.find(&outer, &q)
	for k, at := range q {
		q[k] = c.center + c.unit*at
	}
	return q
}

// find finds the quantiles at levels from guesses.
func (c *components) find(levels *[normal.Points]int, q *[len(Levels)]float64) {
	n := len(c.sd)
	w, mean, inv := c.w[:n], c.mean[:n], c.inv[:n]
	var at [normal.Points]float64
	var found [normal.Points]bool
	for i, k := range levels {
		at[i] = q[k]
	}
	for range steps {
		f, all := normal.AtPoints(w, mean, inv, &at), true
		for i, k := range levels {
			step, last := c.way(f[0][i]-Levels[k], f[1][i], f[2][i], f[3][i], f[4][i])
			at[i] += step
			found[i] = last
			all = all && last
		}
		if all {
			break
		}
	}
	for i, k := range levels {
		if q[k] = at[i]; !found[i] {
			q[k] = c.between(Levels[k], NormalQuantiles[k])
		}
	}
}

// steps is in how many steps a quantile is mostly found from a guess.
const steps = 4

func (c *components) quantile(p, z float64, t *[5]float64) float64 {
	at := c.guess(z, t)
	for range steps {
		step, last, _ := c.step(p, at)
		at += step
		if last {
			return at
		}
	}
	return c.between(p, z)
}

// between finds the quantile between the components' own, halving where the
// step leaves the bracket, and every other time once there were many: the nearest of narrow
// components would take too many steps.
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
	for n := range 200 {
		step, last, excess := c.step(p, at)
		if excess > 0 {
			hi = at
		} else {
			lo = at
		}
		next := at + step
		if many := n > 20 && n%2 > 0; many || !(next > lo && next < hi) {
			next, last = 0.5*(lo+hi), false
		}
		if last || next == lo || next == hi {
			return next
		}
		at = next
	}
	return at
}

// step returns the way from at to the quantile, whether it is the last, and by how much
// the probability below at is too great.
func (c *components) step(p, at float64) (step float64, last bool, excess float64) {
	below, f := normal.Mixed(c.w, c.mean, c.inv, at)
	step, last = c.way(below-p, f[0], f[1], f[2], f[3])
	return step, last, below - p
}

const (
	// near is how far Taylor's series of four terms is followed, in sds of a single
	// component: what it leaves out is at most 1e-11 of probability.
	near = 0.016
	// straight is how much the density may change on the way, in parts of two.
	straight = 0.03
)

// way returns the way to a quantile from where the distribution function exceeds the level and
// its first four derivatives are f1 to f4, and whether that is the last step. Taylor's series
// is 0 where it ends:
//
//	t + step (1 + step (a2 + step (a3 + step a4)))
func (c *components) way(excess, f1, f2, f3, f4 float64) (step float64, last bool) {
	inv := 1 / f1
	t, a2 := excess*inv, f2*inv*0.5
	if t2 := t * t; !(t2*t2*math.Abs(t)*c.fifth < near*near*near*near*near && math.Abs(t*a2) < straight) {
		return -t / max(1-t*a2, 0.5), false // by two terms, of the right sign
	}
	a3, a4 := f3*inv*(1./6), f4*inv*(1./24)
	// The inverse series, then Newton's method.
	step = -t * (1 + t*(a2+t*(2*a2*a2-a3+t*(a2*(5*a2*a2-5*a3)+a4))))
	return step - (t+step*(1+step*(a2+step*(a3+step*a4))))/(1+step*(2*a2+step*(3*a3+step*4*a4))), true
}
