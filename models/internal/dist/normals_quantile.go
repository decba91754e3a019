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

	sixth float64 // sum of w/sd^6, for normal.Step
	// The mixture as a t law, exact where the squares of the sds have an inverse
	// gamma law, with its skewness.
	scale, perDF, skewness float64 // perDF: the inverse of its degrees of freedom
}

// point is an sd that is none.
const point = 1e-290

// gather finds the components that decide quantiles. Sums are kept in variables and lengths are said once: fields that are
// added to, and checks of bounds, were half of its time.
func (x *NormalMixture) gather() *components {
	c, k := &x.major, len(x.W)
	all := normal.Padded(k)
	c.w, c.mean, c.sd, c.inv = lin.Grow(c.w, all), lin.Grow(c.mean, all), lin.Grow(c.sd, all), lin.Grow(c.inv, all)
	weights, means, sds := x.W, x.Mean[:k], x.SD[:k]
	w, mean, sd, inv := c.w[:k], c.mean[:k], c.sd[:k], c.inv[:k]
	n, center, wide, precise := 0, 0.0, 0.0, 0.0
	for i, weight := range weights {
		if !(weight > negligible) {
			continue
		}
		s, m := sds[i], means[i]
		if s < point {
			s = point
		}
		one := 1 / s
		w[n], mean[n], sd[n], inv[n] = weight, m, s, one
		center += weight * m
		wide += weight * s
		precise += weight * one
		n++
	}
	unit := 1 / precise
	w, mean, sd, inv = w[:n], mean[:n], sd[:n], inv[:n]
	sixth, apart, cube := 0.0, 0.0, 0.0
	for i, weight := range w {
		d, s, one := (mean[i]-center)*precise, sd[i]*precise, inv[i]*unit
		mean[i], sd[i], inv[i] = d, s, one
		square := one * one
		sixth += weight * square * (square * square)
		apart += weight * d * d
		cube += weight * d * (3*s*s + d*d)
	}
	c.pad(n)
	c.center, c.unit, c.sixth = center, unit, sixth
	// Of X ~ IG(a, b) the means of X^(1/2) and of X^(-1/2) have the product
	// Gamma(a-1/2) Gamma(a+1/2)/Gamma(a)^2, whose logarithm is 1/(4a-2) nearly.
	df := 1 + 0.5/max(math.Log(wide*precise), 1e-12)
	c.perDF = 1 / max(df, 3)
	scale2 := (1-0.25/df)*(1-0.25/df) + apart
	c.scale = math.Sqrt(scale2)
	c.skewness = cube / (scale2 * c.scale)
	return c
}

// pad ends the components after n.
func (c *components) pad(n int) {
	all := normal.Padded(n)
	c.w, c.mean, c.sd, c.inv = c.w[:all], c.mean[:all], c.sd[:n], c.inv[:all]
	for i := n; i < all; i++ {
		c.w[i], c.mean[i], c.inv[i] = 0, 0, 0
	}
}

// levelSeries are the quantiles of t at Levels, by powers of the inverse of the degrees
// of freedom.
var levelSeries = func() (s [len(Levels)][5]float64) {
	for k, z := range NormalQuantiles {
		s[k] = studentSeries(z)
	}
	return s
}()

// paddedLevels are Levels and the median again.
var paddedLevels = func() (p [normal.Points]float64) {
	p[copy(p[:], Levels[:])] = 0.5
	return p
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
	var at [normal.Points]float64 // the last one is of the center
	for k, z := range NormalQuantiles {
		at[k] = c.guess(z, &levelSeries[k])
	}
	const all = 1<<len(Levels) - 1
	found := uint(0)
	for range steps {
		f := normal.AtPoints(w, mean, inv, &at)
		step, last := normal.Steps(&f, &paddedLevels, c.sixth)
		for k := range at {
			at[k] += step[k]
		}
		if found = last; ^found&all == 0 {
			break
		}
	}
	for k := range q {
		if found>>k&1 == 0 {
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
	step, last = normal.Step(below-p, f[0], f[1], f[2], f[3], f[4], c.sixth)
	return step, last, below - p
}
