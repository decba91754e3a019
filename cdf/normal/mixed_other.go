//go:build !amd64 || purego

package normal

func mixed(w, mean, inv []float64, at float64, sums *[6][group]float64) {
	mixedLoop(w, mean, inv, at, sums)
}

func atPoints(w, mean, inv []float64, at *[Points]float64, sums *[6][Points]float64) {
	pointsLoop(w, mean, inv, at, sums)
}

func steps(f *[6][Points]float64, p *[Points]float64, sixth float64, step *[Points]float64) (last uint) {
	return stepsLoop(f, p, sixth, step)
}
