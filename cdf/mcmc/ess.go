package mcmc

import (
	"math"
	"slices"
)

// ess is the effective sample size of a series that is centred, three draws of each chain
// at least, by Geyer's initial monotone sequence, at most S log10 S.
func (d *Diagnostics) ess(series int) float64 {
	c := &d.columns
	chains, n := c.chains, c.n
	nf := float64(n)
	variance, next := c.autocovariances(series, 0)
	meanVar := variance * nf / (nf - 1)
	varPlus := variance
	if chains > 1 {
		varPlus += c.spread[series] / float64(chains-1)
	}
	rho := slices.Grow(d.rho[:0], n)[:n]
	d.rho = rho
	clear(rho)
	even, odd := 1., 1-(meanVar-next)/varPlus

	// Initial positive sequence: pairs of lags while their sum is positive.
	rho[0], rho[1] = even, odd
	last := 0
	for last < n-5 && even+odd > 0 {
		last += 2
		a, b := c.autocovariances(series, last)
		even, odd = 1-(meanVar-a)/varPlus, 1-(meanVar-b)/varPlus
		if even+odd >= 0 {
			rho[last], rho[last+1] = even, odd
		}
	}
	if even > 0 {
		rho[last] = even
	}
	// Initial monotone sequence: the sums of pairs never rise.
	for t := 2; t <= last-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	sum := 0.
	for _, r := range rho[:max(last, 1)] {
		sum += r
	}
	total := nf * float64(chains)
	tau := max(-1+2*sum+rho[last], 1/math.Log10(total))
	return total / tau
}

// Moments returns mean and variance (divisor n-1; NaN for one value).
func Moments(x []float64) (mean, variance float64) {
	sum := 0.
	for _, v := range x {
		sum += v
	}
	mean = sum / float64(len(x))
	var squares, rest float64
	for _, v := range x {
		delta := v - mean
		squares += delta * delta
		rest += delta
	}
	n := float64(len(x))
	return mean + rest/n, (squares - rest*rest/n) / (n - 1)
}

// Quantile returns the p quantile of ascending values: type 7 of Hyndman and
// Fan (1996, doi:10.2307/2684934), linear between order statistics. NaN
// without values.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := p * float64(len(sorted)-1)
	lo := math.Floor(h)
	i := int(lo)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	a, b := sorted[i], sorted[i+1]
	// As R weighs them: folding at the median makes ties that must stay
	// ties. Rounding must not lead out of [a, b], so that quantiles ascend.
	return min(max(float64((1-(h-lo))*a)+float64((h-lo)*b), a), b)
}
