package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/simulate"
)

// study is one proper prior with one experiment. It becomes one table.
type study struct {
	kind       string
	name       string // unique among the studies of the kind
	about      string // the experiment in words
	replicates int
	settings   string // of the kind, in YAML; the prior is the one that simulate draws from
	columns    cdf.Roles
	// draws per shard: ranked where the model's draws are independent, more
	// where they are a chain's, which is thinned and, where it was too short, run
	// again. Zero is what users get: the default, and nothing is run again.
	draws int
	// simulate draws parameters from the prior and shards given them.
	simulate func(r *rand.Rand) experiment
	note     string // why the table departs from calibration, where it does
}

// experiment is one draw from prior and likelihood.
type experiment struct {
	truth  []simulate.Truth // of the variables that are followed, the same in every experiment
	shards []*cdf.Batch
}

// title is unique among the studies and the heading of the study's table.
func (s *study) title() string { return s.kind + ": " + s.name }

// studies lists all studies in the order of the documentation.
func studies() []study {
	return slices.Concat(linear(), anova(), dlm(), probit(), compressed(), projected(), poisson())
}

// spec is the configuration of the study's filters: columns as they are,
// draws published, everything else as a configuration file has it by default.
func (s *study) spec(k *kind.Kind, seed uint64) (*cdf.Spec, error) {
	columns := s.columns
	columns.Scaling = "none"
	spec, err := k.Spec("", columns, strictyaml.Decode(s.settings))
	if err != nil {
		return nil, fmt.Errorf("%s, %s: settings: %w", s.kind, s.name, err)
	}
	spec.Seed, spec.Publish.Draws = seed, true
	if s.draws > 0 {
		spec.Draws = s.draws
	}
	spec.Limits = cdf.Limits{}
	return spec, nil
}

// normals returns n independent standard normal draws.
func normals(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}
