package cdf

import (
	"math"
	"testing"
)

// The squares of values that are far off count of the column that has most, of rows with a response; a
// response itself where one surprised the model. What is less than 300 scales off does not.
func TestFarValues(t *testing.T) {
	spec := NewSpec("k", "", struct{}{}, nil)
	spec.Columns.Scaling = "first"
	d := &design{names: []string{"a", "b", "known"}, sources: []source{{first: 0}, {first: 1}, {first: 2}}}
	one := 1.
	d.sources[2].feature.Scale = &one
	nan := math.NaN()
	for _, c := range []struct {
		y, x      []float64
		surprised bool
		want      float64
	}{
		{[]float64{0, 0}, []float64{10, 299, 0, -299, 1, 1e9}, false, 0},
		{[]float64{0, 0}, []float64{400, 500, 0, -100, 0, 0}, false, 250_000},
		{[]float64{0, 0}, []float64{-400, 500, 0, -400, 0, 1e9}, false, 320_000},
		{[]float64{nan, 0}, []float64{-400, 1, 0, 0, 301, 0}, false, 90_601},
		{[]float64{1e3, 0}, []float64{0, 0, 0, 0, 0, 0}, false, 0},
		{[]float64{-1e3, 0}, []float64{0, 0, 0, 0, 0, 0}, true, 1e6},
		{[]float64{0}, []float64{1e300, 0, 0}, false, math.MaxFloat64},
	} {
		r := rows{n: len(c.y), cols: 3, y: c.y, x: c.x}
		if got := r.far(spec, d, c.surprised); got != c.want {
			t.Errorf("%v %v: %g, want %g", c.y, c.x, got, c.want)
		}
	}
	spec.Steps = true
	r := rows{n: 1, cols: 3, y: []float64{1e6}, x: []float64{1e6, 1e6, 0}}
	if got := r.far(spec, d, true); got != 0 {
		t.Errorf("steps may be anywhere: %g", got)
	}
	none := rows{n: 1, y: []float64{1e3}}
	spec.Steps, spec.RawResponse = false, true
	if got := none.far(spec, &design{}, true); got != 0 {
		t.Errorf("of no scale that was learnt: %g", got)
	}
}
