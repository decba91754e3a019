package lin

// Center takes the mean out of x and returns it and the sum of squares.
func Center(x []float64) (mean, square float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
		square += x[i] * x[i]
	}
	return mean, square
}
