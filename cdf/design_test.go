package cdf_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A column that arrived in a type that is not read is there, so that it must
// not be called missing.
func TestUnreadableColumnsAreNamedWithTheirType(t *testing.T) {
	skipped := []cdf.Skipped{{Name: "other", Type: "list"}, {Name: "c", Type: "decimal128"}}
	for role, roles := range map[string]cdf.Roles{
		"response": {Response: cdf.Feature{Name: "c"}, Intercept: true},
		"feature":  {Features: []cdf.Feature{{Name: "x"}, {Name: "c"}}},
		"levels":   {Features: []cdf.Feature{{Name: "x"}, {Name: "c", LevelsFirst: true}}},
		"group":    {Groups: []cdf.Group{{Column: "c"}}},
		"slope":    {Groups: []cdf.Group{{Column: "g", Slopes: []string{"c"}}}},
		"exposure": {Exposure: "c"},
		"time":     {Time: "c"},
	} {
		spec, _, _ := recording(roles)
		b := batch(num("y", 1, 2), num("x", 3, 4), whole("g", 1, 2))
		b.Skipped = skipped
		want := role
		if role == "levels" {
			want = "feature"
		}
		want += ` column "c" has type decimal128, which is not read`
		f := cdf.NewFilter(spec, "k")
		for range 2 {
			if _, err := f.Update(b); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", role, err)
			}
		}
		b.Skipped = skipped[:1]
		if _, err := f.Update(b); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `column "c" is missing`) {
			t.Errorf("%s that is not there: %v", role, err)
		}
	}
	// The schema that bound before does not hide it.
	spec, _, _ := recording(cdf.Roles{Features: []cdf.Feature{{Name: "x"}}})
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(num("y", 1, 2), num("x", 3, 4)))
	b := batch(num("y", 1, 2))
	b.Skipped = []cdf.Skipped{{Name: "x", Type: "decimal256"}}
	if _, err := f.Update(b); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"x" has type decimal256`) {
		t.Errorf("later: %v", err)
	}
	// A column beside it that is not asked for is nobody's business.
	b = batch(num("y", 1, 2), num("x", 3, 4))
	b.Skipped = skipped
	if _, err := f.Update(b); err != nil {
		t.Error(err)
	}
}

// Shards are filled in blocks of rows; rows that are dropped lie in any of them.
func TestLargeShard(t *testing.T) {
	for _, missing := range []int{3, -1} {
		testLargeShard(t, missing)
	}
}

// testLargeShard takes a shard of which one row in five lacks a number, or none.
func testLargeShard(t *testing.T, missing int) {
	spec, shards, _ := recording(cdf.Roles{Intercept: true})
	spec.Columns.Scaling = "none"
	n := 700
	a, b, y := make([]float64, n), make([]float64, n), make([]float64, n)
	var kept []int
	for i := range n {
		a[i], b[i], y[i] = float64(i), float64(-i), float64(2*i)
		if i%5 == missing {
			a[i] = math.NaN()
		} else {
			kept = append(kept, i)
		}
	}
	take(t, cdf.NewFilter(spec, "k"), batch(num("a", a...), num("b", b...), num("y", y...)))
	sh := &(*shards)[0]
	if sh.Rows != len(kept) || sh.Cols != 3 {
		t.Fatalf("%d rows of %d columns", sh.Rows, sh.Cols)
	}
	for k, i := range kept {
		if got, want := sh.X[3*k:3*k+3], []float64{1, a[i], b[i]}; !slices.Equal(got, want) || sh.Y[k] != y[i] {
			t.Fatalf("row %d is %v and %v, want %v and %v", k, got, sh.Y[k], want, y[i])
		}
	}
}
