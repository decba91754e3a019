// Package anova holds the methods that the one-way analysis of variance is
// compared with: batch Gibbs sampling, sequential Monte Carlo and assumed
// density filtering.
package anova

import (
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := anova.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, anova.Defaults(), buildSMCMC),
		method.Of(model, "smc", false, SMCSettings{Prior: anova.Defaults().Prior, Particles: 500}, buildSMC),
		method.Of(model, "adf", false, anova.Defaults(), buildADF),
	}
}
