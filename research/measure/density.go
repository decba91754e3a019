package measure

import (
	"math"
	"slices"
)

// Density returns the density of a sample by the estimate that Overlap
// compares, at the centres of 800 cells which hold all but the kernels' tails.
// nil where the sample has no spread. The caller takes logarithms of variances
// (Logs).
func Density(x []float64) (at, density []float64) {
	if len(x) == 0 {
		return nil, nil
	}
	h := silverman(x)
	lo, hi := slices.Min(x)-4*h, slices.Max(x)+4*h
	if !(h > 0) || math.IsInf(hi-lo, 0) {
		return nil, nil
	}
	step := (hi - lo) / cells
	density = kernel(x, h, lo, step, cells)
	at = make([]float64, cells)
	for i := range at {
		at[i] = lo + (float64(i)+.5)*step
		density[i] /= step
	}
	return at, density
}
