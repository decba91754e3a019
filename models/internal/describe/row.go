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

// Row is a row without Monte Carlo error, its moments still NaN.
func Row(name string) cdf.Row {
	nan := math.NaN()
	return cdf.Row{Variable: name, Mean: nan, SD: nan, ESSBulk: nan, ESSTail: nan, RHat: nan}
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
