package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// bidiagonal is what the data say in a basis where sums over them take O(p).
// With D = V0^{-1/2}, R D^{-1} = U B V' and z = U b e_1, B is lower bidiagonal.
// All that depends on sigma2 then follows from the pivots of BB' + s I and of
// B'B + s I, s = sigma2, both taken from the last to the first: of BB' they are
//
//	e_i = c_{i-1}^2 + t_i,  t_i = s + a_i^2 t_{i+1}/e_{i+1},  t_p = s + a_p^2
//
// Written so, nothing is subtracted: each pivot is as accurate as B, however
// small s is. B'B has a and c in each other's place.
type bidiagonal struct {
	a, c   []float64 // p: diagonal of B; what stands below a_i, c_p = 0
	a2, c2 []float64 // their squares
	b, b2  float64
	rho2   float64 // residual sum of squares at the least squares fit
}

// square fills in the squares, and reports whether they and their sum are finite.
func (q *bidiagonal) square() bool {
	for i, a := range q.a {
		q.a2[i], q.c2[i] = float64(a*a), float64(q.c[i]*q.c[i])
	}
	q.b2 = float64(q.b * q.b)
	return lin.Finite(q.mass())
}

// mass returns the sum of squares of all entries.
func (q *bidiagonal) mass() float64 {
	sum := q.rho2 + q.b2
	for i, a2 := range q.a2 {
		sum += a2 + q.c2[i]
	}
	return sum
}

// joint sets f[k] to log det(BB' + s I) + (twice + rho^2 + b^2 s/e_1)/s at
// s = s[k]; the last sum is the least of |y - Xb|^2 + s |Db|^2. work has three
// entries for each. All nodes go through the recurrence together.
//
// It divides after every pivotsAtOnce coefficients: t is num/den, and the product of the e
// of these is the den that they end with. Sums are of positive numbers, so that no digit
// is lost.
func (q *bidiagonal) joint(twice float64, s, f, work []float64) {
	n, last := len(s), len(q.a2)-1
	num, den, logs := work[:n], work[n:2*n], work[2*n:3*n]
	f = f[:n]
	clear(f)
	for k, v := range s {
		num[k], den[k] = v+q.a2[last], 1
	}
	for i := last; i > 0; {
		from := max(i-pivotsAtOnce, 0)
		if !vec.PivotProducts(s, num, den, q.a2[from:i], q.c2[from:i]) {
			q.jointFar(s, f, num, den)
			break
		}
		if i = from; i > 0 {
			vec.Logs(logs, den)
			for k, log := range logs {
				f[k] += log
				num[k], den[k] = num[k]/den[k], 1
			}
		}
	}
	for k, v := range s {
		f[k] += (twice + q.rho2 + float64(q.b2*(float64(v*den[k])/num[k]))) / v
	}
	vec.Logs(den, num)
	for k, log := range den {
		f[k] += log
	}
}

// pivotsAtOnce is how many pivots are multiplied: 1e12 each stay within bounds.
const pivotsAtOnce = 12

// jointFar is the recurrence where products would grow too large or too small: pivot by
// pivot, of whose logarithms it makes f.
func (q *bidiagonal) jointFar(s, f, num, den []float64) {
	last := len(q.a2) - 1
	clear(f)
	for k, v := range s {
		t := v + q.a2[last]
		for i := last - 1; i >= 0; i-- {
			e := q.c2[i] + t
			f[k] += math.Log(e)
			t = v + float64(q.a2[i]*(t/e))
		}
		num[k], den[k] = t, 1
	}
}

// ridge returns the residual sum of squares of the ridge fit at s and the
// trace of BB'(BB' + s)^{-1}, the number of coefficients that the data tell.
// dt is the derivative of t by log s.
func (q *bidiagonal) ridge(s float64) (rss, effective float64) {
	last := len(q.a2) - 1
	t, dt, sum := s+q.a2[last], s, 0.0
	for i := last; i > 0; i-- {
		r := 1 / (q.c2[i-1] + t)
		h := float64(dt * r)
		sum += h
		t = s + float64(q.a2[i-1]*float64(t*r))
		dt = s + float64(q.a2[i-1]*float64(float64(q.c2[i-1]*r)*h))
	}
	h := dt / t
	return q.rho2 + float64(q.b2*float64(s/t*h)), float64(last+1) - (sum + h)
}

// pull is posterior.pull in one recurrence.
func (q *bidiagonal) pull(s float64) float64 {
	last := len(q.a2) - 1
	t, dt, ddt, sum := s+q.a2[last], s, s, 0.0
	for i := last - 1; i >= 0; i-- {
		r := 1 / (q.c2[i] + t)
		h, g := float64(dt*r), float64(ddt*r)
		h2 := float64(h * h)
		sum += g - h2
		t = s + float64(q.a2[i]*float64(t*r))
		c := float64(q.a2[i] * float64(q.c2[i]*r))
		dt, ddt = s+float64(c*h), s+float64(c*(g-float64(2*h2)))
	}
	r := 1 / t
	h, g := float64(dt*r), float64(ddt*r)
	h2 := float64(h * h)
	return 0.5 * (float64(q.b2*r*(h+(g-float64(2*h2)))) - (sum + (g - h2)))
}

// slopes returns the first two derivatives by log s of
// -(log det(BB' + s I) + b^2/e_1)/2.
func (q *bidiagonal) slopes(s float64) (first, second float64) {
	var f [3]float64
	at := [1]float64{s}
	q.derivatives(at[:], f[:1], f[1:2], f[2:])
	return f[0], f[1]
}

// derivatives sets f1[k], f2[k] and f3[k] to the first three derivatives by log
// s of the same at s[k].
func (q *bidiagonal) derivatives(s, f1, f2, f3 []float64) {
	vec.PivotSlopes(s, f1, f2, f3, q.a2, q.c2, q.b2)
}

// rises sets first[k] to the first of the slopes at s[k]. work has two entries
// for each.
func (q *bidiagonal) rises(s, first, work []float64) {
	n := len(s)
	t, dt := work[:n], work[n:2*n]
	first = first[:n]
	last := len(q.a2) - 1
	for k, v := range s {
		t[k], dt[k], first[k] = v+q.a2[last], v, 0
	}
	for i := last; i > 0; i-- {
		c2, a2 := q.c2[i-1], q.a2[i-1]
		for k, v := range s {
			r := 1 / (c2 + t[k])
			h := dt[k] * r
			first[k] -= h
			t[k], dt[k] = v+a2*(t[k]*r), v+a2*(c2*r*h)
		}
	}
	for k := range s {
		h := dt[k] / t[k]
		first[k] = 0.5 * (first[k] - h + q.b2/t[k]*h)
	}
}

// pivots writes what B'B + s I = W E W', W unit upper bidiagonal, leads to:
// l[i] = W_{i,i+1}, g[i] = s/E_i, and the posterior mean of V'D beta at s. The variances of
// V'beta, D = I, at s are those of W'^{-1} g.
func (q *bidiagonal) pivots(s float64, l, g, mean []float64) {
	one := [1]float64{s}
	q.factors(one[:], l, g, mean)
}

// factors is pivots of many s: each of the results has a row of them for every
// coefficient.
func (q *bidiagonal) factors(s, l, g, mean []float64) {
	vec.PivotFactors(s, q.a, q.a2, q.c, q.c2, float64(q.a[0]*q.b), l, g, mean)
}

// sample takes standard normals x to V'D beta at s, whose pivots are l and g.
func (q *bidiagonal) sample(s float64, l, g, x []float64) {
	mean := float64(q.a[0]*q.b) * (g[0] / s)
	for i := range x {
		x[i] = float64(x[i] * math.Sqrt(g[i]))
		if i > 0 {
			x[i] -= float64(l[i-1] * x[i-1])
		} else {
			x[0] += mean
		}
	}
}
