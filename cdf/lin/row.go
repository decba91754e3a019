package lin

// Row is row i of a row-major matrix of n columns: a view, not a copy.
func Row[T any](x []T, n, i int) []T { return x[i*n : (i+1)*n] }
