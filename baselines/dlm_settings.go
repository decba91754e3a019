package baselines

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// dlmPrior checks a prior by the rules of the dlm model.
func dlmPrior(p models.DLMPrior) error {
	s := models.DefaultDLM()
	s.Prior = p
	return s.Validate()
}

// ffbsSettings are those of batch Gibbs sampling of the dlm model.
type ffbsSettings struct {
	Prior models.DLMPrior `yaml:"prior" json:"prior"`
	// Burn is the number of sweeps before the first draw of a key; later
	// shards go on from the last draw of the one before.
	Burn int `yaml:"burn" json:"burn"`
	// Thin is the number of sweeps per draw.
	Thin int `yaml:"thin" json:"thin"`
}

func configureDLMFFBS(variant string, decode func(any) error) (any, kind.Build, error) {
	s := ffbsSettings{Prior: models.DefaultDLM().Prior, Burn: 500, Thin: 1}
	if err := read("dlm ffbs", variant, &s, decode); err != nil {
		return nil, nil, err
	}
	if err := dlmPrior(s.Prior); err != nil {
		return nil, nil, err
	}
	if s.Burn < 0 || s.Thin < 1 {
		return nil, nil, fmt.Errorf("dlm ffbs: burn must not be negative and thin at least 1, got %d and %d", s.Burn, s.Thin)
	}
	return s, func(d cdf.Dims) (cdf.Model, error) {
		model := models.DefaultDLM()
		model.Prior = s.Prior
		return models.NewDLMBatch(model, s.Burn, s.Thin, d)
	}, nil
}

// plSettings are those of particle learning of the dlm model.
type plSettings struct {
	Prior     models.DLMPrior `yaml:"prior" json:"prior"`
	Particles int             `yaml:"particles" json:"particles"`
}

// mostParticles bounds the state.
const mostParticles = 1_000_000

func configureDLMPL(variant string, decode func(any) error) (any, kind.Build, error) {
	s := plSettings{Prior: models.DefaultDLM().Prior, Particles: 100}
	if err := read("dlm pl", variant, &s, decode); err != nil {
		return nil, nil, err
	}
	if err := dlmPrior(s.Prior); err != nil {
		return nil, nil, err
	}
	if s.Particles < 2 || s.Particles > mostParticles {
		return nil, nil, fmt.Errorf("dlm pl: particles must lie between 2 and %d, got %d", mostParticles, s.Particles)
	}
	return s, func(d cdf.Dims) (cdf.Model, error) { return newDLMPL(s, d) }, nil
}
