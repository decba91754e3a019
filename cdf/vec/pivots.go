package vec

import "math"

// PivotProducts goes, for each shift s, from num = s + a2_p and den = 1 through
//
//	den <- c2_i den + num,  num <- s den + a2_i num,  i = p-1, ..., 1
//
// of which num ends as the determinant of BB' + sI and num/den as its last pivot, B lower
// bidiagonal: a2 holds the squares of its diagonal, c2 those of what stands below. It
// reports whether every den was within 1e-150 and 1e150.
//
// Fused multiply-adds, of which vectors take four shifts at once. They replace the same loop
// without them: 22 shifts of order 6 in a fifth of the time (BenchmarkPivotProducts).
func PivotProducts(s, num, den, a2, c2 []float64) bool {
	num, den = num[:len(s)], den[:len(s)]
	done, ok := pivotVectors(s, num, den, a2, c2)
	last := len(a2) - 1
	for k := done; k < len(s); k++ {
		v := s[k]
		t, d := v+a2[last], 1.0
		for i := last - 1; i >= 0; i-- {
			d = math.FMA(c2[i], d, t)
			t = math.FMA(a2[i], t, float64(v*d))
			ok = ok && d < 1e150 && d > 1e-150
		}
		num[k], den[k] = t, d
	}
	return ok
}
