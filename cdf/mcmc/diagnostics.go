// Package mcmc judges draws: R-hat, effective sample sizes, Monte Carlo
// standard errors and quantiles.
package mcmc

import (
	"math"

	"github.com/credence-stream/credence/cdf/vec"
)

// Diagnostics computes convergence diagnostics as the R package posterior
// 1.4 does (Vehtari, Gelman, Simpson, Carpenter and Buerkner 2021,
// doi:10.1214/20-BA1221). The draws are passed as one slice, the chains one
// after the other and of equal length; they are not changed. Constant or
// non-finite draws have no diagnostics: NaN. The zero value is ready; its
// buffers are reused, so it serves one goroutine at a time.
type Diagnostics struct {
	ranks       ranking   // of the split draws
	folded      ranking   // of their distances from the median of the draws
	order       []place   // of a sort without vectors
	from        []int32   // where its buckets begin
	keys, room  []float64 // of one with them
	table, tied []float64 // normal scores of the ranks of as many draws; of those between them, NaN where not known
	sorted      []float64 // draws, ascending
	split       []float64
	columns     columns
	rho         []float64
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
	if len(split)/parts < 3 || constant(split) {
		return math.NaN()
	}
	c := &d.columns
	c.shape(1, parts, len(split)/parts)
	to := c.of(0)
	for i, at := range c.at {
		to[at] = split[i]
	}
	c.moments()
	c.lag(1)
	return d.ess(0)
}

// MCSEMean is the Monte Carlo standard error of the mean of the draws.
func (d *Diagnostics) MCSEMean(x []float64, chains int) float64 {
	_, variance := Moments(x)
	return math.Sqrt(variance) / math.Sqrt(d.ESSMean(x, chains))
}

// halves cuts every chain in two, leaving out the middle draw of an odd one.
// The result is valid until the next call, or is x.
func (d *Diagnostics) halves(x []float64, chains int) ([]float64, int) {
	n := len(x) / chains
	if n < 2 {
		return x, chains
	}
	if n%2 == 0 {
		return x[:chains*n], 2 * chains
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

// rhat is the ratio of total to within-chain spread of a series.
func (d *Diagnostics) rhat(series int) float64 {
	c := &d.columns
	n, chains := float64(c.n), float64(c.chains)
	within := 0.0
	for _, v := range c.variances(series) {
		within += v / chains
	}
	between := c.spread[series] * (n / (chains - 1))
	return math.Sqrt((between/within + n - 1) / n)
}

// finite reports whether there are draws and none is infinite or NaN.
func finite(x []float64) bool { return len(x) > 0 && vec.Finite(x) }

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
