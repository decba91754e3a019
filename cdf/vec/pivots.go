package vec

import "math"

// PivotProducts takes, for each shift s, num and den through
//
//	den <- c2_i den + num,  num <- s den + a2_i num,  i = p, ..., 1
//
// From num = s + a2_(p+1) and den = 1 on num ends as the determinant of BB' + sI and num/den
// as its last pivot, B lower bidiagonal: a2 holds the squares of its diagonal, c2 those of
// what stands below. It reports whether every den was within 1e-150 and 1e150.
//
// Fused multiply-adds, of which vectors take four shifts at once. They replace the same loop
// without them: 22 shifts of order 6 in a fifth of the time (BenchmarkPivotProducts).
func PivotProducts(s, num, den, a2, c2 []float64) bool {
	num, den = num[:len(s)], den[:len(s)]
	done, ok := pivotVectors(s, num, den, a2, c2)
	for k := done; k < len(s); k++ {
		v, t, d := s[k], num[k], den[k]
		for i := len(a2) - 1; i >= 0; i-- {
			d = math.FMA(c2[i], d, t)
			t = math.FMA(a2[i], t, float64(v*d))
			ok = ok && d < 1e150 && d > 1e-150
		}
		num[k], den[k] = t, d
	}
	return ok
}

// PivotSlopes sets f1, f2 and f3 to the first three derivatives by log s of
//
//	-(log det(BB' + s I) + b2/e_1)/2
//
// at each s, where e_1 is the last pivot. Those of the pivot t go with it; of 81 shifts of
// order 6, four at once take a quarter of the time (BenchmarkPivotSlopes).
func PivotSlopes(s, f1, f2, f3, a2, c2 []float64, b2 float64) {
	f1, f2, f3 = f1[:len(s)], f2[:len(s)], f3[:len(s)]
	last := len(a2) - 1
	for k := slopeVectors(s, f1, f2, f3, a2, c2, b2); k < len(s); k++ {
		v := s[k]
		t, dt, ddt, dddt := v+a2[last], v, v, v
		d1, d2, d3 := 0.0, 0.0, 0.0
		for i := last - 1; i >= 0; i-- {
			r := 1 / (c2[i] + t)
			h, g, j := float64(dt*r), float64(ddt*r), float64(dddt*r)
			hg, h2 := float64(h*g), float64(h*h)
			d1 -= h
			d2 -= g - h2
			d3 -= j - float64(3*hg) + float64(2*h2*h)
			t = v + float64(a2[i]*t*r)
			c := a2[i] * c2[i] * r
			dt = v + float64(c*h)
			ddt = v + float64(c*(g-float64(2*h2)))
			dddt = v + float64(c*(j-float64(6*hg)+float64(6*h2*h)))
		}
		r := 1 / t
		h, g, j := float64(dt*r), float64(ddt*r), float64(dddt*r)
		hg, h2 := float64(h*g), float64(h*h)
		r *= b2
		f1[k] = 0.5 * (d1 + float64(h*r) - h)
		f2[k] = 0.5 * (d2 + float64(r*(g-float64(2*h2))) - (g - h2))
		f3[k] = 0.5 * (d3 + float64(r*(j-float64(6*hg)+float64(6*h2*h))) - (j - float64(3*hg) + float64(2*h2*h)))
	}
}

// PivotFactors writes, for each of the k shifts s, what B'B + s I = W E W', W unit upper
// bidiagonal, leads to: of W what stands right of the diagonal, l, with a last row of 0; g =
// s/E; and the mean, (B'B + s I)^{-1} ab e_1. Each has a row of k entries for every
// coefficient. a and c are the diagonal of B and what stands below it, a2 and c2 their squares.
//
// In the place of one shift after the other; four at once take a third of the time.
func PivotFactors(s, a, a2, c, c2 []float64, ab float64, l, g, mean []float64) {
	n := len(s)
	for k := factorVectors(s, a, a2, c, c2, ab, l, g, mean); k < n; k++ {
		v := s[k]
		t := v
		l[(len(a)-1)*n+k] = 0
		for i := len(a) - 1; i >= 0; i-- {
			e := a2[i] + t
			g[i*n+k] = v / e // 1 where there are no data, which a product with the inverse is not
			if i > 0 {
				r := 1 / e
				l[(i-1)*n+k] = float64(c[i-1] * float64(a[i]*r))
				t = v + float64(c2[i-1]*float64(t*r))
			}
		}
		x := float64(ab * (g[k] / v))
		for i := range a {
			if i > 0 {
				x = -float64(l[(i-1)*n+k] * x)
			}
			mean[i*n+k] = x
		}
	}
}
