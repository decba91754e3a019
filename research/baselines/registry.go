package baselines

import (
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/models/probit"
)

// competitor is a method for the models of one kind.
type competitor struct {
	kind, method string
	draws        bool // the summary needs draws
	configure    func(variant string, decode func(any) error) (any, kind.Build, error)
}

// competitors lists them kind by kind, in the order of the paper's tables.
func competitors() []competitor {
	return []competitor{
		{"linear", "smcmc", true, kind.Settings(linear.Defaults(), buildLinearSMCMC)},
		{"anova", "smcmc", true, kind.Settings(anova.Defaults(), buildAnovaSMCMC)},
		{"anova", "smc", false, kind.Settings(AnovaSMCSettings{Prior: anova.Defaults().Prior, Particles: 500}, buildAnovaSMC)},
		{"anova", "adf", false, kind.Settings(anova.Defaults(), buildAnovaADF)},
		{"dlm", "pl", false, kind.Settings(plSettings{Prior: dlm.Defaults().Prior, Particles: 100}, buildDLMPL)},
		{"dlm", "ffbs", true, kind.Settings(ffbsSettings{Prior: dlm.Defaults().Prior, Burn: 500, Thin: 1}, buildDLMFFBS)},
		{"probit", "smcmc", true, kind.Settings(defaultProbitSMCMC(), buildProbitSMCMC)},
		{"probit", "smc", false, kind.Settings(probitSMCSettings{Prior: probit.Defaults().Prior, Particles: 2000}, buildProbitSMC)},
		{"probit", "svb", false, kind.Settings(probitSVBSettings{Prior: probit.Defaults().Prior}, buildProbitSVB)},
		{"compressed", "smcmc", true, kind.Settings(defaultCompressedSMCMC(), buildCompressedSMCMC)},
		{"compressed", "vb-gdp", false, kind.Settings(defaultCompressedVB(), buildCompressedVB)},
		{"poisson", "gva", false, kind.Settings(poisson.Defaults(), buildPoissonGVA)},
	}
}

// Lookup returns a competitor of the models of a kind, in the form of a kind
// that takes the same columns. It has no variants: the empty one stands for the
// method.
func Lookup(of, method string) (*kind.Kind, bool) {
	for _, c := range competitors() {
		if c.kind != of || c.method != method {
			continue
		}
		if k, ok := models.Lookup(of); ok {
			as := *k
			as.Name, as.Variants, as.Draws, as.Configure = method, []string{""}, c.draws, c.configure
			return &as, true
		}
	}
	return nil, false
}

// Names returns the competitors of a kind in the order of the paper's tables.
func Names(kind string) []string {
	var names []string
	for _, c := range competitors() {
		if c.kind == kind {
			names = append(names, c.method)
		}
	}
	return names
}
