//go:build !purego

package normal

import "github.com/credence-stream/credence/cdf/isa"

// A call takes at most so many components: less than 100 us, for assembly is not preempted.
const most = 1 << 14

//go:noescape
func avx2Mixed(w, mean, inv *float64, n int, at float64, table, out *float64)

//go:noescape
func avx2Points(w, mean, inv *float64, n int, at, table, out *float64)

//go:noescape
func avx512Points(w, mean, inv *float64, n int, at, table, out *float64)

//go:noescape
func avx2Steps(f, p *float64, sixth float64, step *float64) (last int)

func steps(f *[6][Points]float64, p *[Points]float64, sixth float64, step *[Points]float64) (last uint) {
	if with == isa.Portable {
		return stepsLoop(f, p, sixth, step)
	}
	return uint(avx2Steps(&f[0][0], &p[0], sixth, &step[0]))
}

func atPoints(w, mean, inv []float64, at *[Points]float64, sums *[6][Points]float64) {
	if with == isa.Portable || len(w) == 0 || len(w) > most {
		pointsLoop(w, mean, inv, at, sums)
		return
	}
	if with == isa.AVX512 {
		avx512Points(&w[0], &mean[0], &inv[0], len(w), &at[0], &tails[0][0], &sums[0][0])
		return
	}
	for k := 0; k < Points; k += group {
		avx2Points(&w[0], &mean[0], &inv[0], len(w), &at[k], &tails[0][0], &sums[0][k])
	}
}

func mixed(w, mean, inv []float64, at float64, sums *[6][group]float64) {
	if with == isa.Portable || len(w) == 0 || len(w) > most || len(w)%group > 0 {
		mixedLoop(w, mean, inv, at, sums)
		return
	}
	avx2Mixed(&w[0], &mean[0], &inv[0], len(w), at, &tails[0][0], &sums[0][0])
}
