// Package measure holds the figures by which posteriors are judged: against
// the truth behind simulated data, and against each other. They are pure
// functions of slices; replications are averaged by MeanSE.
package measure

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/mcmc"
)

// Coverage returns the share of the truths that lie in their closed interval
// [lo[i], hi[i]]. A NaN covers nothing. NaN without intervals.
func Coverage(lo, hi, truth []float64) float64 {
	inside := 0.0
	for i, v := range truth {
		if lo[i] <= v && v <= hi[i] {
			inside++
		}
	}
	return inside / float64(len(truth))
}

// Length returns the mean of hi[i] - lo[i].
func Length(lo, hi []float64) float64 {
	sum := 0.0
	for i := range lo {
		sum += hi[i] - lo[i]
	}
	return sum / float64(len(lo))
}

// MSE returns the mean of (estimate[i] - truth[i])^2.
func MSE(estimate, truth []float64) float64 {
	return squares(estimate, truth) / float64(len(truth))
}

// RelativeMSE returns the squared distance of the estimates from the truth,
// divided by the squared length of the truth.
func RelativeMSE(estimate, truth []float64) float64 {
	size := 0.0
	for _, v := range truth {
		size += float64(v * v)
	}
	return squares(estimate, truth) / size
}

func squares(estimate, truth []float64) float64 {
	sum := 0.0
	for i, v := range truth {
		e := estimate[i] - v
		sum += float64(e * e)
	}
	return sum
}

// Interval returns the central interval of the draws with the given
// probability in (0, 1), between quantiles of type 7.
func Interval(draws []float64, probability float64) (lo, hi float64) {
	s := slices.Sorted(slices.Values(draws))
	return mcmc.Quantile(s, (1-probability)/2), mcmc.Quantile(s, (1+probability)/2)
}

// Mean returns the mean, NaN without values.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Moments returns the mean and the variance with divisor n - 1, which is NaN
// with fewer than two values.
func Moments(x []float64) (mean, variance float64) {
	mean = Mean(x)
	for _, v := range x {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(x)-1)
}

// MeanSE returns the mean over replications and its standard error, which is
// NaN with fewer than two.
func MeanSE(x []float64) (mean, se float64) {
	mean, variance := Moments(x)
	return mean, math.Sqrt(variance / float64(len(x)))
}
