package cdf_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Rows are what they are by definition, whichever columns stand together: numbers (n) beside an intercept or none, levels (c) between
// them, with rows that are dropped and without.
func TestRowsAreLaidOut(t *testing.T) {
	center, scale := .1, 1.7
	for _, intercept := range []bool{false, true} {
		for _, layout := range []string{"", "n", "nnn", "nnnnnnn", "nnnnnnnn", "nnnnnnnnn", "c", "cn", "nc", "nnncnn"} {
			if layout == "" && !intercept {
				continue
			}
			for _, rows := range []int{1, 7, 128, 129, 300} {
				for _, lost := range []int{-1, rows / 2} {
					roles := cdf.Roles{Intercept: intercept}
					columns := []cdf.Column{num("y", make([]float64, rows)...)}
					want := make([][]float64, rows)
					for i := range want {
						if intercept {
							want[i] = append(want[i], 1)
						}
					}
					for j, kind := range layout {
						name := fmt.Sprint("x", j)
						v := make([]float64, rows)
						for i := range v {
							v[i] = float64(i%11) + float64(j)
						}
						if kind == 'c' {
							levels := make([]string, rows)
							for i := range levels {
								levels[i] = string("ab"[i%2])
								want[i] = append(want[i], float64(i%2))
							}
							roles.Features = append(roles.Features, cdf.Feature{Name: name, Levels: []string{"a", "b"}, Baseline: "a", Other: "drop"})
							columns = append(columns, text(name, levels...))
							continue
						}
						if lost >= 0 {
							v[lost] = math.NaN()
						}
						roles.Features = append(roles.Features, cdf.Feature{Name: name, Center: &center, Scale: &scale})
						columns = append(columns, num(name, v...))
						for i, x := range v {
							want[i] = append(want[i], (x-center)/scale)
						}
					}
					if lost >= 0 && strings.Contains(layout, "n") {
						want = slices.Delete(want, lost, lost+1)
					}
					spec, shards, _ := recording(roles)
					if _, err := cdf.NewFilter(spec, "k").Update(batch(columns...)); err != nil {
						t.Fatal(err)
					}
					if sh := (*shards)[0]; !slices.Equal(sh.X, slices.Concat(want...)) {
						t.Errorf("%q, intercept %t, %d rows, row %d dropped: X is %v, want %v", layout, intercept, rows, lost, sh.X, want)
					}
				}
			}
		}
	}
}
