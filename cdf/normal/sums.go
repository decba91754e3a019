package normal

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/isa"
)

// Phi and the hazard u are polynomials on each of the intervals of length 1 from -8 to 8,
// right to 2e-13. Where that is not enough the functions themselves are asked.
const (
	reach      = 8
	intervals  = 2 * reach
	curveTerms = 13

	mostHazard = 6    // from there on u is below 1e-8
	leastMean  = 1e-3 // of Phi
)

// curve are the polynomials of one function, the highest power first, and the other numbers
// that assembly reads. The first index of by is the term, so that eight coefficients are
// picked from two vectors; that of table is the interval.
type curve struct {
	shift float64 // a number + shift has the nearest whole number in its lowest bits
	half  float64
	_     [6]float64
	table [intervals][16]float64
	by    [curveTerms][intervals]float64
}

var (
	phi    = sync.OnceValue(func() *curve { return newCurve(CDF) })
	hazard = sync.OnceValue(func() *curve {
		return newCurve(func(x float64) float64 {
			u, _ := Hazard(x)
			return u
		})
	})
)

func newCurve(f func(float64) float64) *curve {
	c := &curve{shift: 3 << 51, half: .5}
	for k := -reach; k < reach; k++ {
		at := k & (intervals - 1)
		Polynomial(c.table[at][:curveTerms], -.5, .5, func(d float64) float64 { return f(float64(k) + .5 + d) })
		for j := range curveTerms {
			c.by[j][at] = c.table[at][j]
		}
	}
	return c
}

// with is what curves are evaluated with. Only tests change it.
var with = isa.Best()

// portable writes the curve at every x into y; beyond the intervals that is anything.
func (c *curve) portable(x, y []float64) {
	for i, v := range x {
		v -= c.half
		piece := v + c.shift
		d := v - (piece - c.shift)
		p := c.table[math.Float64bits(piece)&(intervals-1)][:curveTerms]
		sum := p[0]
		for _, next := range p[1:] {
			sum = math.FMA(sum, d, next)
		}
		y[i] = sum
	}
}

// atOnce is for how many x a curve is evaluated before the results are looked at.
const atOnce = 256

// Hazards writes u and w at every x, which are as many, to 2e-13; see [Hazard]. It takes a tenth of
// its time with AVX-512.
func Hazards(u, w, x []float64) {
	for c := hazard(); len(x) > 0; {
		n := min(len(x), atOnce)
		some, us, ws := x[:n], u[:n], w[:n]
		c.at(some, us)
		us, ws = us[:len(some)], ws[:len(some)]
		for i, v := range some {
			u := us[i]
			ws[i] = u * (u + v)
		}
		if !within(some, mostHazard) {
			for i, v := range some {
				if !(v > -reach && v < mostHazard) {
					us[i], ws[i] = Hazard(v)
				}
			}
		}
		x, u, w = x[n:], u[n:], w[n:]
	}
}

// CDFs writes Phi at every x into p, which is as long and may be x, to 2e-13; see [CDF].
func CDFs(p, x []float64) {
	for c := phi(); len(x) > 0; {
		n := min(len(x), atOnce)
		some := x[:n]
		if within(some, reach) {
			c.at(some, p)
		} else {
			for i, v := range some {
				if v > -reach && v < reach {
					c.portable(some[i:i+1], p[i:])
				} else {
					p[i] = CDF(v)
				}
			}
		}
		x, p = x[n:], p[n:]
	}
}

// within reports whether all x are nearer to 0 than a bound, and none is NaN.
func within(x []float64, bound float64) bool {
	limit := math.Float64bits(bound) - 1
	done, all := withinVectors(x, limit)
	for _, v := range x[done:] {
		all = all && math.Float64bits(v)&^(1<<63) <= limit
	}
	return all
}

// SumCDF returns the sum of Phi over all x.
func SumCDF(x []float64) float64 {
	var y [atOnce]float64
	sum := 0.0
	for rest := x; len(rest) > 0; {
		some := y[:min(len(rest), atOnce)]
		CDFs(some, rest[:len(some)])
		for _, p := range some {
			sum += p
		}
		rest = rest[len(some):]
	}
	if sum >= leastMean*float64(len(x)) {
		return sum
	}
	sum = 0
	for _, v := range x {
		sum += CDF(v)
	}
	return sum
}
