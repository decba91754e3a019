// Package describe fills rows of summaries with laws that are known: in closed
// form, by quantiles, or by draws of a prior.
package describe

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Quantiles writes the quantiles at levels into the row.
func Quantiles(r *cdf.Row, q *[7]float64) {
	r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975 = q[0], q[1], q[2], q[3], q[4], q[5], q[6]
}

// By describes a law by its quantile function.
func By(r *cdf.Row, quantile func(p float64) float64) {
	var q [7]float64
	for k, p := range dist.Levels {
		q[k] = quantile(p)
	}
	Quantiles(r, &q)
}

// Exp describes shift + factor*e^l by the quantile function of l.
func Exp(r *cdf.Row, shift, factor float64, quantile func(p float64) float64) {
	By(r, func(p float64) float64 {
		if factor < 0 {
			p = 1 - p
		}
		return shift + factor*math.Exp(quantile(p))
	})
}

// Mixture describes a mixture of normal laws.
func Mixture(r *cdf.Row, x *dist.NormalMixture) {
	r.Mean, r.SD = x.Moments()
	q := x.Quantiles()
	Quantiles(r, &q)
}

// Student describes loc + scale*T, T of the law.
func Student(r *cdf.Row, law *dist.Standard, loc, scale float64) {
	r.Mean = loc
	if law.Shape > 1 {
		r.SD = scale * math.Sqrt(law.Shape/(law.Shape-1))
	}
	a, b, c := scale*law.T[0], scale*law.T[1], scale*law.T[2]
	r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975 = loc-c, loc-b, loc-a, loc, loc+a, loc+b, loc+c
}

// Begin makes r a row without Monte Carlo error, its moments still NaN and its quantiles 0. It writes
// field by field: a copy of a row waits for the fields that were written just before.
func Begin(r *cdf.Row, name string) {
	nan := math.NaN()
	r.Variable, r.Open = name, false
	r.Mean, r.SD = nan, nan
	r.Median, r.Q025, r.Q05, r.Q25, r.Q75, r.Q95, r.Q975 = 0, 0, 0, 0, 0, 0, 0
	r.MCSEMean, r.ESSBulk, r.ESSTail, r.RHat = 0, nan, nan, nan
}

// InvGamma describes shift + factor*X, X ~ IG(shape, rate).
func InvGamma(r *cdf.Row, law *dist.Standard, shape, rate, shift, factor float64) {
	if shape > 1 {
		mean := rate / (shape - 1)
		r.Mean = shift + factor*mean
		if shape > 2 {
			r.SD = math.Abs(factor) * mean / math.Sqrt(shape-2)
		}
	}
	x := law.At(shape).InvGamma(rate, shift, factor)
	Quantiles(r, &x)
}
