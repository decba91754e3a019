package lin

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// MulT overwrites c, m x n, with AB': a is m x k, b is n x k.
func MulT(m, n, k int, a, b, c []float64) {
	// gonum starts goroutines, which allocate, from four tiles of 64 x 64 on.
	const rows, cols = 64, 192
	for i := 0; i < m; i += rows {
		h := min(rows, m-i)
		for j := 0; j < n; j += cols {
			w := min(cols, n-j)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1,
				blas64.General{Rows: h, Cols: k, Stride: k, Data: a[i*k : (i+h)*k]},
				blas64.General{Rows: w, Cols: k, Stride: k, Data: b[j*k : (j+w)*k]},
				0, blas64.General{Rows: h, Cols: w, Stride: n, Data: c[i*n+j : (i+h-1)*n+j+w]})
		}
	}
}

// AddTMul adds A'B to c, n x k: a is m x n, b is m x k.
func AddTMul(m, n, k int, a, b, c []float64) { addTMul(m, n, k, a, b, c, false) }

// AddGram adds A'B to the lower triangle of c, k x k, where A'B is known to
// be symmetric: a and b are m x k. The entries above the diagonal hold
// anything afterwards.
func AddGram(m, k int, a, b, c []float64) { addTMul(m, k, k, a, b, c, true) }

// addTMul takes four rows of a and b and two rows of c at a time, so that
// eight products share ten loads and stores.
func addTMul(m, n, k int, a, b, c []float64, lower bool) {
	i := 0
	for ; i+4 <= m; i += 4 {
		a0, a1, a2, a3 := a[i*n:][:n], a[(i+1)*n:][:n], a[(i+2)*n:][:n], a[(i+3)*n:][:n]
		b0, b1, b2, b3 := b[i*k:][:k], b[(i+1)*k:][:k], b[(i+2)*k:][:k], b[(i+3)*k:][:k]
		j := 0
		for ; j+2 <= n; j += 2 {
			width := k
			if lower {
				width = j + 2
			}
			x0, x1, x2, x3 := a0[j], a1[j], a2[j], a3[j]
			y0, y1, y2, y3 := a0[j+1], a1[j+1], a2[j+1], a3[j+1]
			b0, b1, b2, b3 := b0[:width], b1[:width], b2[:width], b3[:width]
			c0, c1 := c[j*k:][:width], c[(j+1)*k:][:width]
			for l, v0 := range b0 {
				v1, v2, v3 := b1[l], b2[l], b3[l]
				c0[l] += (float64(x0*v0) + float64(x1*v1)) + (float64(x2*v2) + float64(x3*v3))
				c1[l] += (float64(y0*v0) + float64(y1*v1)) + (float64(y2*v2) + float64(y3*v3))
			}
		}
		if j < n {
			row := c[j*k:][:k]
			Axpy(a0[j], b0, row)
			Axpy(a1[j], b1, row)
			Axpy(a2[j], b2, row)
			Axpy(a3[j], b3, row)
		}
	}
	for ; i < m; i++ {
		bi := b[i*k:][:k]
		for j, x := range a[i*n:][:n] {
			width := k
			if lower {
				width = j + 1
			}
			Axpy(x, bi[:width], c[j*k:][:width])
		}
	}
}

// InvertLower writes into dst, n x n, the inverse of the lower triangular
// matrix in l; above the diagonal dst is 0.
func InvertLower(n int, l, dst []float64) {
	clear(dst[:n*n])
	for i := range n {
		row := dst[i*n:][:n]
		for j := range i {
			Axpy(-l[i*n+j], dst[j*n:][:j+1], row[:j+1])
		}
		d := 1 / l[i*n+i]
		Scale(d, row[:i])
		row[i] = d
	}
}

// Mirror copies the lower triangle of a, n x n, to the upper one.
func Mirror(n int, a []float64) {
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
}
