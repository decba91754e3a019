package vec

// Transpose writes the transpose of a, m x n and row-major, into b; as and bs entries lie
// between their rows.
//
// Squares of four rows and columns go through vectors, what is left two rows or columns
// at a time.
func Transpose(m, n int, a []float64, as int, b []float64, bs int) {
	rows, columns := transposeVectors(m, n, a, as, b, bs)
	for j := columns; j < n; j++ {
		to := b[j*bs:][:rows]
		for i := range to {
			to[i] = a[i*as+j]
		}
	}
	for i := rows; i < m; i++ {
		for j, v := range a[i*as:][:n] {
			b[j*bs+i] = v
		}
	}
}
