package baselines

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// poissonCompetitors returns the methods in the order of the paper's tables.
func poissonCompetitors() kind.Registry {
	model := poisson.Kind()
	return kind.Registry{
		method.Of(model, "gva", false, poisson.Defaults(), buildPoissonGVA),
	}
}
