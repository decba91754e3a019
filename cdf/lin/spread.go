package lin

import "github.com/credence-stream/credence/cdf/vec"

// Spread sets, for each of the m rows x_i of x, dot[i] to b'x_i and square[i]
// to |x_i'W|^2, W upper triangular; w holds it n x n, row-major, with 0 below its
// diagonal.
//
// Of up to 504 columns the rows lie side by side, and the products are squared in registers as they are made: what is multiplied of W is its
// upper half, but for parts of vectors. Of more, strips of XW are squared. It replaces loops over four rows of
// W': 3.0 times as fast at n = 6, 3.5 times at 51 (BenchmarkSpread), and side by side another 1.9, 1.7 and 1.2 times at 31, 51 and 128,
// on one core of a Xeon with AVX-512. Of fewer columns than a strip 240
// rows take 0.39, 0.44 and 0.58 of the time at 6, 8 and 11 to 21 columns, 10 rows 0.45, 0.34 and 0.75 to 0.54, in turns on a Xeon; 1,000
// rows 0.74, 0.77 and 0.90 at 129, 211 and 501, and more than 1 from 512 columns on. By AVX2 100 rows take 0.54 of the time of strips at 6
// columns, 0.60 at 51, 0.75 at 128 and 0.92 at 501, 10 rows 0.62, 0.61, 0.74 and 0.83, in turns on an EPYC (Zen 4) beside other work.
func Spread(m, n int, x, w, b, dot, square []float64) {
	if spreadVectors(m, n, x, w, b, dot, square) {
		return
	}
	if n < stripCols {
		spreadNarrow(m, n, x, w, b, dot, square)
		return
	}
	const most = 80
	var tile [most * stripCols]float64
	for ; m > 0; m -= most {
		h := min(m, most)
		clear(square[:h])
		for l := 0; l < n; l += stripDeep {
			strip(h, 1, min(stripDeep, n-l), factorOf(x[l:], n, 1).first(l == 0), b[l:], 1, dot, 1)
		}
		// The strip that is not full comes first: there W is least deep.
		for j, cols := 0, (n-1)%stripCols+1; j < n; j, cols = j+cols, stripCols {
			z := tile[:h*cols]
			for l := 0; l < j+cols; l += stripDeep {
				strip(h, cols, min(stripDeep, j+cols-l), factorOf(x[l:], n, 1).first(l == 0), w[l*n+j:], n, z, cols)
			}
			addSquares(h, cols, z, square)
		}
		if m > h {
			x, dot, square = x[h*n:], dot[h:], square[h:]
		}
	}
}

// spreadNarrow is Spread of so few columns that vectors lie across rows: the same
// bits.
func spreadNarrow(m, n int, x, w, b, dot, square []float64) {
	if n < narrow {
		var room [3 * narrow * stripCols]float64
		spreadAcross(m, n, x, w, b, dot, square, room[:])
		return
	}
	var room [3 * stripCols * stripCols]float64
	spreadAcross(m, n, x, w, b, dot, square, room[:])
}

// spreadAcross takes as many rows at a time as a strip has columns. room has a place
// for three matrices of n+1 rows of them.
func spreadAcross(m, n int, x, w, b, dot, square, room []float64) {
	k := n + 1
	both, columns, z := room[:n*k], room[len(room)/3:], room[2*len(room)/3:][:k*stripCols]
	for i := range n {
		copy(both[i*k:], w[i*n:][:n])
		both[i*k+n] = b[i]
	}
	for from := 0; from < m; from += stripCols {
		h := min(m-from, stripCols)
		vec.Transpose(h, n, x[from*n:], n, columns, stripCols)
		strip(k, h, n, factorOf(both, 1, k).first(true), columns, stripCols, z, stripCols)
		copy(dot[from:], z[n*stripCols:][:h])
		clear(square[from : from+h])
		vec.AddSquares(n, z, stripCols, square[from:from+h])
	}
}

// addSquares adds to each square that of the row of z, four rows at a time.
func addSquares(m, n int, z, square []float64) {
	i := 0
	for ; i+4 <= m; i += 4 {
		z0, z1, z2, z3 := z[i*n:][:n], z[(i+1)*n:][:n], z[(i+2)*n:][:n], z[(i+3)*n:][:n]
		q0, q1, q2, q3 := square[i], square[i+1], square[i+2], square[i+3]
		for j := range z0 {
			q0 += float64(z0[j] * z0[j])
			q1 += float64(z1[j] * z1[j])
			q2 += float64(z2[j] * z2[j])
			q3 += float64(z3[j] * z3[j])
		}
		square[i], square[i+1], square[i+2], square[i+3] = q0, q1, q2, q3
	}
	for ; i < m; i++ {
		for _, v := range z[i*n:][:n] {
			square[i] += float64(v * v)
		}
	}
}
