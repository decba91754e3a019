//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

// They report 0 where all went without a division.
//
//go:noescape
func avx512Across(columns **float64, constants, b *float64, stride, n int) int

//go:noescape
func avx2Across(columns **float64, constants, b *float64, stride, n int) int

func acrossVectors(b []float64, bs, n int, columns *[Abreast][]float64, c *Constants) bool {
	if with == isa.Portable || n < 8 {
		return false
	}
	_ = b[(n-1)*bs+Abreast-1] // assembly knows no bounds
	for done := 0; done < n; {
		some := min((n-done)&^7, most/Abreast)
		if some == 0 { // the last eight, some of them once more
			some, done = 8, n-8
		}
		var at [Abreast]*float64
		for j := range at {
			at[j] = &columns[j][done]
		}
		var odd int
		if with == isa.AVX512 {
			odd = avx512Across(&at[0], &c.center[0], &b[done*bs], 8*bs, some)
		} else {
			odd = avx2Across(&at[0], &c.center[0], &b[done*bs], 8*bs, some)
		}
		if odd != 0 {
			return false
		}
		done += some
	}
	return true
}
