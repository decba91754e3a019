package lin

// cornerRows is how many rows of a corner are multiplied at once: a tile of AVX-512.
const cornerRows = 8

// InvertPacked writes into dst, n x n row-major, the inverse of the first n
// columns of the packed factor r of order n+1; below the diagonal dst is 0.
//
// Beyond order 24 it goes by strips, with 24 rows at a time, of which assembly finds the square on the diagonal in one call.
//
// It replaces sums of four rows at a time: as fast to order 24, 1.15 times at 51,
// 2.1 at 100, 4.7 at 501 (BenchmarkReductions). With the call it takes 0.60 of the time at 51, 2.6 us, on one core of a Xeon with AVX-512
// (BenchmarkInvertPacked), 0.68 with AVX2 on an EPYC (Zen 4). Rows of a corner are multiplied from its diagonal on: 0.96 of the time at 501, in turns on an EPYC (Zen 4).
func InvertPacked(n int, r, dst []float64) {
	if n <= stripCols {
		clear(dst[:n*n])
		invertUpper(n, n, n+1, 0, r, dst)
		return
	}
	var sum [stripCols * stripCols]float64
	for k := (n - 1) / stripCols * stripCols; k >= 0; k -= stripCols {
		w, corner := min(stripCols, n-k), dst[k*n+k:]
		for i := range w {
			clear(dst[(k+i)*n:][:k])
			copy(dst[(k+i)*n+k+w:(k+i+1)*n], r[PackedRow(n+1, k+i)+w-i:])
		}
		if w < stripCols || !invertVectors(n, k, r, corner) {
			for i := range w {
				clear(corner[i*n:][:w])
			}
			invertUpper(w, n, n+1, k, r, corner)
		}
		// A strip needs the factor's columns to its own end: those right of it
		// may be replaced before.
		for j := (n - 1) / stripCols * stripCols; j > k; j -= stripCols {
			cols := min(stripCols, n-j)
			for l := k + w; l < j+cols; l += stripDeep {
				strip(w, cols, min(stripDeep, j+cols-l), factorOf(dst[k*n+l:], n, 1).first(l == k+w), dst[l*n+j:], n, sum[:], cols)
			}
			Scale(-1, sum[:w*cols])
			for i := 0; i < w; i += cornerRows { // left of its diagonal the corner is 0
				strip(min(cornerRows, w-i), cols, w-i, factorOf(corner[i*n+i:], n, 1).first(true), sum[i*cols:], cols, dst[(k+i)*n+j:], n)
			}
		}
	}
}

// invertUpper writes into dst, n x n with rows stride apart, the inverse of the square of order n on the diagonal of the packed
// factor r, of the given order, that begins at row k. They hold 0.
func invertUpper(n, stride, order, k int, r, dst []float64) {
	for i := n - 1; i >= 0; i-- {
		t := r[PackedRow(order, k+i):][:n-i]
		d := 1 / t[0]
		row := dst[i*stride:][:n]
		sumUpper(n, stride, i+1, t[1:], dst, row)
		for j := i + 1; j < n; j++ {
			row[j] *= -d
		}
		row[i] = d
	}
}

// sumUpper adds the rows of the upper triangular s from the given one on, times t, to dst, four at a
// time. The rows are stride apart.
func sumUpper(n, stride, from int, t, s, dst []float64) {
	for len(t) >= 4 {
		r, at := dst[from:n], from*stride+from
		s0, s1, s2, s3 := s[at:][:len(r)], s[at+stride:][:len(r)], s[at+2*stride:][:len(r)], s[at+3*stride:][:len(r)]
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		for k := range r {
			r[k] += (float64(t0*s0[k]) + float64(t1*s1[k])) + (float64(t2*s2[k]) + float64(t3*s3[k]))
		}
		t, from = t[4:], from+4
	}
	for _, v := range t {
		Axpy(v, s[from*stride+from:][:n-from], dst[from:n])
		from++
	}
}
