package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// mostOfFew is the greatest number of normals that stand for the mixture where
	// variables are described, by Gauss quadrature over log s2.
	mostOfFew = 12
	// enough is how many the mixture must have for that to be worth while.
	enough = 16
	// through is how many nodes a normal between them is interpolated from.
	through = 10
)

// fewFor returns how many normals do for an sd of log s2, 0: all are needed. Each more
// leaves a fortieth of the error, of levels and also of coefficients, whose means move
// with s2 by a part of their sds however narrow its law is: 2e-8 of an sd at five.
func fewFor(sd float64) int {
	switch {
	case !(sd > 0 && sd < 0.22):
		return 0
	case sd > 0.07:
		return mostOfFew
	}
	return 10
}

// few is the rule of Gauss for the mixture's weights: polynomials in log s2 of a degree
// below twice the number of its points have the same mean over these as over all normals.
type few struct {
	at, wt []float64 // log s2

	x             []float64 // log s2 of the mixture, centred and in sds
	before, p     []float64 // orthonormal polynomials there
	alpha, square []float64
}

// find makes the rule of weights wt, which sum to 1, at l. It reports whether the law
// is narrow enough for it.
func (f *few) find(l, wt []float64) bool {
	n := len(wt)
	if n < enough {
		return false
	}
	mean, sd := moments(l, wt)
	points := fewFor(sd)
	if points == 0 {
		return false
	}
	f.rule(l, wt, mean, sd, points)
	return true
}

// moments returns mean and sd of l by weights that sum to 1.
func moments(l, wt []float64) (mean, sd float64) {
	for i, w := range wt {
		mean += float64(w * l[i])
	}
	for i, w := range wt {
		d := l[i] - mean
		sd += float64(w * d * d)
	}
	return mean, math.Sqrt(sd)
}

// rule makes the rule of so many points of weights at l, whose mean and sd are known.
func (f *few) rule(l, wt []float64, mean, sd float64, points int) {
	n := len(wt)
	f.at, f.wt, f.alpha, f.square = lin.Grow(f.at, points), lin.Grow(f.wt, points), lin.Grow(f.alpha, points), lin.Grow(f.square, points)
	f.x = lin.Grow(f.x, n)
	for i := range f.x {
		f.x[i] = (l[i] - mean) / sd
	}
	f.recur(wt)
	reach := max(-f.x[0], f.x[n-1])
	for k := range f.at {
		x := f.zero(k, reach)
		f.at[k], f.wt[k] = mean+float64(sd*x), f.weight(x)
	}
}

// recur finds the recurrence of the orthonormal polynomials,
//
//	beta_{k+1} p_{k+1} = (x - alpha_k) p_k - beta_k p_{k-1},  square_k = beta_k^2
func (f *few) recur(wt []float64) {
	n := len(wt)
	f.before, f.p = lin.Grow(f.before, n), lin.Grow(f.p, n)
	for i := range f.p {
		f.before[i], f.p[i] = 0, 1
	}
	size := 0.0
	for k := range f.alpha {
		alpha, square := 0.0, 0.0
		for i, w := range wt {
			alpha += float64(w * f.x[i] * f.p[i] * f.p[i])
		}
		f.alpha[k], f.square[k] = alpha, float64(size*size)
		for i, w := range wt {
			v := float64((f.x[i]-alpha)*f.p[i]) - float64(size*f.before[i])
			f.before[i], f.p[i] = f.p[i], v
			square += float64(w * v * v)
		}
		size = math.Sqrt(square)
		lin.Scale(1/size, f.p)
	}
}

// zero returns the k-th zero, ascending, of the next polynomial, between the ends: of
// the matrix of the recurrence as many eigenvalues are below x as its pivots less x
// are negative.
func (f *few) zero(k int, reach float64) float64 {
	low, high := -reach, reach
	for range 60 {
		x, below, pivot := 0.5*(low+high), 0, 1.0
		for j, alpha := range f.alpha {
			if pivot = alpha - x - f.square[j]/pivot; pivot < 0 {
				below++
			}
		}
		if below > k {
			high = x
		} else {
			low = x
		}
	}
	return 0.5 * (low + high)
}

// weight is that of a zero: the inverse of the sum of the squares of the polynomials.
func (f *few) weight(x float64) float64 {
	before, p, sum := 0.0, 1.0, 1.0
	for k := range len(f.alpha) - 1 {
		next := (float64((x-f.alpha[k])*p) - float64(math.Sqrt(f.square[k])*before)) / math.Sqrt(f.square[k+1])
		before, p = p, next
		sum += float64(p * p)
	}
	return 1 / sum
}

// between makes g the normal at log s2 = l between the nodes, of which normal returns
// those that were found: means and factors of precisions by polynomials.
func (g *gauss) between(v *variance, l float64, normal func(node int) *gauss) {
	u := (l - v.l[0]) / v.h
	first := min(max(int(u)-through/2+1, 0), nodes-through)
	g.m = append(g.m[:0], math.Exp(-l))
	g.b, g.l = lin.Grow(g.b, len(normal(first).b)), lin.Grow(g.l, len(normal(first).l))
	clear(g.b)
	clear(g.l)
	u -= float64(first)
	for k := range through {
		w := 1.0
		for o := range through {
			if o != k {
				w *= (u - float64(o)) / float64(k-o)
			}
		}
		lin.Axpy(w, normal(first+k).b, g.b)
		lin.Axpy(w, normal(first+k).l, g.l)
	}
}
