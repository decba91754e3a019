package normal

import "math"

// Polynomial writes the coefficients of the polynomial that is f at Chebyshev's points of
// [lo, hi], the highest power first.
func Polynomial(dst []float64, lo, hi float64, f func(float64) float64) {
	n := len(dst)
	x, c := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = (lo+hi)/2 + (hi-lo)/2*math.Cos(math.Pi*(float64(i)+.5)/float64(n))
		c[i] = f(x[i])
	}
	for j := 1; j < n; j++ { // Newton's divided differences
		for i := n - 1; i >= j; i-- {
			c[i] = (c[i] - c[i-1]) / (x[i] - x[i-j])
		}
	}
	clear(dst)
	for i := n - 1; i >= 0; i-- { // times (x - x[i]), and the next
		for j := range n - 1 {
			dst[j] = dst[j+1] - float64(x[i]*dst[j])
		}
		dst[n-1] = c[i] - float64(x[i]*dst[n-1])
	}
}
