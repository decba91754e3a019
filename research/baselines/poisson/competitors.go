// Package poisson holds the method that Poisson regression is compared with:
// its batch Gaussian variational approximation.
package poisson

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model := poisson.Kind()
	return kind.Registry{
		method.Of(model, "gva", false, poisson.Defaults(), buildGVA),
	}
}
