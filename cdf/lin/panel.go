package lin

import "math"

// The two passes over a block of rows that Householder reductions are made
// of. Each applies the reflection before and prepares the next while an entry is
// in a register: 4 operations for a load and a store.
//
//	subSum  a -= xu', then w_j = fma(v_i, a_ij, w_j), row after row
//	subDot  a -= xu', then y_i = a_i w, in eight partial sums
//
// They are chains of fused multiply-adds, the same with every set of
// instructions: vectors lie along rows, and a partial sum takes every eighth
// column. gen writes the assembly; sumRows and dotRows are its twin. Below eight
// columns plain loops are faster (narrow.go).
//
// They replace the loops at all widths. Both over n rows of n entries, in turns
// on one core of an EPYC (Zen 4), in GF/s:
//
//	n      gonum  loops  AVX-512       AVX2          portable
//	50     13.5   9.2    28.2 (3.1 x)  20.8 (2.3 x)  3.1
//	200    15.5   9.6    36.0 (3.8 x)  40.8 (4.3 x)  3.4
//	500    13.6   9.2    30.9 (3.4 x)  31.2 (3.4 x)  3.3
//
// BenchmarkPasses measures them.

const (
	// passRows bounds the rows of a call: 100 us, for assembly is not preempted.
	passRows = 64
	// passNear is how many entries stay in the first cache from one pass over them to
	// the next.
	passNear = 2048
	// narrow is the width below which no vector is full.
	narrow = 8
)

// subSum subtracts xu' from the m x n block a, whose rows are stride apart, and
// adds v'a of the result to w.
func subSum(m, n, stride int, a, x, u, v, w []float64) {
	if n < narrow {
		narrowSum(m, n, stride, a, x, u, v, w)
		return
	}
	for i := 0; i < m; i += passRows {
		sumPass(min(passRows, m-i), n, stride, a[i*stride:], x[i:], u, v[i:], w)
	}
}

// subDot subtracts xu' from the m x n block a, whose rows are stride apart, and
// sets y to aw of the result.
func subDot(m, n, stride int, a, x, u, w, y []float64) {
	if n < narrow {
		narrowDot(m, n, stride, a, x, u, w, y)
		return
	}
	for i := 0; i < m; i += passRows {
		dotPass(min(passRows, m-i), n, stride, a[i*stride:], x[i:], u, w, y[i:])
	}
}

// sumRows is subSum by its definition.
func sumRows(m, n, stride int, a, x, u, v, w []float64) {
	u, w = u[:n], w[:n]
	for i := range m {
		row, xi, vi := a[i*stride:][:n], -x[i], v[i]
		for j, uj := range u {
			r := math.FMA(xi, uj, row[j])
			row[j] = r
			w[j] = math.FMA(vi, r, w[j])
		}
	}
}

// dotRows is subDot by its definition.
func dotRows(m, n, stride int, a, x, u, w, y []float64) {
	u, w = u[:n], w[:n]
	for i := range m {
		row, xi := a[i*stride:][:n], -x[i]
		var s [8]float64
		for j, uj := range u {
			r := math.FMA(xi, uj, row[j])
			row[j] = r
			s[j%8] = math.FMA(w[j], r, s[j%8])
		}
		if n%8 > 0 {
			for j := n % 8; j < 8; j++ {
				s[j] += 0 // what the empty lanes of a vector add makes 0 of -0
			}
		}
		for j := range 4 {
			s[j] += s[j+4]
		}
		y[i] = (s[0] + s[2]) + (s[1] + s[3])
	}
}
