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
		if got := learntBy(2, 0, 0).far(spec, d, &r, c.surprised); got != c.want {
			t.Errorf("%v %v: %g, want %g", c.y, c.x, got, c.want)
		}
	}
	spec.Steps = true
	r := rows{n: 1, cols: 3, y: []float64{1e6}, x: []float64{1e6, 1e6, 0}}
	if got := learntBy(2, 0, 0).far(spec, d, &r, true); got != 0 {
		t.Errorf("steps may be anywhere: %g", got)
	}
	none := rows{n: 1, y: []float64{1e3}}
	spec.Steps, spec.RawResponse = false, true
	if got := new(scaling).far(spec, &design{}, &none, true); got != 0 {
		t.Errorf("of no scale that was learnt: %g", got)
	}
}

// learntBy returns the constants of a response and three columns of a scale, whose mean and variance the
// watch has of 60 rows.
func learntBy(scale float64, mean, variance float32) *scaling {
	s := &scaling{y: Constant{Scale: scale}, frozen: true}
	for range 3 {
		s.x = append(s.x, Constant{Scale: scale})
		s.watch.spreads = append(s.watch.spreads, spread{mean, variance})
	}
	s.watch.rows = 60
	return s
}

// A column that was the same in all first rows has a scale of 1 that says nothing: its values are as far off as
// its unit has it. Zeros and ones are judged while both are seen.
func TestFarWithoutScale(t *testing.T) {
	spec := NewSpec("k", "", struct{}{}, nil)
	spec.Columns.Scaling, spec.RawResponse = "first", true
	d := &design{names: []string{"a", "b", "c"}, sources: []source{{first: 0}, {first: 1}, {first: 2}}}
	r := rows{n: 1, cols: 3, y: []float64{0}, x: []float64{0, 1000, 0}}
	for _, c := range []struct {
		name           string
		scale, center  float64
		mean, variance float32
		rows           int
		want           float64
	}{
		{"learnt", 2, 0, 0, 0, 0, 1e6},
		{"the same in all rows", 1, 0, 0, 0, 60, 0},
		{"zeros and ones", 1, 0, .3, .21, 60, 1e6},
		{"zeros and ones of few rows", 1, 0, .3, .21, 49, 0},
		{"around another value", 1, 4, .3, .21, 60, 0},
		{"other values behind them", 1, 0, .35, .3, 60, 0},
		{"ones", 1, 0, 1, 0, 60, 0},
	} {
		s := learntBy(c.scale, c.mean, c.variance)
		s.x[1].Center, s.watch.rows = c.center, c.rows
		if got := s.far(spec, d, &r, false); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
