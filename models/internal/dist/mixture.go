package dist

import "math"

// Mixture is a mixture of laws loc + scale * Z, Z of one table.
type Mixture struct {
	law           *Table
	w, loc, scale []float64 // weights sum to 1, scales are positive
}

// Reset empties the mixture.
func (x *Mixture) Reset(law *Table) {
	x.law, x.w, x.loc, x.scale = law, x.w[:0], x.loc[:0], x.scale[:0]
}

// minor is a weight too small to move a quantile by a printed digit, also if
// all nodes had it.
const minor = 1e-10

// Add takes a component; those of minor weight are left out.
func (x *Mixture) Add(w, loc, scale float64) {
	if w > minor {
		x.w, x.loc, x.scale = append(x.w, w), append(x.loc, loc), append(x.scale, scale)
	}
}

// at returns the distribution function and the density at y.
func (x *Mixture) at(y float64) (p, density float64) {
	total := 0.0
	for k, w := range x.w {
		q, f := x.law.at((y - x.loc[k]) / x.scale[k])
		p += w * q
		density += w * f / x.scale[k]
		total += w
	}
	return min(p/total, 1), density / total
}

// Quantile returns the p-quantile, 0 < p < 1: between the components' own,
// by Newton's method with halving where that leaves the bracket.
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
		below, density := x.at(at)
		if below > p {
			hi = at
		} else {
			lo = at
		}
		next := at - (below-p)/density
		if !(next > lo && next < hi) {
			next = 0.5 * (lo + hi)
		}
		if math.Abs(next-at) < 1e-8*width || next == at {
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
