package cdf

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Effects of groups are told apart by factor and slope where there are several.
func TestNamesOfGroupEffects(t *testing.T) {
	levels := []factor{{levels: []string{"s1", "s2"}}, {levels: []string{"mon"}}}
	for _, c := range []struct {
		name   string
		groups []Group
		params []Param
		want   []string
	}{
		{
			"one factor", []Group{{Column: "store"}},
			[]Param{{"beta", 1}, {"u", 2}, {"sigma2_u", 1}},
			[]string{"beta[intercept]", "u[s1]", "u[s2]", "sigma2_u"},
		},
		{
			"a slope", []Group{{Column: "store", Slopes: []string{"price"}}},
			[]Param{{"u", 2}, {"u", 2}, {"sigma2_u", 1}, {"sigma2_u", 1}},
			[]string{
				"u[store=s1]", "u[store=s2]", "u[store=s1,price]", "u[store=s2,price]",
				"sigma2_u[store]", "sigma2_u[store,price]",
			},
		},
		{
			"crossed", []Group{{Column: "store"}, {Column: "day", Slopes: []string{"price"}}},
			[]Param{{"u", 2}, {"u", 1}, {"u", 1}, {"sigma2_u", 1}, {"sigma2_u", 1}, {"sigma2_u", 1}},
			[]string{
				"u[store=s1]", "u[store=s2]", "u[day=mon]", "u[day=mon,price]",
				"sigma2_u[store]", "sigma2_u[day]", "sigma2_u[day,price]",
			},
		},
	} {
		s := &state{design: &design{names: []string{"intercept"}, slopes: []int{0}}, factors: levels}
		s.scaling.y.Scale = 1
		s.scaling.x = []Constant{{Scale: 1}}
		var got []string
		for i, f := range functionals(&Spec{Columns: Roles{Groups: c.groups}}, s, c.params, new(selection)) {
			got = append(got, f.Name)
			if f.Param[0] != i {
				t.Errorf("%s: %s is row %d, want %d", c.name, f.Name, f.Param[0], i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Names lie in pieces that are begun anew, and stay what they were.
func TestNamesStay(t *testing.T) {
	n := names{piece: 40}
	var got, want []string
	for i := range 1000 {
		level := strings.Repeat(string(rune('a'+i%26)), i%60)
		got, want = append(got, n.join("u", "[", level, "]")), append(want, "u["+level+"]")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A parameter of the scaled columns, y = 7 + 3 y~ and x = 2 + 5 x~, in units of y.
func TestUnits(t *testing.T) {
	s := &state{design: &design{slopes: []int{2, 1}}}
	s.scaling.y = Constant{Center: 7, Scale: 3}
	s.scaling.x = []Constant{{Scale: 1}, {Center: 2, Scale: 5}, {Center: -1, Scale: 4}}
	var level, other, x = &term{}, &term{slope: ",z"}, &term{slope: ",x", at: 1}
	for _, c := range []struct {
		kind unit
		i    int
		at   *term
		want Functional
	}{
		{asIs, 0, level, Functional{Param: []int{4}, Weight: []float64{1}}},
		{slope, 0, level, Functional{Const: 7, Param: []int{4, 5}, Weight: []float64{3, -2 * 3. / 5}}},
		{slope, 1, level, Functional{Param: []int{5}, Weight: []float64{3. / 5}}},
		{variance, 0, level, Functional{Param: []int{4}, Weight: []float64{9}}},
		{location, 0, level, Functional{Const: 7, Param: []int{4}, Weight: []float64{3}}},
		{groupEffect, 0, level, Functional{Param: []int{4}, Weight: []float64{1}}},
		{groupEffect, 1, other, Functional{Param: []int{5}, Weight: []float64{1. / 4}}},
		{groupEffect, 1, x, Functional{Param: []int{5}, Weight: []float64{1. / 5}}},
		{effectVariance, 0, level, Functional{Param: []int{4}, Weight: []float64{1}}},
		{effectVariance, 0, x, Functional{Param: []int{4}, Weight: []float64{1. / 25}}},
	} {
		if got := convert(&Spec{Columns: Roles{Intercept: true}}, s, new(weights), c.kind, "", 4, c.i, 2, c.at); !reflect.DeepEqual(got, c.want) {
			t.Errorf("unit %d, row %d: %+v, want %+v", c.kind, c.i, got, c.want)
		}
	}
}
