package baselines

import (
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// compressedCompetitors returns the methods in the order of the paper's tables.
func compressedCompetitors() kind.Registry {
	model := compressed.Kind()
	return kind.Registry{
		method.Of(model, "smcmc", true, defaultCompressedSMCMC(), buildCompressedSMCMC),
		method.Of(model, "vb-gdp", false, defaultCompressedVB(), buildCompressedVB),
	}
}
