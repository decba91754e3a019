package projection

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// Signs returns an m x p matrix, row-major, of independent signs over
// sqrt(m), a function of the seed, m and p: the fixed projection where none is
// given.
func Signs(seed uint64, m, p int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0x70726f6a65637431))
	scale := 1 / math.Sqrt(float64(m))
	out := make([]float64, m*p)
	for i := range out {
		out[i] = scale
		if r.Uint64()&1 == 0 {
			out[i] = -scale
		}
	}
	return out
}

// Orthonormal returns the rows of a standard normal m x p matrix made
// orthonormal by Gram and Schmidt, as p x m, row-major, so that column j of the
// projection is row j of out: the prior mean of a learned projection.
// Rows beyond p are 0.
func Orthonormal(seed uint64, m, p int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0x70726f6a65637432))
	rows := make([]float64, min(m, p)*p)
	for i := range min(m, p) {
		row := lin.Row(rows, p, i)
		rnd.Normals(r, row)
		for range 2 { // once more for what rounding leaves
			for j := range i {
				other := lin.Row(rows, p, j)
				lin.Axpy(-lin.Dot(row, other), other, row)
			}
			lin.Scale(1/math.Sqrt(lin.Dot(row, row)), row)
		}
	}
	out := make([]float64, p*m)
	for i := range min(m, p) {
		for j := range p {
			out[j*m+i] = rows[i*p+j]
		}
	}
	return out
}
