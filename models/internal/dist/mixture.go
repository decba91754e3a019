package dist

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// Mixture is a mixture of laws loc + scale * Z, Z of one table.
type Mixture struct {
	law           *Table
	w, loc, scale []float64 // weights sum to 1, scales are positive
	inv           []float64 // 1/scale
	none          []float64 // zeros, at least as many
	total         float64   // of w
	places        places
}

// Reset empties the mixture.
func (x *Mixture) Reset(law *Table) {
	x.law, x.w, x.loc, x.scale, x.inv, x.total = law, x.w[:0], x.loc[:0], x.scale[:0], x.inv[:0], 0
	x.places.known = false
}

// Minor is a weight too small to move a quantile by a printed digit, also if
// all nodes had it.
const Minor = 1e-10

// Add takes a component; those of minor weight are left out.
func (x *Mixture) Add(w, loc, scale float64) {
	if w > Minor {
		x.w, x.loc, x.scale = append(x.w, w), append(x.loc, loc), append(x.scale, scale)
		x.inv = append(x.inv, 1/scale)
		x.total += w
	}
}

// AddShifts takes components of scale 1, as Add does one by one.
func (x *Mixture) AddShifts(w, loc []float64) {
	from := len(x.w)
	x.most(w, loc, loc)
	for k := from; k < len(x.w); k++ {
		x.scale[k], x.inv[k] = 1, 1
	}
}

// AddScaled takes components whose scales are the roots of squares/over, as Add does one by one.
func (x *Mixture) AddScaled(w, loc, squares []float64, over float64) {
	from := len(x.w)
	x.most(w, loc, squares)
	scale, inv := x.scale[from:], x.inv[from:]
	vec.Standardize(scale, scale, 0, over)
	if cap(x.none) < len(scale) {
		x.none = make([]float64, len(w))
	}
	vec.Roots(scale, inv, scale, x.none[:len(scale)])
}

// most takes components, of which those of minor weight are left out; their scales are for the caller to complete.
func (x *Mixture) most(w, loc, scale []float64) {
	from, loc, scale := len(x.w), loc[:len(w)], scale[:len(w)]
	for _, s := range []*[]float64{&x.w, &x.loc, &x.scale, &x.inv} {
		*s = slices.Grow((*s)[:from], len(w))[:from+len(w)]
	}
	toW, toLoc, toScale := x.w[from:][:len(w)], x.loc[from:][:len(w)], x.scale[from:][:len(w)]
	n, total := 0, x.total
	for k, v := range w {
		if v > Minor {
			toW[n], toLoc[n], toScale[n] = v, loc[k], scale[k]
			total += v
			n++
		}
	}
	x.w, x.loc, x.scale, x.inv, x.total = x.w[:from+n], x.loc[:from+n], x.scale[:from+n], x.inv[:from+n], total
}

// at returns the distribution function, the density and its slope at y; the
// slope leaves out what lies beyond the lattice.
func (x *Mixture) at(y float64) (p, density, slope float64) {
	from, to := 0, len(x.w)
	if x.places.known {
		from, to, p = x.near(y)
	}
	w, loc, inv := x.w[from:to], x.loc[from:to], x.inv[from:to]
	sums := x.law.cubics.Mixed(w, loc, inv, y)
	p, density, slope = p+sums.P, sums.Density, sums.Slope
	if x.law.heavy && sums.Least == 0 {
		for k, w := range w {
			q, f := x.law.outside((y - loc[k]) * inv[k])
			p += w * q
			density += w * f * inv[k]
		}
	}
	return min(p/x.total, 1), density / x.total, slope / x.total
}

// form is what tells about where the quantiles are: the least and the greatest place
// and scale, the means, and the sd and skewness that the places add to the
// law of the table.
type form struct {
	low, high, narrowest, widest float64
	center, width                float64
	spread, skewness             float64
}

func (x *Mixture) form() form {
	f := form{low: math.Inf(1), high: math.Inf(-1), narrowest: math.Inf(1)}
	total, square := 0.0, 0.0
	locs, scales := x.loc[:len(x.w)], x.scale[:len(x.w)]
	for k, w := range x.w {
		loc, scale := locs[k], scales[k]
		if loc < f.low {
			f.low = loc
		}
		if loc > f.high {
			f.high = loc
		}
		if scale < f.narrowest {
			f.narrowest = scale
		}
		if scale > f.widest {
			f.widest = scale
		}
		total += w
		f.center += w * loc
		f.width += w * scale
		square += w * scale * scale
	}
	f.center /= total
	f.width /= total
	square /= total
	sd2 := x.law.sd * x.law.sd
	second, third, center := 0.0, 0.0, f.center
	for k, w := range x.w {
		d, scale := locs[k]-center, scales[k]
		second += w * d * d
		third += w * d * (d*d + 3*sd2*scale*scale)
	}
	within := sd2 * square
	f.spread = math.Sqrt(within + second/total)
	f.skewness = min(max(third/total/(f.spread*f.spread*f.spread), -1), 1)
	return f
}

// Quantile returns the p-quantile, 0 < p < 1.
func (x *Mixture) Quantile(p float64) float64 {
	f := x.form()
	x.arrange(&f)
	return x.quantile(&f, p)
}

// quantile finds the quantile, between the components' own, by Halley's method with
// halving where that leaves the bracket. It begins where it is by three moments,
// or by the places alone where they are arranged.
func (x *Mixture) quantile(f *form, p float64) float64 {
	z := x.law.quantile(p)
	// The law's quantile is interpolated: it may be a cell off.
	room := x.law.h * f.widest
	lo, hi := f.low+min(z*f.narrowest, z*f.widest)-room, f.high+max(z*f.narrowest, z*f.widest)+room
	u := (z - x.law.mean) / x.law.sd
	at := f.center + x.law.mean*f.width + f.spread*(u+f.skewness*(u*u-1)/6)
	if x.places.known {
		at = x.place(p) + x.law.mean*f.width
	}
	if at = min(max(at, lo), hi); math.IsNaN(at) { // squares overflow before places do
		at = f.center + z*f.width
	}
	near := f.width * min(10*x.law.sd, 1)
	for steps := range 200 {
		below, density, slope := x.at(at)
		if below > p {
			hi = at
		} else {
			lo = at
		}
		step := (below - p) / density
		next := at - step/max(1-0.5*step*slope/density, 0.5)
		// Further out than the quantile the law is straighter in its logarithm.
		if tail, want := min(below, 1-below), min(p, 1-p); (below < 0.5) == (p < 0.5) && tail < 0.7*want && tail > 1e-12 {
			next = at - math.Copysign(1, 0.5-below)*math.Log(tail/want)*tail/density
			step = math.Inf(1)
		}
		// A step that is short beside the mean scale may be long beside those of the components here.
		sure := math.Abs(below-p) < 1e-3 && math.Abs(step*slope) < 1e-2*density
		if math.Abs(step) < 1e-10*near && sure {
			return next
		}
		// By a few narrow components there are too many steps: later on every other one halves.
		inside := next > lo && next < hi && (steps < 20 || steps%2 == 0)
		if !inside {
			if next = 0.5 * (lo + hi); !(next > lo && next < hi) {
				return next
			}
		}
		// The method is of third order: a step of 1e-4 leaves some 1e-12.
		if math.Abs(step) < 1e-4*near && inside && sure || math.Abs(next-at) < 1e-10*near && hi-lo < 1e-10*near {
			return next
		}
		at = next
	}
	return at
}

// Quantiles returns those at levels.
func (x *Mixture) Quantiles() (q [7]float64) {
	f := x.form()
	x.arrange(&f)
	for i, p := range Levels {
		q[i] = x.quantile(&f, p)
		if i > 0 {
			q[i] = max(q[i], q[i-1])
		}
	}
	return q
}

// CDF returns P(X <= y).
func (x *Mixture) CDF(y float64) float64 {
	x.places.known = false
	p, _, _ := x.at(y)
	return p
}
