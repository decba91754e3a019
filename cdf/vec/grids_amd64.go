//go:build !purego

package vec

import (
	"math"

	"github.com/credence-stream/credence/cdf/isa"
)

//go:noescape
func avx2Along(mean, variance, m, v, r, mu, s *float64, n int)

//go:noescape
func avx2Means(prior, least, sse, er, rr, mu, v, rate, factor *float64, n int)

// avx2LogWeights takes the greatest of each lane so far to that of these too, and reports which lanes
// had a NaN.
//
//go:noescape
func avx2LogWeights(log, prior, logs, rate *float64, n int, shape float64, top *[4]float64) int

//go:noescape
func avx2Lower(x *float64, n int, top, least float64)

// pieces calls do with as many entries as assembly takes at a time, and returns how many they were.
func pieces(all int, do func(at, n int)) (done int) {
	for with != isa.Portable && all-done >= 4 {
		n := min(all-done, most) &^ 3
		do(done, n)
		done += n
	}
	return done
}

// alongVectors returns how many entries it has written, as the next ones do.
func alongVectors(mean, variance, m, v, r, mu, s []float64) (done int) {
	return pieces(len(mean), func(i, n int) {
		avx2Along(&mean[i], &variance[i], &m[i], &v[i], &r[i], &mu[i], &s[i], n)
	})
}

func (x *Means) vectors() (done int) {
	return pieces(len(x.Rate), func(i, n int) {
		avx2Means(&x.Prior[i], &x.Least[i], &x.SSE[i], &x.ER[i], &x.RR[i], &x.Mu[i], &x.V[i], &x.Rate[i], &x.Factor[i], n)
	})
}

func logWeightVectors(log, prior, logs, rate []float64, shape float64) (done int, top float64) {
	tops := [4]float64{below, below, below, below}
	nan := 0
	done = pieces(len(log), func(i, n int) {
		nan |= avx2LogWeights(&log[i], &prior[i], &logs[i], &rate[i], n, shape, &tops)
	})
	if nan != 0 {
		return done, math.NaN()
	}
	return done, max(tops[0], tops[1], tops[2], tops[3])
}

func lowerVectors(x []float64, top, least float64) (done int) {
	return pieces(len(x), func(i, n int) { avx2Lower(&x[i], n, top, least) })
}
