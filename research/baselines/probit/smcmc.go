package probit

import (
	"math"

	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/probit"
)

// smcmcSettings are the settings of S-MCMC for the probit model.
type smcmcSettings struct {
	Prior probit.Prior `yaml:"prior" json:"prior"`
	// Chains is the number of Markov chains, which advance together.
	Chains int `yaml:"chains" json:"chains"`
}

// defaultSMCMC returns the settings of data augmentation (Albert and Chib, JASA
// 88, 1993) on all rows so far, which the paper calls S-MCMC: at every shard the
// chains go on from where the last one left them.
//
// It is the model itself with a window that no row leaves, so that its
// posterior is what conditional density filtering approximates, by the same
// code. Only a discount freezes rows: the full conditionals of a power of the
// likelihood are not those of data augmentation.
func defaultSMCMC() smcmcSettings {
	like := probit.Defaults()
	return smcmcSettings{Prior: like.Prior, Chains: like.Chains}
}

func buildSMCMC(s *smcmcSettings) (kind.Build, error) {
	k := probit.Kind()
	_, build, err := k.Configure(k.Variants[0], func(v any) error {
		p := v.(*probit.Settings)
		p.Prior, p.Chains, p.Window = s.Prior, s.Chains, math.MaxInt32
		return nil
	})
	return build, err
}
