package poisson

import (
	"math"
	"slices"
)

// begin begins at the logarithm of the mean rate of the present rows.
func (f *fit) begin() {
	clear(f.b)
	clear(f.u)
	if f.shape.intercept {
		events, exposure, top := 0.5, 0.0, slices.Max(f.rows.offset)
		for i, y := range f.rows.y {
			events += y
			exposure += math.Exp(f.rows.offset[i] - top)
		}
		f.b[0] = math.Log(events) - top - math.Log(exposure)
	}
}

// nearer is newton, and once more from begin where it does not arrive: under a vague prior
// the posterior of a few rows may be farther from that of all than its steps lead, and rates at it beyond
// all numbers.
func (f *fit) nearer() bool {
	if arrived, _ := f.newton(); arrived {
		return true
	}
	f.begin()
	clear(f.wbar)
	if !f.factor(f.now, f.wbar) {
		return false
	}
	_, finite := f.newton()
	return finite
}
