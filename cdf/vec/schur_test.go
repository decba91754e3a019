package vec

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// Level by level by the definition; what is above the diagonal, or behind the sums, stays.
func TestSchurSums(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 84))
		for c := range 7 {
			for _, levels := range []int{0, 1, 3, 4, 5, 8, 11, 40, 1<<13 + 6} {
				records, m, quad := random(r, levels*(c+2)), 6+r.Float64(), r.NormFloat64()
				sums := random(r, c*c+c+3)
				want, wantQuad := append([]float64(nil), sums...), quad
				for g := range levels {
					record := records[g*(c+2):]
					w := 1 / (record[c] + m)
					x := float64(w * record[c+1])
					wantQuad += float64(x * record[c+1])
					for i, b := range record[:c] {
						want[c*c+i] += float64(x * b)
						for j := range i + 1 {
							want[i*c+j] += float64(float64(w*b) * record[j])
						}
					}
				}
				quad = SchurSums(c, records, m, sums[:c*c:c*c], sums[c*c:][:c:c], quad)
				identical(t, "sums of "+strconv.Itoa(c), append(sums, quad), append(want, wantQuad))
			}
		}
	})
}

func BenchmarkSchurSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 84))
	for _, c := range []int{2, 3, 4} {
		records, lam, h := random(r, 1000*(c+2)), make([]float64, c*c), make([]float64, c)
		b.Run(strconv.Itoa(c), func(b *testing.B) {
			beside(b, func() { SchurSums(c, records, 9, lam, h, 0) })
		})
	}
}
