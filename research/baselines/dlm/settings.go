package dlm

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/kind"
)

// checkPrior checks a prior by the rules of the dlm model.
func checkPrior(p dlm.Prior) error {
	s := dlm.Defaults()
	s.Prior = p
	return s.Validate()
}

// ffbsSettings are those of batch Gibbs sampling of the dlm model.
type ffbsSettings struct {
	Prior dlm.Prior `yaml:"prior" json:"prior"`
	// Burn is the number of sweeps before the first draw of a key; later
	// shards go on from the last draw of the one before.
	Burn int `yaml:"burn" json:"burn"`
	// Thin is the number of sweeps per draw.
	Thin int `yaml:"thin" json:"thin"`
}

func buildFFBS(s *ffbsSettings) (kind.Build, error) {
	if err := checkPrior(s.Prior); err != nil {
		return nil, err
	}
	if s.Burn < 0 || s.Thin < 1 {
		return nil, fmt.Errorf("dlm ffbs: burn must not be negative and thin at least 1, got %d and %d", s.Burn, s.Thin)
	}
	return func(d cdf.Dims) (cdf.Model, error) {
		model := dlm.Defaults()
		model.Prior = s.Prior
		return dlm.NewBatch(model, s.Burn, s.Thin, d)
	}, nil
}

// plSettings are those of particle learning of the dlm model.
type plSettings struct {
	Prior     dlm.Prior `yaml:"prior" json:"prior"`
	Particles int       `yaml:"particles" json:"particles"`
}

// mostParticles bounds the state.
const mostParticles = 1_000_000

func buildPL(s *plSettings) (kind.Build, error) {
	if err := checkPrior(s.Prior); err != nil {
		return nil, err
	}
	if s.Particles < 2 || s.Particles > mostParticles {
		return nil, fmt.Errorf("dlm pl: particles must lie between 2 and %d, got %d", mostParticles, s.Particles)
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newPL(*s, d) }, nil
}
