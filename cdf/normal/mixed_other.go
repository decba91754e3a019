//go:build !amd64 || purego

package normal

func mixed(w, mean, inv []float64, at float64, sums *[5][group]float64) {
	mixedLoop(w, mean, inv, at, sums)
}
