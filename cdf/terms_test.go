package cdf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// TestTermsHaveNamesOfTheirOwn: groups of which two variables would have one name are refused
// before a row comes.
func TestTermsHaveNamesOfTheirOwn(t *testing.T) {
	for name, c := range map[string]struct {
		groups []cdf.Group
		want   string // "" is fine
	}{
		"one":                      {[]cdf.Group{{Column: "g", Slopes: []string{"x", "z"}}}, ""},
		"crossed":                  {[]cdf.Group{{Column: "g", Slopes: []string{"x"}}, {Column: "h", Slopes: []string{"x"}}}, ""},
		"a column of a like name":  {[]cdf.Group{{Column: "g"}, {Column: "g2"}}, ""},
		"a slope twice":            {[]cdf.Group{{Column: "g", Slopes: []string{"x", "x"}}}, `"g,x"`},
		"a column twice":           {[]cdf.Group{{Column: "g"}, {Column: "g"}}, `"g"`},
		"a column like a slope":    {[]cdf.Group{{Column: "g", Slopes: []string{"x"}}, {Column: "g,x"}}, `"g,x"`},
		"a column like one's rows": {[]cdf.Group{{Column: "g=a"}, {Column: "g"}}, `the groups "g" and "g=a"`},
	} {
		err := cdf.DistinctTerms(c.groups)
		if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestLevelCalledLikeASlope: with the level "a,x" beside "a" two variables would be
// u[g=a,x], whichever comes first; its shard is refused and says why, others go on.
func TestLevelCalledLikeASlope(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{Groups: []cdf.Group{{Column: "g", Slopes: []string{"x"}}}})
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(num("y", 1, 2), num("x", 3, 4), text("g", "a", "b,z")))
	_, err := f.Update(batch(num("y", 1, 2), num("x", 3, 4), text("g", "a", "a,x")))
	if !errors.Is(err, cdf.ErrShard) || !strings.Contains(err.Error(), `column "g" has in row 2 the level "a,x", and that is what the slope "x" of a level is called`) {
		t.Errorf("refused with %v", err)
	}
	take(t, f, batch(num("y", 1, 2), num("x", 3, 4), text("g", "a", "x")))
}
