package models

import "math"

// lawTable is a distribution function tabulated with its density on an even
// lattice, cubic in between. The zero value is empty.
type lawTable struct {
	shape, df float64 // what it was made for; df > 0: t, which goes on beyond the lattice
	low, h    float64
	p, f      []float64 // distribution function; density times h
}

// student fills the table with the t law of df degrees of freedom.
func (t *lawTable) student(df float64) {
	const cells, end = 1280, 40.0
	if t.df == df {
		return
	}
	scale := math.Exp(studentLogScale(df))
	t.df, t.shape, t.low, t.h = df, 0, -end, 2*end/cells
	t.fill(cells, func(z float64) (density, slope float64) {
		density = scale * math.Exp(-(df+1)/2*math.Log1p(z*z/df))
		return density, -density * (df + 1) * z / (df + z*z)
	})
	// The lattice holds all but two tails, equal by symmetry.
	tail := studentSurvival(end, df)
	last := t.p[cells]
	for i := range t.p {
		t.p[i] = tail + t.p[i]*(1-2*tail)/last
	}
}

// logInvGamma fills the table with the law of log X, X ~ IG(shape, 1).
func (t *lawTable) logInvGamma(shape float64) {
	if t.shape == shape {
		return
	}
	const perSD, cells = 24, 60 * 24
	// The variance is at most 1/shape + 1/shape^2; to the right the density
	// falls by at least exp(-x shape), to the left faster than a normal one.
	sd := math.Sqrt(1/shape + 1/(shape*shape))
	t.df, t.shape, t.h = 0, shape, sd/perSD
	t.low = -math.Log(shape) - 10*sd
	constant := lgamma(shape)
	t.fill(cells, func(x float64) (density, slope float64) {
		e := math.Exp(-x)
		density = math.Exp(-shape*x - e - constant)
		if density == 0 {
			return 0, 0
		}
		return density, density * (e - shape)
	})
	last := t.p[cells]
	for i := range t.p {
		t.p[i] /= last
	}
}

// fill cumulates the density by the trapezoid rule with its end correction.
func (t *lawTable) fill(cells int, law func(float64) (density, slope float64)) {
	t.p, t.f = grow(t.p, cells+1), grow(t.f, cells+1)
	sum, before, slope := 0.0, 0.0, 0.0
	for i := range cells + 1 {
		f, d := law(t.low + float64(i)*t.h)
		if i > 0 {
			sum += t.h/2*(before+f) + t.h*t.h/12*(slope-d)
		}
		t.p[i], t.f[i] = sum, f*t.h
		before, slope = f, d
	}
}

// at returns the distribution function and the density at z.
func (t *lawTable) at(z float64) (p, density float64) {
	u := (z - t.low) / t.h
	last := len(t.p) - 1
	if !(u >= 0 && u < float64(last)) {
		if t.df > 0 && z-z == 0 {
			return studentCDF(z, t.df), math.Exp(studentLogScale(t.df) - (t.df+1)/2*math.Log1p(z*z/t.df))
		}
		if u < 0 {
			return 0, 0
		}
		return 1, 0
	}
	i := int(u)
	u -= float64(i)
	d, a, b := t.p[i+1]-t.p[i], t.f[i], t.f[i+1]
	c2, c3 := 3*d-2*a-b, a+b-2*d
	return t.p[i] + u*(a+u*(c2+u*c3)), (a + u*(2*c2+u*3*c3)) / t.h
}

// quantile returns the point whose probability below is p, within the
// lattice or beyond it where the law goes on there.
func (t *lawTable) quantile(p float64) float64 {
	lo, hi := 0, len(t.p)-1
	if p <= t.p[lo] || p >= t.p[hi] {
		if t.df > 0 {
			return t.tail(p)
		}
		if p <= t.p[lo] {
			return t.low
		}
		return t.low + float64(hi)*t.h
	}
	for hi-lo > 1 {
		if k := (lo + hi) / 2; t.p[k] <= p {
			lo = k
		} else {
			hi = k
		}
	}
	return t.low + t.h*(float64(lo)+(p-t.p[lo])/(t.p[hi]-t.p[lo]))
}

// tail returns a quantile of t beyond the lattice, by halving its logarithm.
func (t *lawTable) tail(p float64) float64 {
	q := min(p, 1-p)
	lo, hi := 0.0, 700.0
	for hi-lo > 1e-10 {
		if x := 0.5 * (lo + hi); studentSurvival(math.Exp(x), t.df) > q {
			lo = x
		} else {
			hi = x
		}
	}
	return math.Copysign(math.Exp(hi), p-0.5)
}

// lawMixture is a mixture of laws loc + scale * Z, Z of one table.
type lawMixture struct {
	law           *lawTable
	w, loc, scale []float64 // weights sum to 1, scales are positive
}

// reset empties the mixture.
func (x *lawMixture) reset(law *lawTable) {
	x.law, x.w, x.loc, x.scale = law, x.w[:0], x.loc[:0], x.scale[:0]
}

// minor is a weight too small to move a quantile by a printed digit, also if
// all nodes had it.
const minor = 1e-10

// add takes a component; those of minor weight are left out.
func (x *lawMixture) add(w, loc, scale float64) {
	if w > minor {
		x.w, x.loc, x.scale = append(x.w, w), append(x.loc, loc), append(x.scale, scale)
	}
}

// at returns the distribution function and the density at y.
func (x *lawMixture) at(y float64) (p, density float64) {
	total := 0.0
	for k, w := range x.w {
		q, f := x.law.at((y - x.loc[k]) / x.scale[k])
		p += w * q
		density += w * f / x.scale[k]
		total += w
	}
	return min(p/total, 1), density / total
}

// quantile returns the p-quantile, 0 < p < 1: between the components' own,
// by Newton's method with halving where that leaves the bracket.
func (x *lawMixture) quantile(p float64) float64 {
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

// quantiles returns those at levels.
func (x *lawMixture) quantiles() (q [7]float64) {
	for i, p := range levels {
		q[i] = x.quantile(p)
		if i > 0 {
			q[i] = max(q[i], q[i-1])
		}
	}
	return q
}
