package lin

import "github.com/credence-stream/credence/cdf/vec"

// gramRows is how many rows of a GramUpper are made at once. In turns with 24 and, at 500, 48 it takes 0.8 of the time at n = 50 and 0.9 at 500.
const gramRows = 16

// upperRows is how many rows of MulUpper are made at once: in small orders
// fewer, so that more of what is 0 is left out.
func upperRows(n int) int {
	if n < 128 {
		return stripCols
	}
	return 2 * stripCols
}

// GramUpper overwrites the upper triangle of c, n x n, with that of M'M: m is n x n and 0 below its
// diagonal. The entries below the diagonal hold anything afterwards.
//
// What is 0 is left out, which AddGram multiplies too: n^3/3 operations in place of n^3. It takes half of
// the time of gonum's at n = 50 and 0.3 of it at n = 500, on one core of a Xeon with AVX-512 (BenchmarkUpper).
func GramUpper(n int, m, c []float64) {
	for i := 0; i < n; i += gramRows {
		deep := min(i+gramRows, n)
		for j := i; j < n; j += stripCols {
			cols := min(stripCols, n-j)
			rows := min(deep, j+cols) - i
			for l := 0; l < deep; l += stripDeep {
				tall(rows, cols, min(stripDeep, deep-l), factorOf(m[l*n+i:], 1, n).first(l == 0), m[l*n+j:], n, c[i*n+j:], n)
			}
		}
	}
}

// OuterUpper overwrites the lower triangle of c, n x n, with that of MM': m is n x n and 0 below its
// diagonal. The entries above the diagonal hold anything afterwards.
//
// What is 0 is left out, which GramT multiplies too: n^3/3 operations in place of n^3. It takes 0.55 of
// the time of GramT at n = 500, as much at n = 50, on one core of a Xeon with AVX-512 (BenchmarkUpper).
func OuterUpper(n int, m, c []float64) {
	for i := range n {
		clear(c[i*n:][:min((i/stripCols+1)*stripCols, n)])
	}
	var side [stripDeep * stripCols]float64
	for j := 0; j < n; j += stripCols {
		w, corner := min(stripCols, n-j), c[j*n+j:]
		for l := j; l < n; l += stripDeep {
			deep := min(stripDeep, n-l)
			vec.Transpose(w, deep, m[j*n+l:], n, side[:], w)
			tall(l+deep-j, w, deep, factorOf(m[j*n+l:], n, 1), side[:], w, corner, n)
		}
	}
}

// RowsUpper overwrites c, m x n, with AU: a is m x n, u is n x n and 0 below its diagonal. It has the bits of
// Mul, in 0.5 of the time with 32 rows at n = 500, as much at n = 50 (BenchmarkUpper).
func RowsUpper(m, n int, a, u, c []float64) {
	for l := 0; l < n; l += stripDeep {
		deep := min(stripDeep, n-l)
		for j := l / stripCols * stripCols; j < n; j += stripCols {
			tall(m, min(stripCols, n-j), deep, factorOf(a[l:], n, 1).first(l == 0), u[l*n+j:], n, c[j:], n)
		}
	}
}

// RowsUpperT overwrites c, m x n, with AU': a is m x n, u is n x n and 0 below its diagonal. It has the bits of
// MulT, in 0.65 of the time with 32 rows at n = 500, as much at n = 50 (BenchmarkUpper).
func RowsUpperT(m, n int, a, u, c []float64) { mulT(m, n, n, a, u, c, true) }

// MulUpper overwrites a with AB, both n x n and 0 below their diagonals.
//
// What is 0 is left out, which Mul multiplies too: n^3/3 operations in place of 2n^3. It takes 0.8 of
// the time of gonum's at n = 50 and a fifth of it at n = 500, on one core of a Xeon with AVX-512 (BenchmarkUpper).
func MulUpper(n int, a, b []float64) {
	var tile [2 * stripCols * stripCols]float64
	most := upperRows(n)
	for i := 0; i < n; i += most {
		rows := min(most, n-i)
		// From the right: a strip needs the rows of a to its own end.
		for j := (n - 1) / stripCols * stripCols; j >= i; j -= stripCols {
			cols := min(stripCols, n-j)
			for l := i; l < j+cols; l += stripDeep {
				tall(rows, cols, min(stripDeep, j+cols-l), factorOf(a[i*n+l:], n, 1).first(l == i), b[l*n+j:], n, tile[:], cols)
			}
			for r := range rows {
				copy(a[(i+r)*n+j:][:cols], tile[r*cols:])
			}
		}
	}
}
