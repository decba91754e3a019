//go:build !purego

package normal

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2Mixed(w, mean, inv *float64, n int, at float64, table, out *float64)

func mixed(w, mean, inv []float64, at float64, sums *[5][group]float64) {
	const most = 1 << 14 // a call takes less than 100 us: assembly is not preempted
	if with == isa.Portable || len(w) == 0 || len(w) > most || len(w)%group > 0 {
		mixedLoop(w, mean, inv, at, sums)
		return
	}
	avx2Mixed(&w[0], &mean[0], &inv[0], len(w), at, &tails[0][0], &sums[0][0])
}
