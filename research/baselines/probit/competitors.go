// Package probit holds the methods that probit regression is compared with:
// batch data augmentation, sequential Monte Carlo and streaming variational
// Bayes.
package probit

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := probit.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, defaultSMCMC(), buildSMCMC),
		method.Of(model, "smc", false, smcSettings{Prior: probit.Defaults().Prior, Particles: 2000}, buildSMC),
		method.Of(model, "svb", false, svbSettings{Prior: probit.Defaults().Prior}, buildSVB),
	}
}
