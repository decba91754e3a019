package predictive

import (
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
)

// NormalQuantiles writes the quantiles p of a normal law, NaN where its sd is.
func NormalQuantiles(mean, sd float64, p, dst []float64) {
	for i, level := range p {
		dst[i] = mean + float64(sd*normal.Quantile(level))
	}
}

// StudentQuantiles writes the quantiles p of a t law.
func StudentQuantiles(df, mean, scale float64, p, dst []float64) {
	for i, level := range p {
		switch z := normal.Quantile(level); {
		case z > 0:
			dst[i] = mean + float64(scale*dist.StudentQuantile(z, df))
		case z < 0:
			dst[i] = mean - float64(scale*dist.StudentQuantile(-z, df))
		default:
			dst[i] = mean
		}
	}
}
