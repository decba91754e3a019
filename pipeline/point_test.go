package pipeline

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A point tells the least effective sample size of any number.
func TestPointHasTheLeastESS(t *testing.T) {
	row := func(bulk, tail float64) cdf.Row { return cdf.Row{ESSBulk: bulk, ESSTail: tail} }
	for _, c := range []struct {
		rows []cdf.Row
		want float64
	}{
		{[]cdf.Row{row(math.NaN(), math.NaN())}, 0}, // known in closed form
		{[]cdf.Row{row(math.NaN(), math.NaN()), row(400, 300), row(350, 500)}, 300},
		{[]cdf.Row{row(200, 300), row(350, 500)}, 200},
	} {
		p := &Posterior{Summary: &cdf.Summary{Rows: c.rows}}
		if got := pointOf(p, nil, cdf.Transforms{}, 1, true).MinESS; got != c.want {
			t.Errorf("%v: %g, want %g", c.rows, got, c.want)
		}
	}
}
