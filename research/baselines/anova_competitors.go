package baselines

import (
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// anovaCompetitors returns the methods in the order of the paper's tables.
func anovaCompetitors() kind.Registry {
	model := anova.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, anova.Defaults(), buildAnovaSMCMC),
		method.Of(model, "smc", false, AnovaSMCSettings{Prior: anova.Defaults().Prior, Particles: 500}, buildAnovaSMC),
		method.Of(model, "adf", false, anova.Defaults(), buildAnovaADF),
	}
}
