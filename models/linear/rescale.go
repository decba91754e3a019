package linear

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Rescale multiplies the factor of [X y] by the matrix that makes the new columns of
// the old ones. Of a column it has the factor on its diagonal and the shift in
// the row of the intercept, which comes first: it is triangular, and so is the
// product. Without an intercept no column is there to shift by.
func (m *Model) Rescale(to cdf.Dims, y cdf.Affine, x []cdf.Affine) error {
	one := 0.0
	if m.intercept {
		one = m.r[0]
	}
	for j, a := range append(x[:m.P:m.P], y) {
		if a.Shift != 0 && !m.intercept {
			name := "the response"
			if j < m.P {
				name = fmt.Sprintf("column %q", to.Columns[j])
			}
			return fmt.Errorf("linear: without an intercept the center of %s cannot change, only its scale", name)
		}
		for i := range j + 1 {
			m.r[lin.PackedRow(m.P+1, i)+j-i] *= a.Factor
		}
		m.r[j] += float64(one * a.Shift)
	}
	m.s2 *= float64(y.Factor * y.Factor)
	m.post.ready = false
	return nil
}
