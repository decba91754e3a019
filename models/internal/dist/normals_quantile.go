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

	sixth float64 // sum of w/sd^6, for near
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
	c.unit, c.sixth = 1/precise, 0
	apart, cube := 0.0, 0.0
	for k, sd := range c.sd {
		w, d, inv := c.w[k], (c.mean[k]-c.center)*precise, c.inv[k]*c.unit
		sd *= precise
		c.mean[k], c.sd[k], c.inv[k] = d, sd, inv
		square := inv * inv
		c.sixth += w * square * (square * square)
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

// Quantiles returns those at Levels.
func (x *NormalMixture) Quantiles() (q [7]float64) {
	c := x.gather()
	n := len(c.sd)
	w, mean, inv := c.w[:n], c.mean[:n], c.inv[:n]
	var at [normal.Points]float64 // the last one of the median again
	for k, z := range NormalQuantiles {
		at[k] = c.guess(z, &levelSeries[k])
	}
	var found [len(Levels)]bool
	for range steps {
		f, all := normal.AtPoints(w, mean, inv, &at), true
		for k, p := range Levels {
			step, last := c.way(f[0][k]-p, f[1][k], f[2][k], f[3][k], f[4][k], f[5][k])
			at[k] += step
			found[k] = last
			all = all && last
		}
		if all {
			break
		}
	}
	for k := range q {
		if !found[k] {
			at[k] = c.between(Levels[k], NormalQuantiles[k])
		}
		q[k] = c.center + c.unit*at[k]
	}
	return q
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
	step, last = c.way(below-p, f[0], f[1], f[2], f[3], f[4])
	return step, last, below - p
}

const (
	// near is how far Taylor's series of five terms is followed, in sds of a single
	// component: what it leaves out is at most 1e-11 of probability.
	near = 0.038
	// straight is how much the density may change on the way, in parts of two.
	straight = 0.06
)

// way returns the way to a quantile from where the distribution function exceeds the level and
// its first five derivatives are f1 to f5, and whether that is the last step. Taylor's series
// is 0 where it ends:
//
//	t + step (1 + step (a2 + step (a3 + step (a4 + step a5))))
func (c *components) way(excess, f1, f2, f3, f4, f5 float64) (step float64, last bool) {
	inv := 1 / f1
	t, a2 := excess*inv, f2*inv*0.5
	if t2 := t * t; !(t2*t2*t2*c.sixth < near*near*near*near*near*near && math.Abs(t*a2) < straight) {
		return -t / max(1-t*a2, 0.5), false // by two terms, of the right sign
	}
	a3, a4, a5 := f3*inv*(1./6), f4*inv*(1./24), f5*inv*(1./120)
	// The inverse series, then Newton's method.
	square := a2 * a2
	step = -t * (1 + t*(a2+t*(2*square-a3+t*(a2*(5*square-5*a3)+a4+t*(square*(14*square-21*a3)+6*a2*a4+3*a3*a3-a5)))))
	return step - (t+step*(1+step*(a2+step*(a3+step*(a4+step*a5)))))/(1+step*(2*a2+step*(3*a3+step*(4*a4+step*5*a5)))), true
}
