// Package linear holds the method that linear regression is compared with:
// batch Gibbs sampling.
package linear

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := linear.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, linear.Defaults(), buildSMCMC),
	}
}
