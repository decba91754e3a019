package lin

// Grow returns x with n entries, of any value.
func Grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// Resize returns x with n entries, keeping what they hold.
func Resize[T any](x []T, n int) []T {
	for cap(x) < n {
		x = append(x[:cap(x)], *new(T))
	}
	return x[:n]
}

// Row is row i of a row-major matrix of n columns: a view, not a copy.
func Row[T any](x []T, n, i int) []T { return x[i*n : (i+1)*n] }
