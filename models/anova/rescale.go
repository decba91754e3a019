package anova

import "github.com/credence-stream/credence/cdf"

// Rescale changes the units of the means and of the sum of squares. What else is
// kept follows from these and the prior.
func (m *Model) Rescale(_ cdf.Dims, y cdf.Affine, _ []cdf.Affine) error {
	for i, mean := range m.ybar {
		m.ybar[i] = y.Shift + float64(y.Factor*mean)
	}
	m.ss *= float64(y.Factor * y.Factor)
	return nil
}
