package law

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
)

// Describe fills the row of Const + Weight[0]*theta from mean, sd and quantile
// function of theta.
func Describe(r *cdf.Row, f cdf.Functional, mean, sd float64, quantile func(p float64) float64) {
	w := f.Weight[0]
	at := func(p float64) float64 {
		if w < 0 {
			p = 1 - p
		}
		return f.Const + w*quantile(p)
	}
	r.Mean, r.SD, r.MCSEMean = f.Const+w*mean, math.Abs(w)*sd, 0
	r.Q025, r.Q05, r.Q25, r.Median = at(.025), at(.05), at(.25), at(.5)
	r.Q75, r.Q95, r.Q975 = at(.75), at(.95), at(.975)
}

// InvGammaSD returns the sd of IG(shape, rate), NaN where undefined.
func InvGammaSD(shape, rate float64) float64 {
	if shape <= 2 {
		return math.NaN()
	}
	return rate / (shape - 1) / math.Sqrt(shape-2)
}

// DescribeInvGamma is Describe for IG(shape, rate). A quantile beyond 1e150 is
// 1e150.
func DescribeInvGamma(r *cdf.Row, f cdf.Functional, shape, rate float64) {
	mean := math.NaN()
	if shape > 1 {
		mean = rate / (shape - 1)
	}
	Describe(r, f, mean, InvGammaSD(shape, rate), func(p float64) float64 {
		return min(rate/mathext.GammaIncRegInv(shape, 1-p), chain.MostVariance)
	})
}

// NormalQuantile returns the quantile function of N(mean, sd^2).
func NormalQuantile(mean, sd float64) func(p float64) float64 {
	return func(p float64) float64 { return mean + sd*mathext.NormalQuantile(p) }
}
