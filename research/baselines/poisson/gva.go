package poisson

import (
	"errors"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/poisson"
)

// buildGVA takes the settings of the batch Gaussian variational
// approximation: those of the Poisson model but for the buffer.
func buildGVA(s *poisson.Settings) (kind.Build, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer > 0 {
		return nil, errors.New("poisson gva: all rows are kept, there is no buffer to set")
	}
	return func(d cdf.Dims) (cdf.Model, error) { return poisson.NewBatch(*s, d) }, nil
}
