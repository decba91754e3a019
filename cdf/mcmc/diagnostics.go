// Package mcmc judges draws: R-hat, effective sample sizes, Monte Carlo
// standard errors and quantiles. It imports the standard library only.
package mcmc

import "math"

// Diagnostics computes convergence diagnostics as the R package posterior
// 1.4 does (Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021,
// doi:10.1214/20-BA1221). The draws are passed as one slice, the chains one
// after the other and of equal length; they are not changed. Constant or
// non-finite draws have no diagnostics: NaN. The zero value is ready; its
// buffers are reused, so it serves one goroutine at a time.
type Diagnostics struct {
	order      []place   // split draws, ascending
	from       []int32   // where the buckets of the sort begin
	folded     []place   // order folded at the median of the draws, ascending
	table      []float64 // normal scores of the ranks of as many draws
	bulk, fold scores    // of order, once asked for, and of folded
	sorted     []float64 // draws, ascending
	split      []float64
	side       []uint8 // 1: below the quantile
	parts      moments
	centred    []float64
	rho        []float64
}

// RHat is the larger of the rank-normalised split R-hat and that of the
// draws folded at their median.
func (d *Diagnostics) RHat(x []float64, chains int) float64 { return d.Rank(x, chains).RHat() }

// ESSBulk is the effective sample size of the rank-normalised draws.
func (d *Diagnostics) ESSBulk(x []float64, chains int) float64 { return d.Rank(x, chains).ESSBulk() }

// ESSTail is the smaller effective sample size of the indicators of the 5 %
// and 95 % quantiles.
func (d *Diagnostics) ESSTail(x []float64, chains int) float64 { return d.Rank(x, chains).ESSTail() }

// ESSMean is the effective sample size of the mean of the draws.
func (d *Diagnostics) ESSMean(x []float64, chains int) float64 {
	split, parts := d.halves(x, chains)
	return d.ess(split, parts)
}

// MCSEMean is the Monte Carlo standard error of the mean of the draws.
func (d *Diagnostics) MCSEMean(x []float64, chains int) float64 {
	_, variance := Moments(x)
	return math.Sqrt(variance) / math.Sqrt(d.ESSMean(x, chains))
}

// halves cuts every chain in two, leaving out the middle draw of an odd one.
// The result is valid until the next call.
func (d *Diagnostics) halves(x []float64, chains int) ([]float64, int) {
	n := len(x) / chains
	if n < 2 {
		return x, chains
	}
	half := n / 2
	d.split = d.split[:0]
	for c := range chains {
		chain := x[c*n : (c+1)*n]
		d.split = append(d.split, chain[:half]...)
		d.split = append(d.split, chain[n-half:]...)
	}
	return d.split, 2 * chains
}

// rhat is the ratio of total to within-chain spread of chains of n draws.
func rhat(of *moments, n int) float64 {
	chains := len(of.mean)
	var within, mean, between float64 // between: sum of squares of the chain means
	for c, m := range of.mean {
		within += of.variance[c] / float64(chains)
		delta := m - mean
		mean += delta / float64(c+1)
		between += delta * (m - mean)
	}
	between *= float64(n) / float64(chains-1)
	return math.Sqrt((between/within + float64(n) - 1) / float64(n))
}

// finite reports whether there are draws and none is infinite or NaN.
func finite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return false
		}
	}
	return len(x) > 0
}

// constant reports draws without diagnostics: non-finite, or all within the
// spacing of floats at 1, as posterior has it.
func constant(x []float64) bool {
	if !finite(x) {
		return true
	}
	low, high := x[0], x[0]
	for _, v := range x { // the first that differs by more ends it
		low, high = min(low, v), max(high, v)
		if high-low >= 0x1p-52 {
			return false
		}
	}
	return true
}
