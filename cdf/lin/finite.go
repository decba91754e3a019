package lin

// Finite reports whether no x is infinite or NaN.
func Finite(x ...float64) bool {
	s := 0.0
	for _, v := range x {
		s += v * 0 // without a branch per entry
	}
	return s == 0
}

// IndexNotFinite returns the first index of an infinite or NaN entry, -1
// without one.
func IndexNotFinite(x []float64) int {
	for i, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return i
		}
	}
	return -1
}
