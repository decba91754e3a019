package dlm

import (
	"errors"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// errCenter says why a centre stays.
var errCenter = errors.New("dlm: the level begins about the center, and returns to it where it is given, " +
	"so that with another one the model is another: give the response a scale and no center")

// Rescale changes the scale of the response. The nodes are points of phi and
// tau2/sigma2, which have no units, and variances are in units of sigma2. A centre
// cannot change: theta_0 lies about it, and the statistics do not tell how the errors
// depend on theta_0.
func (m *Model) Rescale(to cdf.Dims, y cdf.Affine, _ []cdf.Affine) error {
	if y.Shift != 0 || m.family.settings.knows(to) != m.family.known {
		return errCenter
	}
	m.changed()
	for _, g := range []*grid{&m.grid, &m.reserve} {
		lin.Scale(y.Factor, g.m)
		lin.Scale(y.Factor, g.er)
		lin.Scale(y.Factor*y.Factor, g.sse)
	}
	return nil
}
