// Package compressed holds the methods that compressed regression is compared
// with: batch Markov chain Monte Carlo and batch variational Bayes.
package compressed

import (
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := compressed.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, defaultSMCMC(), buildSMCMC),
		method.Of(model, "vb-gdp", false, defaultVB(), buildVB),
	}
}
