//go:build !purego

package lin

// elementary is a function of whole vectors, as the assembly takes it. Where a sign bit
// of odd is set some number was none for it.
type elementary struct {
	x, y  *float64
	count int // of vectors
	odd   [8]int64
}

//go:noescape
func avx512Logs(p *elementary)

//go:noescape
func avx2Logs(p *elementary)

//go:noescape
func avx512Exps(p *elementary)

//go:noescape
func avx2Exps(p *elementary)

// do applies the logarithm, or else the exponential, and reports whether no number
// was odd.
func (p *elementary) do(logs bool) bool {
	switch {
	case logs && with == avx512:
		avx512Logs(p)
	case logs:
		avx2Logs(p)
	case with == avx512:
		avx512Exps(p)
	default:
		avx2Exps(p)
	}
	sign := int64(0)
	for _, odd := range p.odd {
		sign |= odd
	}
	return sign >= 0
}

// vectors applies the logarithm, or else the exponential. It reports whether dst has
// them all: not where a number is odd, nor without vectors.
func vectors(dst, x []float64, logs bool) bool {
	if with == portable {
		return false
	}
	lanes := 4
	if with == avx512 {
		lanes = 8
	}
	n := len(x) / lanes * lanes
	dst = dst[:len(x)] // assembly knows no bounds
	if n > 0 && !(&elementary{x: &x[0], y: &dst[0], count: n / lanes}).do(logs) {
		return false
	}
	if n == len(x) {
		return true
	}
	last := [8]float64{1, 1, 1, 1, 1, 1, 1, 1}
	copy(last[:], x[n:])
	if !(&elementary{x: &last[0], y: &last[0], count: 1}).do(logs) {
		return false
	}
	copy(dst[n:], last[:])
	return true
}
