package lin

// IndexNotFinite returns the first index of an infinite or NaN entry, -1
// without one.
func IndexNotFinite(x []float64) int {
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}
