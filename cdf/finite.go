package cdf

// finite reports whether no x is infinite or NaN.
func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return false
		}
	}
	return true
}
