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
		if got := new(pointRoom).pointOf(p, nil, cdf.Transforms{}, 1, 1, true).MinESS; got != c.want {
			t.Errorf("%v: %g, want %g", c.rows, got, c.want)
		}
	}
}

// Points of a key with many shards a second tell of rows of fewer of them.
func TestRowsObserved(t *testing.T) {
	for _, c := range []struct {
		t    int64
		ago  float64
		want bool
	}{
		{1, 0, true}, {15, 0, true}, {17, 0, false}, {17, .999, false}, {17, 1, true}, {20, 0, true}, {28, 0, true},
		{31, 0, false}, {31, 1, true}, {32, 0, true}, {33, 1e9, false},
		{36, .999, false}, {36, 1, true}, {63, 1e9, false}, {64, 0, true}, {64, 1, true},
	} {
		if got := rowsObserved(c.t, c.ago) > 0; got != c.want {
			t.Errorf("after %d shards and %g s: %v", c.t, c.ago, got)
		}
	}
}
