package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

func TestEach(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 82))
		for n := range 40 {
			x, center, scale := random(r, n+2), random(r, n+1), random(r, n+3)
			if n > 5 {
				x[1], x[2], x[3], center[3], scale[4], scale[5] = math.Copysign(0, -1), math.NaN(), math.Inf(1), 5e-324, 0, 5e-324
			}
			got, standardized, divided := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range n {
				standardized[i], divided[i] = (x[i]-center[i])/scale[i], x[i]/scale[i]
			}
			StandardizeEach(got, x, center, scale)
			identical(t, "standardized", got, standardized)
			DivideEach(got, x, scale)
			identical(t, "divided", got, divided)
			DivideEach(x[:n], x, scale)
			identical(t, "divided in place", x[:n], divided)
		}
	})
}

func BenchmarkEach(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 82))
	x, center, scale, dst := random(r, 500), random(r, 500), random(r, 500), make([]float64, 500)
	b.Run("loop", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				dst[i] = (v - center[i]) / scale[i]
			}
		}
	})
	b.Run("vectors", func(b *testing.B) {
		for b.Loop() {
			StandardizeEach(dst, x, center, scale)
		}
	})
}
