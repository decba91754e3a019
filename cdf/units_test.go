package cdf

import (
	"slices"
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
		s := &state{design: &design{names: []string{"intercept"}}, factors: levels}
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
