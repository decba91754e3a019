package lin

import "github.com/credence-stream/credence/cdf/vec"

const (
	vectorsCols = stripCols // reflections that RightVectors applies at once
	vectorsPay  = 128       // the order from which it does
)

// RightVectors writes into v, n x n row-major, the V of Bidiagonal without its first
// row and column. a and tau are what Bidiagonal left.
//
// The reflections are applied from the last to the first, in large orders 24 at
// once, in strips.
//
// It replaces the same passes without vectors: 2.0 times as fast at n = 51, 2.5 at
// 100, 3.8 at 501 (BenchmarkReductions).
func RightVectors(n int, a, tau, v, work []float64) {
	if n < vectorsPay {
		vectorsEach(n, a, tau, v, work)
		return
	}
	stride := BidiagonalStride(n)
	clear(v[:n*n])
	for i := range n {
		v[i*n+i] = 1
	}
	u, side, sum := work[:vectorsCols*n], work[vectorsCols*n:2*vectorsCols*n], work[2*vectorsCols*n:]
	var minus, by [vectorsCols * stripCols]float64
	for k := (n - 1) / vectorsCols * vectorsCols; k >= 0; k -= vectorsCols {
		// The reflections change nothing before row and column k.
		w, m := min(vectorsCols, n-k), n-k
		for i := range w {
			row := u[i*m:][:m]
			clear(row[:i])
			copy(row[i:], a[(k+i)*stride+k+i+1:])
		}
		combine(w, m, u, m, tau[k:], side, minus[:])
		for j := k; j < n; j += stripCols {
			cols, block := min(stripCols, n-j), v[k*n+j:]
			for l := 0; l < m; l += stripDeep {
				strip(w, cols, min(stripDeep, m-l), factorOf(u[l:], m, 1).first(l == 0), block[l*n:], n, sum, cols)
			}
			strip(w, cols, w, factorOf(minus[:], w, 1).first(true), sum, cols, by[:], cols)
			tall(m, cols, w, factorOf(u, 1, m), by[:], cols, block, n)
		}
	}
}

// vectorsEach is RightVectors by one reflection after the other.
func vectorsEach(n int, a, tau, v, work []float64) {
	x, w, next, zero := work[:n], work[n:2*n], work[2*n:3*n], work[3*n:4*n]
	clear(v[:n*n])
	clear(x)
	clear(w)
	clear(zero)
	for i := n - 1; i >= -1; i-- {
		// The reflection before is due in the rows and columns after i.
		k, u := i+1, zero
		if i >= 0 {
			u = a[i*BidiagonalStride(n)+i+1:][:n-i]
			clear(next)
			v[i*n+i], next[i] = 1, u[0]
		}
		if k < n {
			due := v[k*n+k:]
			if i < 0 {
				subSum(n, n, n, due, x, w, zero, next)
				break
			}
			subSum(n-k, n-k, n, due, x[k:], w[k:], u[1:], next[k:])
		}
		for r, e := range u {
			x[i+r] = float64(tau[i] * e)
		}
		w, next = next, w
	}
}

// combine finds minus of w reflections with the factors t, whose v are the rows of x, m
// entries each and stride apart. It leaves them side by side, too.
func combine(w, m int, x []float64, stride int, t, side, minus []float64) {
	var gram [stripCols * stripCols]float64
	vec.Transpose(w, m, x, stride, side, w)
	clear(minus[:w*w])
	for l := 0; l < m; l += stripDeep {
		strip(w, w, min(stripDeep, m-l), factorOf(x[l:], stride, 1), side[l*w:], w, gram[:], w)
	}
	for j, t := range t[:w] {
		for i := range j {
			minus[i*w+j] = float64(-t * Dot(minus[i*w+i:i*w+j], gram[j*w+i:]))
		}
		minus[j*w+j] = -t
	}
}
