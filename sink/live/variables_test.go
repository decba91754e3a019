package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Numbers come back with the same bits, whatever they are, and those of laws that have one form take
// less than half of their bytes.
func TestVariables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	same := func(list []float64) int {
		t.Helper()
		b := appendVariables(nil, list)
		rest := reader(append(slices.Clone(b), 1, 2, 3))
		got := rest.variables(nil, len(list))
		if len(rest) != 3 || !slices.EqualFunc(got, list, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Fatalf("%v comes back as %v, %d bytes are left", list, got, len(rest)-3)
		}
		return len(b)
	}
	nan := math.NaN()
	for range 200 {
		var list []float64
		for range 6 { // coefficients have t laws, the last variable a skew one
			loc, scale := r.NormFloat64(), math.Exp(r.NormFloat64())
			q := [...]float64{2.1, 1.7, .7, -.7, -1.7, -2.1}
			list = append(list, loc, scale*1.03, loc)
			for _, at := range q {
				list = append(list, loc-scale*at)
			}
			list = append(list, 0, nan, nan, nan)
		}
		list = append(list, 1.1, .2, 1.09, .8, .85, .97, 1.2, 1.4, 1.5, 0, nan, nan, nan)
		if n := same(list); n > len(list)*10/13*8/2 {
			t.Errorf("7 variables of a closed form take %d bytes of %d", n, len(list)*10/13*8)
		}
		for range 3 {
			list[r.IntN(len(list))] = [...]float64{0, math.Copysign(0, -1), math.Inf(1), math.MaxFloat64, -5e-324, math.Float64frombits(r.Uint64()), nan}[r.IntN(7)]
			same(list)
		}
	}
	for range 200 { // draws have errors of their own
		var list []float64
		for range 3 * len(cdf.RowColumns) {
			list = append(list, math.Float64frombits(r.Uint64()))
		}
		if n := same(list); n > len(list)*8+3*sizesBytes {
			t.Errorf("any numbers take %d bytes", n)
		}
	}
	if same(nil) != 0 {
		t.Error("no variables take bytes")
	}
}
