package rnd

import "math/rand/v2"

// Normals fills dst with independent standard normal draws.
func Normals(r *rand.Rand, dst []float64) {
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
}

// MVNPrecision fills dst, p x s row-major, with s draws (its columns) of a
// p-variate normal of the given mean and precision LL', that is covariance
// (LL')^-1. l is p x p row-major; its upper triangle is not read.
func MVNPrecision(r *rand.Rand, mean, l []float64, s int, dst []float64) {
	p := len(mean)
	Normals(r, dst[:p*s])
	for i := p - 1; i >= 0; i-- {
		row := dst[i*s : (i+1)*s]
		for j := i + 1; j < p; j++ {
			axpy(-l[j*p+i], dst[j*s:(j+1)*s], row)
		}
		inv := 1 / l[i*p+i]
		for k := range row {
			row[k] *= inv
		}
	}
	for i, m := range mean {
		row := dst[i*s : (i+1)*s]
		for k := range row {
			row[k] += m
		}
	}
}

func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}
