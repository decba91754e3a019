package baselines

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// probitCompetitors returns the methods in the order of the paper's tables.
func probitCompetitors() kind.Registry {
	model := probit.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, defaultProbitSMCMC(), buildProbitSMCMC),
		method.Of(model, "smc", false, probitSMCSettings{Prior: probit.Defaults().Prior, Particles: 2000}, buildProbitSMC),
		method.Of(model, "svb", false, probitSVBSettings{Prior: probit.Defaults().Prior}, buildProbitSVB),
	}
}
