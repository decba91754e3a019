package baselines

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// linearCompetitors returns the methods in the order of the paper's tables.
func linearCompetitors() kind.Registry {
	model := linear.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, linear.Defaults(), buildLinearSMCMC),
	}
}
