package lin

import "github.com/credence-stream/credence/cdf/vec"

// Dot returns the sum of x[i]*y[i] over the entries of x; y is at least as
// long. Four partial sums are kept, so the order of the additions is fixed by
// the length.
func Dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// SumSquares returns |Wx|^2; w holds the rows of W, each as long as x, one
// after the other.
func SumSquares(w, x []float64) float64 {
	sum := 0.0
	n := len(x)
	for ; len(w) >= 2*n && n > 0; w = w[2*n:] {
		p, q := w[:n], w[n:2*n]
		s, t := 0.0, 0.0
		for i, v := range x {
			s += float64(v * p[i])
			t += float64(v * q[i])
		}
		sum += float64(s*s) + float64(t*t)
	}
	if len(w) >= n && n > 0 {
		s := Dot(x, w)
		sum += float64(s * s)
	}
	return sum
}

// Finite reports whether no x is infinite or NaN.
func Finite(x ...float64) bool { return vec.Finite(x) }

// IndexNotFinite returns the first index of an infinite or NaN entry, -1
// without one.
func IndexNotFinite(x []float64) int {
	if vec.Finite(x) {
		return -1
	}
	for i, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return i
		}
	}
	return -1
}

// Center takes the mean out of x and returns it and the sum of squares.
func Center(x []float64) (mean, square float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
		square += x[i] * x[i]
	}
	return mean, square
}
