//go:build !purego

package normal

import "golang.org/x/sys/cpu"

//go:generate go run -C ../lin/gen . -of normal -out ../../normal/mixed_amd64.s

// vectors says that there are those of AVX2. Only tests change it.
var vectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func avx2Mixed(w, mean, inv *float64, n int, at float64, table, out *float64)

func mixed(w, mean, inv []float64, at float64, sums *[5][group]float64) {
	const most = 1 << 14 // a call takes less than 100 us: assembly is not preempted
	if !vectors || len(w) == 0 || len(w) > most || len(w)%group > 0 {
		mixedLoop(w, mean, inv, at, sums)
		return
	}
	avx2Mixed(&w[0], &mean[0], &inv[0], len(w), at, &tails[0][0], &sums[0][0])
}
