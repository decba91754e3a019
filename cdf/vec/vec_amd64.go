//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:generate go run -C ../lin/gen ./vec -out ../../vec/vec_amd64.s

// A call takes at most so many entries: 100 us, for assembly is not preempted.
const most = 1 << 14

//go:noescape
func avx2Finite(x *float64, n int) float64

// avx2Standardize reports 0 where all went without a division.
//
//go:noescape
func avx2Standardize(dst, v *float64, n int, center, scale, inverse float64) int

//go:noescape
func avx512Standardize(dst, v *float64, n int, center, scale, inverse float64) int

//go:noescape
func avx2AddSquares(a *float64, stride, rows int, dst *float64, n int)

//go:noescape
func avx2Ranks(x *float64, n int, rank *int)

// avx2PivotProducts reports 0 where every den was within its bounds.
//
//go:noescape
func avx2PivotProducts(s, num, den *float64, n int, a2, c2 *float64, count int) int

//go:noescape
func avx2PivotSlopes(s, f1, f2, f3 *float64, n int, a2, c2 *float64, last int, b2 float64)

// slopeVectors returns how many shifts it is done with.
func slopeVectors(s, f1, f2, f3, a2, c2 []float64, b2 float64) (done int) {
	if with == isa.Portable || len(a2) > most/16 {
		return 0
	}
	c2 = c2[:len(a2)]
	for chunk := max(most/4/len(a2), 4) &^ 3; len(s)-done >= 4; {
		n := min(len(s)-done, chunk) &^ 3
		avx2PivotSlopes(&s[done], &f1[done], &f2[done], &f3[done], n, &a2[0], &c2[0], len(a2)-1, b2)
		done += n
	}
	return done
}

//go:noescape
func avx2PivotFactors(s *float64, n int, a, a2, c, c2 *float64, last int, ab float64, l, shares, mean *float64, stride int)

//go:noescape
func avx2Roots(root, inverse, x, y *float64, n int)

// factorVectors returns how many shifts it is done with.
func factorVectors(s, a, a2, c, c2 []float64, ab float64, l, g, mean []float64) (done int) {
	p, k := len(a), len(s)
	if with == isa.Portable || p > most/16 {
		return 0
	}
	a2, c, c2 = a2[:p], c[:p], c2[:p]
	_, _, _ = l[p*k-1], g[p*k-1], mean[p*k-1]
	for chunk := max(most/8/p, 4) &^ 3; k-done >= 4; {
		n := min(k-done, chunk) &^ 3
		avx2PivotFactors(&s[done], n, &a[0], &a2[0], &c[0], &c2[0], p-1, ab, &l[done], &g[done], &mean[done], 8*k)
		done += n
	}
	return done
}

// rootVectors returns how many entries it has written.
func rootVectors(root, inverse, x, y []float64) (done int) {
	for with != isa.Portable && len(x)-done >= 4 {
		n := min(len(x)-done, most/4) &^ 3
		avx2Roots(&root[done], &inverse[done], &x[done], &y[done], n)
		done += n
	}
	return done
}

// ranks counts how many entries are less than each; they are a multiple of 16.
func ranks(x []float64, rank []int) { avx2Ranks(&x[0], len(x), &rank[:len(x)][0]) }

// pivotVectors returns how many shifts it is done with.
func pivotVectors(s, num, den, a2, c2 []float64) (done int, ok bool) {
	ok = true
	if with == isa.Portable || len(a2) == 0 || len(a2) > most/4 {
		return 0, ok
	}
	c2 = c2[:len(a2)] // assembly knows no bounds
	for chunk := max(most/len(a2), 4) &^ 3; len(s)-done >= 4; {
		n := min(len(s)-done, chunk) &^ 3
		if avx2PivotProducts(&s[done], &num[done], &den[done], n, &a2[0], &c2[0], len(a2)) != 0 {
			ok = false
		}
		done += n
	}
	return done, ok
}

// finiteVectors returns how many entries it has seen, and a sum that is 0 where
// they are finite.
func finiteVectors(x []float64) (done int, sum float64) {
	if with == isa.Portable {
		return 0, 0
	}
	for len(x)-done >= 16 {
		n := min(len(x)-done, most) &^ 15
		sum += avx2Finite(&x[done], n)
		done += n
	}
	return done, sum
}

// standardizeVectors returns how many entries it is done with; of those behind them it may have written some.
func standardizeVectors(dst, v []float64, center, scale float64) (done int) {
	if with == isa.Portable {
		return 0
	}
	for len(dst)-done >= 4 {
		var n, divided int
		if with == isa.AVX512 && len(dst)-done >= 8 {
			n = min(len(dst)-done, most) &^ 7
			divided = avx512Standardize(&dst[done], &v[done], n, center, scale, 1/scale)
		} else {
			n = min(len(dst)-done, most) &^ 3
			divided = avx2Standardize(&dst[done], &v[done], n, center, scale, 1/scale)
		}
		if divided != 0 {
			break
		}
		done += n
	}
	return done
}

// addSquaresVectors returns how many entries it is done with.
func addSquaresVectors(n int, a []float64, as int, dst []float64) (done int) {
	if with == isa.Portable || n == 0 || len(dst) < 4 {
		return 0
	}
	end := len(dst) &^ 3
	_ = a[(n-1)*as+end-1]
	for chunk := max(most/n, 4) &^ 3; done < end; done += min(end-done, chunk) {
		avx2AddSquares(&a[done], 8*as, n, &dst[done], min(end-done, chunk))
	}
	return end
}
