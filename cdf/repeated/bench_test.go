package repeated

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkShard is what a shard of numbers with five columns costs.
func BenchmarkShard(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 80))
			y := make([]float64, n)
			for i := range y {
				y[i] = r.NormFloat64()
			}
			var s Sketch
			for b.Loop() {
				y[0]++
				sh := Shard{Bits: Bits(y, math.NaN())}
				if sh.Bits >= Least {
					h := Numbers(y)
					for _, v := range y[:min(2*5, n)] {
						h = h.Number(v)
					}
					sh.Print = h.Print()
				}
				s.Add(sh, float64(n), 1)
			}
		})
	}
}
