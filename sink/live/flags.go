package live

import (
	"github.com/credence-stream/credence/pipeline"
)

// Flags that a key may have.
const (
	WeakRHat        = "weak_r_hat"
	LowESS          = "low_ess"
	PoorCalibration = "poor_calibration"
	PriorDominated  = "prior_dominated"
	ModelFlag       = "model"
)

// leastESS is the effective sample size below which quantiles and R-hat of
// draws can't be relied on.
const leastESS = 100

// flags returns the flags of a posterior whose key has the record. It is never nil.
func flags(p *pipeline.Point, r inside) []string {
	out := []string{}
	for _, f := range [...]struct {
		name string
		up   bool
	}{
		{WeakRHat, p.Weak},
		{LowESS, p.MinESS > 0 && p.MinESS < leastESS},
		{PoorCalibration, r.tooFew()},
		{PriorDominated, p.PriorDominated},
		{ModelFlag, p.Flagged},
	} {
		if f.up {
			out = append(out, f.name)
		}
	}
	return out
}
