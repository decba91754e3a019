package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// Table is a distribution function tabulated with its density on an even
// lattice, cubic in between. The zero value is empty.
type Table struct {
	shape, df float64 // what it was made for; df > 0: t, which goes on beyond the lattice
	low, h    float64
	first     int       // cells before it hold nothing
	last      int       // nor do those from it on
	heavy     bool      // the law goes on beyond the lattice
	mean, sd  float64   // about: of a t law those of one that has them
	p, f      []float64 // distribution function; density times h
	// Rows First and Last are of what is beyond: 0, so that it is told from cells, if the
	// law goes on there.
	cubics        vec.Cubics
	x, e, density []float64 // room to make it
}

// Student fills the table with the t law of df degrees of freedom.
func (t *Table) Student(df float64) {
	const cells, end = 1280, 40.0
	if df == t.df {
		return
	}
	scale := math.Exp(StudentLogScale(df))
	t.df, t.shape, t.low, t.h = df, 0, -end, 2*end/cells
	outside := 0
	t.heavy, t.mean, t.sd = true, 0, math.Sqrt(1+2/max(df-2, 1))
	if far := math.Sqrt(df * math.Expm1(2*nothing/(df+1))); far < end {
		outside, t.heavy = int((end-far)/t.h), false
	}
	x, e := t.points(outside, cells-outside)
	for i, z := range x[:len(x)/2+1] { // as far above 0 it is the same
		x[i] = -(df + 1) / 2 * math.Log1p(z*z/df)
		x[len(x)-1-i] = x[i]
	}
	vec.Exps(e, x)
	slope := x // in place of the logarithms
	for i := range slope {
		z := t.low + float64(outside+i)*t.h
		density := scale * e[i]
		e[i], slope[i] = density, -density*(df+1)*z/(df+z*z)
	}
	t.fill(cells, outside, cells-outside, e, slope)
	// The lattice holds all but two tails, equal by symmetry.
	tail := studentSurvival(end, df)
	p, all := t.within(), t.p[cells]
	for i, v := range p {
		p[i] = v * (1 - 2*tail)
	}
	vec.Standardize(p, p, 0, all)
	for i, v := range p {
		p[i] = tail + v
	}
	t.join(tail, tail+all*(1-2*tail)/all)
}

// LogInvGamma fills the table with the law of log X, X ~ IG(shape, 1).
func (t *Table) LogInvGamma(shape float64) {
	if shape == t.shape {
		return
	}
	const perSD, cells = 24, 60 * 24
	// The variance is at most 1/shape + 1/shape^2; to the right the density
	// falls by at least exp(-x shape), to the left faster than a normal one.
	sd := math.Sqrt(1/shape + 1/(shape*shape))
	t.df, t.shape, t.h, t.heavy = 0, shape, sd/perSD, false
	t.mean, t.sd = 1/(2*shape)-math.Log(shape), sd
	t.low = -math.Log(shape) - 10*sd
	constant := LogGamma(shape)
	// The log density is concave, with its peak 10 sds from the left end.
	peak := shape*math.Log(shape) - shape
	slight := func(sds int) bool {
		x := t.low + float64(sds)*sd
		return peak+float64(shape*x)+math.Exp(-x) > nothing
	}
	first, last := 0, 60
	for first < 10 && slight(first+1) {
		first++
	}
	for last > 10 && slight(last-1) {
		last--
	}
	x, e := t.points(first*perSD, last*perSD)
	density := lin.Grow(t.density, len(x))
	t.density = density
	for i, v := range x {
		density[i] = -v
	}
	vec.Exps(e, density)
	for i, v := range x {
		x[i] = -shape*v - e[i] - constant
	}
	vec.Exps(density, x)
	slope := x // in place of the logarithms
	for i, v := range density {
		if slope[i] = v * (e[i] - shape); v == 0 { // e may be infinite
			slope[i] = 0
		}
	}
	t.fill(cells, first*perSD, last*perSD, density, slope)
	p, all := t.within(), t.p[cells]
	vec.Standardize(p, p, 0, all)
	t.join(0, 1)
}

// nothing is how far below that at the peak a log density is taken for none.
const nothing = 65

// points returns the lattice from the point first to last, and as much room.
func (t *Table) points(first, last int) (x, room []float64) {
	n := last - first + 1
	t.x, t.e = lin.Grow(t.x, n), lin.Grow(t.e, n)
	for i := range t.x {
		t.x[i] = t.low + float64(first+i)*t.h
	}
	return t.x, t.e
}

// within is the distribution function at the points of fill.
func (t *Table) within() []float64 { return t.p[t.first : t.last+1] }

// join takes the distribution function, which is normal at the points of fill, to nothing before and all behind them,
// and finds the coefficients of the cells.
func (t *Table) join(nothing, all float64) {
	last := len(t.p) - 1
	for i := range t.p[:t.first] {
		t.p[i] = nothing
	}
	for i := t.last + 1; i <= last; i++ {
		t.p[i] = all
	}
	c := &t.cubics
	if cap(c.Rows) < last+2 {
		c.Rows = make([][4]float64, last+2)
	}
	c.Rows = c.Rows[:last+2]
	c.Low, c.Cells, c.First, c.Last = t.low-t.h, 1/t.h, t.first, t.last+1
	p, f := t.within(), t.f[t.first:t.last+1]
	f = f[:len(p)]
	rows := c.Rows[t.first+1:][:len(p)]
	for i := 1; i < len(p); i++ {
		d, a, b := p[i]-p[i-1], f[i-1], f[i]
		rows[i-1] = [4]float64{p[i-1], a, 3*d - 2*a - b, a + b - 2*d}
	}
	c.Rows[c.First], c.Rows[c.Last] = [4]float64{}, [4]float64{}
	if !t.heavy {
		c.Rows[c.Last][0] = 1
	}
}

// fill cumulates the density by the trapezoid rule with its end correction, from
// the point first to last: beyond there is none. density and slope are those at these points.
func (t *Table) fill(cells, first, last int, density, slope []float64) {
	t.p, t.f = lin.Grow(t.p, cells+1), lin.Grow(t.f, cells+1)
	t.first, t.last = first, last
	clear(t.p[:first])
	clear(t.f[:first])
	p, widths, slope := t.within(), t.f[first : last+1][:len(density)], slope[:len(density)]
	h, half, twelfth := t.h, t.h/2, t.h*t.h/12
	sum, before, sloped := 0.0, density[0], slope[0]
	p[0], widths[0] = 0, before*h
	p = p[:len(density)]
	for i := 1; i < len(density); i++ {
		f, d := density[i], slope[i]
		sum += half*(before+f) + twelfth*(sloped-d)
		p[i], widths[i] = sum, f*h
		before, sloped = f, d
	}
	for i := last + 1; i <= cells; i++ {
		t.p[i], t.f[i] = sum, 0
	}
}

// at returns the distribution function and the density at z.
func (t *Table) at(z float64) (p, density float64) {
	u := (z - t.low) / t.h
	last := len(t.p) - 1
	if !(u >= 0 && u < float64(last)) {
		return t.beyond(u, z)
	}
	i := int(u)
	u -= float64(i)
	d, a, b := t.p[i+1]-t.p[i], t.f[i], t.f[i+1]
	c2, c3 := 3*d-2*a-b, a+b-2*d
	return t.p[i] + u*(a+u*(c2+u*c3)), (a + u*(2*c2+u*3*c3)) / t.h
}

// outside is beyond for a z off the lattice, else nothing.
func (t *Table) outside(z float64) (p, density float64) {
	c := &t.cubics
	v := float64((z - c.Low) * c.Cells)
	if v >= float64(c.First+1) && v < float64(c.Last) {
		return 0, 0
	}
	return t.beyond(v-1, z)
}

// beyond is at for a z off the lattice, which is u cells from its beginning.
func (t *Table) beyond(u, z float64) (p, density float64) {
	switch {
	case t.df > 0 && lin.Finite(z):
		return StudentCDF(z, t.df), math.Exp(StudentLogScale(t.df) - (t.df+1)/2*math.Log1p(z*z/t.df))
	case u < 0:
		return 0, 0
	}
	return 1, 0
}

// quantile returns the point whose probability below is p, within the
// lattice or beyond it where the law goes on there.
func (t *Table) quantile(p float64) float64 {
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
func (t *Table) tail(p float64) float64 {
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
