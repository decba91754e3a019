// Package poisson holds the method that Poisson regression is compared with:
// its batch Gaussian variational approximation.
package poisson

import (
	"errors"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/research/baselines/internal/method"
)

// Competitors returns the methods in the order of the paper's tables.
func Competitors() kind.Registry {
	model, settings := poisson.Kind(), poisson.Defaults()
	settings.Overdispersion = "none" // the paper's model
	return kind.Registry{
		method.Of(model, "gva", false, settings, buildGVA),
	}
}

// buildGVA takes the settings of the batch Gaussian variational
// approximation: those of the Poisson model but for the buffer.
func buildGVA(s *poisson.Settings) (kind.Build, error) {
	if s.Buffer > 0 {
		return nil, errors.New("poisson gva: all rows are kept, there is no buffer to set")
	}
	return func(d cdf.Dims) (cdf.Model, error) { return poisson.NewBatch(*s, d) }, nil
}
