// Package dlm holds the methods that the dynamic linear model is compared with:
// particle learning and batch Gibbs sampling.
package dlm

import (
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := dlm.Kind()
	return kind.Registry{
		method.Of(model, "pl", false, plSettings{Prior: dlm.Defaults().Prior, Particles: 100}, buildPL),
		method.Of(model, "ffbs", true, ffbsSettings{Prior: dlm.Defaults().Prior, Burn: 500, Thin: 1}, buildFFBS),
	}
}
