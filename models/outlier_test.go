package models

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A response of a level 20 sds off is told as long as it weighs a tenth of the rows, and not for the next 250 alone: sigma2 is
// what it makes of it for as long. Without one nothing is told.
func TestOutlierOfALevel(t *testing.T) {
	k, _ := Lookup("dlm")
	spec := streamOf(k)
	for _, off := range []float64{0, 20} {
		up := 0
		for seed := range uint64(20) {
			row := 0
			noise := func(r *rand.Rand) float64 {
				if row++; row == 300 {
					return off
				}
				return r.NormFloat64()
			}
			s := spec.spec(t, "corrected")
			s.Columns.Time = "t"
			f := cdf.NewFilter(s, "k")
			var flags []string
			for _, b := range levelShards(seed, 40, 25, noise, func(int) float64 { return 0 }, func(*rand.Rand) bool { return false }) {
				sum, err := f.Update(b)
				if err != nil {
					t.Fatal(err)
				}
				flags = sum.Flags
			}
			if slices.Contains(flags, "outliers") {
				up++
			}
		}
		if off == 0 && up > 0 || off > 0 && up < 20 {
			t.Errorf("a row %g sds off: told in %d of 20", off, up)
		}
	}
}
