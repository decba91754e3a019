package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// The inverse times the factor is the identity, below the diagonal it is 0, and all instructions give the same bits, also where
// the factor holds zeros of both signs.
func TestInvertPacked(t *testing.T) {
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 82))
		for at, n := range []int{1, 4, 23, 24, 25, 48, 51, 75, 130} {
			factor := make([]float64, PackedLen(n+1))
			for i := range n + 1 {
				row := factor[PackedRow(n+1, i):PackedRow(n+1, i+1)]
				for j := range row {
					row[j] = r.NormFloat64() / float64(n)
					switch r.IntN(30) {
					case 0:
						row[j] = 0
					case 1:
						row[j] = math.Copysign(0, -1)
					}
				}
				row[0] = math.Copysign(1+r.Float64(), r.NormFloat64())
			}
			inverse := used(n * n)
			InvertPacked(n, factor, inverse)
			for i := range n {
				for j := range n {
					sum := 0.0
					for k := range j + 1 {
						sum += inverse[i*n+k] * factor[PackedRow(n+1, k)+j-k]
					}
					want := 0.0
					if i == j {
						want = 1
					}
					near(t, fmt.Sprintf("order %d: entry %d, %d of the product", n, i, j), sum, want, 1e-13)
				}
			}
			if at == len(first) {
				first = append(first, slices.Clone(inverse))
			}
			identical(t, fmt.Sprintf("order %d, other instructions", n), inverse, first[at])
		}
	})
}

func BenchmarkInvertPacked(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 83))
	for _, n := range []int{51, 501} {
		factor, dst := make([]float64, PackedLen(n+1)), make([]float64, n*n)
		for i := range factor {
			factor[i] = r.NormFloat64() / float64(n)
		}
		for i := range n + 1 {
			factor[PackedRow(n+1, i)] = 1
		}
		for _, set := range []isa.Set{isa.AVX512, isa.AVX2, isa.Portable} {
			b.Run(fmt.Sprintf("%d/%s", n, set), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for b.Loop() {
					InvertPacked(n, factor, dst)
				}
			})
		}
	}
}
