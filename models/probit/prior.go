package probit

import (
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/describe"
)

var _ cdf.PriorSummarizer = (*Model)(nil)

// SummarizePrior describes coefficients by their normal laws.
func (h *Columns) SummarizePrior(functionals []cdf.Functional, rows []cdf.Row, _ *rand.Rand) error {
	sds := make([]float64, len(functionals))
	h.PriorSD(functionals, sds)
	for i, f := range functionals {
		if err := h.Only(f); err != nil {
			return err
		}
		describe.Begin(&rows[i], f.Name)
		describe.Normal(&rows[i], f.Const, sds[i])
	}
	return nil
}
