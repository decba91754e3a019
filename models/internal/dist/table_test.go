package dist

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// The tables against the distribution functions, on the lattice, between and
// beyond.
func TestLawTables(t *testing.T) {
	var table Table
	for _, shape := range []float64{.5, 1, 4, 60} {
		table.Student(2 * shape)
		for z := -45.; z < 45; z += .37 {
			if p, _ := table.at(z); math.Abs(p-StudentCDF(z, 2*shape)) > 2e-7 {
				t.Fatalf("shape %v: P(T <= %v) = %v, want %v", shape, z, p, StudentCDF(z, 2*shape))
			}
		}
		table.LogInvGamma(shape)
		for x := -math.Log(shape) - 3; x < 9; x += .13 {
			if p, _ := table.at(x); math.Abs(p-mathext.GammaIncRegComp(shape, math.Exp(-x))) > 2e-7 {
				t.Fatalf("shape %v: P(log X <= %v) = %v, want %v", shape, x, p, mathext.GammaIncRegComp(shape, math.Exp(-x)))
			}
		}
	}
}
