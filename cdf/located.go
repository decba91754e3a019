package cdf

import "math"

// located returns the mean and the sd (divisor n-1; 0 becomes 1) of ascending
// values within a fence around their median, so that up to a fifth of the values
// may be anything. Normal values are all within (of 50 the fence is at 9 sd): theirs
// are the mean and the sd as they are. The order in which values came is of no
// account.
func located(v []float64) (mean, sd float64) {
	n := len(v)
	if v[0] == v[n-1] { // a mean of equal values may round to another one
		return v[0], 1
	}
	median := v[(n-1)/2]/2 + v[n/2]/2
	far, lo, hi := fence(v, median), 0, n
	for median-v[lo] > far {
		lo++
	}
	for v[hi-1]-median > far {
		hi--
	}
	v = v[lo:hi]
	sum, squares := 0., 0.
	for _, x := range v {
		sum += x - median
	}
	mean = median + sum/float64(len(v))
	for _, x := range v {
		d := x - mean
		squares += float64(d * d)
	}
	if sd = math.Sqrt(squares / float64(len(v)-1)); sd == 0 {
		sd = 1
	}
	return mean, sd
}

// fence returns how far from their median ascending values have a say: eight
// times the distance within which three quarters of all are, and half of those m
// that differ from it, which matters where many are equal to it. Where m is small
// that distance says little of the next value, and the fence is (10/m)^3 times
// as far again: fewer than four values are all within.
func fence(v []float64, median float64) float64 {
	n := len(v)
	// v[lo:hi] is at the median: halves of the least numbers are 0.
	lo := first(0, n, func(i int) bool { return v[i] >= median })
	hi := first(lo, n, func(i int) bool { return v[i] > median })
	differ := n - (hi - lo)
	if within := max((3*n+3)/4, n-differ/2); hi-lo < within {
		// The nearest ones: of what they begin with and what follows them, the former is no further.
		lo = first(max(hi-within, 0), min(lo, n-within), func(i int) bool { return median-v[i] <= v[i+within]-median })
		hi = lo + within
	}
	reach := max(median-v[lo], v[hi-1]-median)
	few := 10 / float64(differ)
	return 8 * reach * (1 + float64(few*few*few))
}

// first returns the first number from lo on, below hi, from which on something holds, else hi.
func first(lo, hi int, holds func(int) bool) int {
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// finite reports whether no x is infinite or NaN.
func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return false
		}
	}
	return true
}
