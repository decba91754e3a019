package lin

import "math"

// ridgePanels is the order from which Ridge goes by panels.
const ridgePanels = 32

// RidgeWork returns the length of the work slice that Ridge needs for order n.
func RidgeWork(n int) int { return max(panels(n+1)*ridgePanel(n), (n+4)*(n+1)) }

// ridgePanel is the length of a panel of n rows, to a multiple of four.
func ridgePanel(n int) int { return (n + 3) / 4 * 4 * panelCols }

// Ridge adds the identity to r'r: the first n rows of the packed factor r of
// order n+1 become those of the factor of the stack [r; I 0], I of order n. The
// last row is neither read nor written. work has RidgeWork(n) entries.
//
// Reflection j touches row j of r and the first j+1 of the identity, which
// fill up: 2/3 n^3 operations, a third of UpdateQR with as many rows, and as
// many as a Gram matrix and its Cholesky factor, which would lose digits. Beyond few
// columns they are applied by panels, as in UpdateQR.
func Ridge(n int, r, work []float64) {
	if n < ridgePanels {
		ridgeEach(n, r, work)
		return
	}
	apart := ridgePanel(n)
	f := work[:panels(n+1)*apart] // the identity and a column of zeros, of each panel the rows that are touched
	for k := range panels(n + 1) {
		clear(f[k*apart:][:min((k+1)*panelCols*panelCols, apart)])
	}
	for j := range n {
		f[j/panelCols*apart+j*panelCols+j%panelCols] = 1
	}
	var h reflections
	for j := 0; j < n; j += panelCols {
		w := min(panelCols, n-j)
		h.panel(r, n+1, j, w, f[j/panelCols*apart:], j+w, apart)
	}
}

// ridgeEach is Ridge by one reflection after the other.
func ridgeEach(n int, r, work []float64) {
	stride := n + 1
	f, rest := work[:n*stride], work[n*stride:]
	v, x, u, w := rest[:stride], rest[stride:2*stride], rest[2*stride:3*stride], rest[3*stride:4*stride]
	clear(f)
	for j := range n {
		below := 1.0 // of the identity's row j
		for i := range j {
			e := f[i*stride+j] - float64(x[i]*u[0])
			v[i] = e
			below += float64(e * e)
		}
		v[j] = 1
		row := r[PackedRow(stride, j):PackedRow(stride, j+1)]
		alpha := row[0]
		beta := -math.Copysign(math.Sqrt(float64(alpha*alpha)+below), alpha)
		head := alpha - beta
		row[0], row = beta, row[1:]
		w := w[:len(row)]
		for k, e := range row {
			w[k] = float64(head * e)
		}
		subSum(j, n-j, stride, f[j+1:], x, u[1:], v, w)
		Scale(-1/(beta*head), w)
		Axpy(-head, w, row)
		x, v = v, x
		copy(u, w)
	}
}

// InvertPacked writes into dst, n x n row-major, the inverse of the first n
// columns of the packed factor r of order n+1; below the diagonal dst is 0.
//
// Beyond order 24 it goes by strips, with 24 rows at a time.
//
// It replaces sums of four rows at a time: as fast to order 24, 1.15 times at 51,
// 2.1 at 100, 4.7 at 501 (BenchmarkReductions).
func InvertPacked(n int, r, dst []float64) {
	if n <= stripCols {
		clear(dst[:n*n])
		invertUpper(n, n+1, 0, r, dst)
		return
	}
	var square, sum [stripCols * stripCols]float64
	for k := (n - 1) / stripCols * stripCols; k >= 0; k -= stripCols {
		w := min(stripCols, n-k)
		clear(square[:])
		invertUpper(w, n+1, k, r, square[:])
		for i := range w {
			copy(dst[(k+i)*n+k+w:(k+i+1)*n], r[PackedRow(n+1, k+i)+w-i:])
		}
		// A strip needs the factor's columns to its own end: those right of it
		// may be replaced before.
		for j := (n - 1) / stripCols * stripCols; j > k; j -= stripCols {
			cols := min(stripCols, n-j)
			for l := k + w; l < j+cols; l += stripDeep {
				strip(w, cols, min(stripDeep, j+cols-l), factorOf(dst[k*n+l:], n, 1).first(l == k+w), dst[l*n+j:], n, sum[:], cols)
			}
			Scale(-1, sum[:w*cols])
			strip(w, cols, w, factorOf(square[:], w, 1).first(true), sum[:], cols, dst[k*n+j:], n)
		}
		for i := range w {
			clear(dst[(k+i)*n:][:k])
			copy(dst[(k+i)*n+k:][:w], square[i*w:])
		}
	}
}

// invertUpper writes into dst, n x n, the inverse of the square of order n on the diagonal of the packed factor r, of the given order, that
// begins at row k; dst holds 0.
func invertUpper(n, order, k int, r, dst []float64) {
	for i := n - 1; i >= 0; i-- {
		t := r[PackedRow(order, k+i):][:n-i]
		d := 1 / t[0]
		row := dst[i*n:][:n]
		sumUpper(n, i+1, t[1:], dst, row)
		for j := i + 1; j < n; j++ {
			row[j] *= -d
		}
		row[i] = d
	}
}

// sumUpper adds the rows of the upper triangular s from the given one on, times t, to dst, four at a
// time.
func sumUpper(n, from int, t, s, dst []float64) {
	for len(t) >= 4 {
		r := dst[from:n]
		s0, s1, s2, s3 := s[from*n+from:][:len(r)], s[(from+1)*n+from:][:len(r)], s[(from+2)*n+from:][:len(r)], s[(from+3)*n+from:][:len(r)]
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		for k := range r {
			r[k] += (float64(t0*s0[k]) + float64(t1*s1[k])) + (float64(t2*s2[k]) + float64(t3*s3[k]))
		}
		t, from = t[4:], from+4
	}
	for _, v := range t {
		Axpy(v, s[from*n+from:(from+1)*n], dst[from:n])
		from++
	}
}
