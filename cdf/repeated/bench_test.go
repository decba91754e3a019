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

// BenchmarkTwice is what it costs to look for rows that come again in a shard, with five columns, of which there are none, or of which one in 20 comes twice, or whose
// responses are rounded.
func BenchmarkTwice(b *testing.B) {
	for _, c := range []struct {
		name        string
		unit, twice float64
	}{{"none", 0, 0}, {"rounded", .1, 0}, {"twice", 0, .05}} {
		for _, n := range []int{1, 10, 100, 1000, 100_000} {
			b.Run(fmt.Sprintf("%s/rows=%d", c.name, n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 122))
				s := new(shard)
				for len(s.y) < n {
					row := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
					if c.unit > 0 {
						row[5] = rounded(row[5], c.unit)
					}
					if s.add(row...); r.Float64() < c.twice {
						s.add(row...)
					}
				}
				var a *Twice
				var room Room
				t := s.table()
				for b.Loop() {
					a = a.Add(t, 1, &room)
				}
			})
		}
	}
}
