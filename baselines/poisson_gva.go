package baselines

import (
	"errors"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// configurePoissonGVA reads the settings of the batch Gaussian variational
// approximation: those of the Poisson model but for the buffer.
func configurePoissonGVA(variant string, decode func(any) error) (any, kind.Build, error) {
	s := models.DefaultPoisson()
	if err := read("poisson gva", variant, &s, decode); err != nil {
		return nil, nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	if s.Buffer > 0 {
		return nil, nil, errors.New("poisson gva: all rows are kept, there is no buffer to set")
	}
	return s, func(d cdf.Dims) (cdf.Model, error) { return models.NewPoissonBatch(s, d) }, nil
}
