//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2SchurSums(c int, records *float64, fours int, m float64, lam, h, quad *float64)

// schurVectors returns how many numbers of records it is done with.
func schurVectors(c int, records []float64, m float64, lam, h []float64, quad *float64) (done int) {
	const fewest, most = 2, 4 // entries of the core
	const atOnce = 1 << 11    // groups of four levels, which take less than 100 us: assembly is not preempted
	if with == isa.Portable || c < fewest || c > most {
		return 0
	}
	_, _ = lam[c*c-1], h[c-1] // assembly knows no bounds
	four := 4 * (c + 2)
	for len(records)-done >= four {
		fours := min((len(records)-done)/four, atOnce)
		avx2SchurSums(c, &records[done], fours, m, &lam[0], &h[0], quad)
		done += fours * four
	}
	return done
}

//go:noescape
func avx2SchurLaws(c int, laws *float64, n int, record, core *float64, z, constant float64, mean, sd *float64)

// vectors reports whether it has written means and sds.
func (x *Laws) vectors(record, core []float64, z, constant float64, mean, sd []float64) bool {
	const most = 3         // entries of the core
	const atOnce = 1 << 12 // laws, which take less than 100 us: assembly is not preempted
	if with == isa.Portable || x.C < 1 || x.C > most || x.N < 1 || x.N > atOnce {
		return false
	}
	_ = x.Rows[x.N*(1+x.C+x.C*(x.C+1)/2)-1] // assembly knows no bounds
	avx2SchurLaws(x.C, &x.Rows[0], x.N, &record[0], &core[0], z, constant, &mean[0], &sd[0])
	return true
}
