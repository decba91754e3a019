package dist

import "math"

// Mixture is a mixture of laws loc + scale * Z, Z of one table.
type Mixture struct {
	law           *Table
	w, loc, scale []float64 // weights sum to 1, scales are positive
	inv           []float64 // 1/scale
}

// Reset empties the mixture.
func (x *Mixture) Reset(law *Table) {
	x.law, x.w, x.loc, x.scale, x.inv = law, x.w[:0], x.loc[:0], x.scale[:0], x.inv[:0]
}

// minor is a weight too small to move a quantile by a printed digit, also if
// all nodes had it.
const minor = 1e-10

// Add takes a component; those of minor weight are left out.
func (x *Mixture) Add(w, loc, scale float64) {
	if w > minor {
		x.w, x.loc, x.scale = append(x.w, w), append(x.loc, loc), append(x.scale, scale)
		x.inv = append(x.inv, 1/scale)
	}
}

// at returns the distribution function, the density and its slope at y; the
// slope leaves out what lies beyond the lattice.
func (x *Mixture) at(y float64) (p, density, slope float64) {
	t, total := x.law, 0.0
	last, perCell := float64(len(t.p)-1), 1/t.h
	loc, inv := x.loc[:len(x.w)], x.inv[:len(x.w)]
	for k, w := range x.w {
		s := inv[k]
		z := (y - loc[k]) * s
		total += w
		u := (z - t.low) * perCell
		if !(u >= 0 && u < last) {
			q, f := t.at(z)
			p += w * q
			density += w * f * s
			continue
		}
		i := int(u)
		u -= float64(i)
		from, a, b := t.p[i], t.f[i], t.f[i+1]
		d := t.p[i+1] - from
		c2, c3 := 3*d-2*a-b, a+b-2*d
		p += w * (from + u*(a+u*(c2+u*c3)))
		s *= perCell
		density += w * s * (a + u*(2*c2+u*3*c3))
		slope += w * s * s * (2*c2 + u*6*c3)
	}
	return min(p/total, 1), density / total, slope / total
}

// Quantile returns the p-quantile, 0 < p < 1: between the components' own,
// by Halley's method with halving where that leaves the bracket.
func (x *Mixture) Quantile(p float64) float64 {
	z := x.law.quantile(p)
	lo, hi, at, width, total := math.Inf(1), math.Inf(-1), 0.0, 0.0, 0.0
	for k, w := range x.w {
		q := x.loc[k] + z*x.scale[k]
		lo, hi = min(lo, q), max(hi, q)
		at += w * q
		width += w * x.scale[k]
		total += w
	}
	// The components' quantiles are interpolated: a little room for that.
	lo, hi, at = lo-1e-3*width, hi+1e-3*width, at/total
	for range 200 {
		below, density, slope := x.at(at)
		if below > p {
			hi = at
		} else {
			lo = at
		}
		step := (below - p) / density
		next := at - step/max(1-0.5*step*slope/density, 0.5)
		inside := next > lo && next < hi
		if !inside {
			next = 0.5 * (lo + hi)
		}
		// The method is of third order: a step of 1e-4 leaves some 1e-12.
		if math.Abs(step) < 1e-4*width && inside || math.Abs(next-at) < 1e-8*width {
			return next
		}
		at = next
	}
	return at
}

// Quantiles returns those at levels.
func (x *Mixture) Quantiles() (q [7]float64) {
	for i, p := range Levels {
		q[i] = x.Quantile(p)
		if i > 0 {
			q[i] = max(q[i], q[i-1])
		}
	}
	return q
}
