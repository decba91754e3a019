package lin

import "github.com/credence-stream/credence/cdf/vec"

// Mul overwrites c, m x n, with AB: a is m x k, b is k x n.
func Mul(m, n, k int, a, b, c []float64) {
	if k == 0 {
		clear(c[:m*n])
	}
	add(m, n, k, factorOf(a, k, 1).first(true), b, n, c, n)
}

// MulLower overwrites c, m x n, with LB: l is m x m and 0 above its diagonal, b is m x n.
//
// It has the bits of Mul, in 0.63 of the time at m = 211, n = 48 on one core of an EPYC (Zen 5)
// in AVX-512 (BenchmarkMulLower).
func MulLower(m, n int, l, b, c []float64) {
	const most = 2 * stripCols
	for i := 0; i < m; i += most {
		deep := min(most, m-i)
		for j := 0; j < n; j += stripCols {
			tall(m-i, min(stripCols, n-j), deep, factorOf(l[i*m+i:], m, 1).first(i == 0), b[i*n+j:], n, c[i*n+j:], n)
		}
	}
}

// MulT overwrites c, m x n, with AB': a is m x k, b is n x k.
//
// A tile stays until all of the depth is in it. That takes 0.55 of the time of one that is
// brought back for every 64 of it, at m = 24, n = k = 500 on one core of an EPYC (Zen 5) in
// AVX-512 (BenchmarkMulT).
func MulT(m, n, k int, a, b, c []float64) { mulT(m, n, k, a, b, c, false) }

// mulT is MulT; of an upper triangular b it leaves out what is 0.
func mulT(m, n, k int, a, b, c []float64, upper bool) {
	// The vectors lie across rows of a, which are brought side by side. What
	// they give is the transpose of c.
	const deepest, tallest = 64, 128
	var side [deepest * stripCols]float64
	var tile [tallest * stripCols]float64
	for i := 0; i < m; i += stripCols {
		w := min(stripCols, m-i)
		for j := 0; j < n; j += tallest {
			h, from := min(tallest, n-j), 0
			if upper {
				from = j // the tallest are several of the deepest
			}
			for l := from; l < k; l += deepest {
				deep := min(deepest, k-l)
				vec.Transpose(w, deep, a[i*k+l:], k, side[:], w)
				strip(h, w, deep, factorOf(b[j*k+l:], k, 1).first(l == from), side[:], w, tile[:], w)
			}
			vec.Transpose(h, w, tile[:], w, c[i*n+j:], n)
		}
	}
}

// GramT overwrites the lower triangle of c, m x m, with that of AA', a is m x k: the
// bits of MulT in half of its operations. The entries above the diagonal hold anything
// afterwards.
//
// It replaces MulT, in half of the time with 111 rows of 500 numbers on one core of an
// EPYC (Zen 5) in AVX-512 (BenchmarkGramT).
func GramT(m, k int, a, c []float64) {
	if k == 0 {
		clear(c[:m*m])
	}
	var side [stripDeep * stripCols]float64
	for j := 0; j < m; j += stripCols {
		w, corner := min(stripCols, m-j), c[j*m+j:]
		for l := 0; l < k; l += stripDeep {
			deep := min(stripDeep, k-l)
			left := a[j*k+l:]
			vec.Transpose(w, deep, left, k, side[:], w)
			tall(m-j, w, deep, factorOf(left, k, 1).first(l == 0), side[:], w, corner, m)
		}
	}
}

// AddTMul adds A'B to c, n x k: a is m x n, b is m x k.
func AddTMul(m, n, k int, a, b, c []float64) {
	add(n, k, m, factorOf(a, 1, n), b, k, c, k)
}

// AddRows adds the rows of a, m x n, to c, n numbers: the sums are those of one row after the other, to the bit.
//
// It replaces a loop over them: the score of 1,000 rows of linear takes 0.75 to 0.9 of the time at 5 columns and at 50, in turns on an
// EPYC (Zen 4) in AVX-512 beside other work.
func AddRows(m, n int, a, c []float64) {
	one := [1]float64{1}
	add(1, n, m, factorOf(one[:], 0, 0), a, n, c, n)
}

// AddGram adds A'B to the lower triangle of c, k x k, where A'B is known to
// be symmetric: a and b are m x k. The entries above the diagonal hold
// anything afterwards.
func AddGram(m, k int, a, b, c []float64) {
	addLower(k, m, factorOf(a, 1, k), b, c)
}

// InvertLower writes into dst, n x n, the inverse of the lower triangular
// matrix in l; above the diagonal dst is 0.
func InvertLower(n int, l, dst []float64) {
	clear(dst[:n*n])
	invertLower(n, l, dst, n, n)
}

// invertLower does so where ls and ds entries lie between the rows of l and dst,
// which has 0 above its diagonal.
func invertLower(n int, l, dst []float64, ls, ds int) {
	for i := range n {
		row := dst[i*ds:][:n]
		clear(row[:i])
		for j := range i {
			Axpy(-l[i*ls+j], dst[j*ds:][:j+1], row[:j+1])
		}
		d := 1 / l[i*ls+i]
		Scale(d, row[:i])
		row[i] = d
	}
}

// Mirror copies the lower triangle of a, n x n, to the upper one, some rows at a time: 0.58 of the time of one entry
// after the other at n = 500, in turns on a Xeon beside other work (BenchmarkMirror).
func Mirror(n int, a []float64) {
	for k := 0; k < n; k += stripCols {
		end := min(k+stripCols, n)
		if k > 0 {
			vec.Transpose(end-k, k, a[k*n:], n, a[k:], n)
		}
		for i := k; i < end; i++ {
			for j := k; j < i; j++ {
				a[j*n+i] = a[i*n+j]
			}
		}
	}
}
