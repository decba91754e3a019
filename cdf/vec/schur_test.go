package vec

import (
	"math"
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

// Law by law by the definition.
func TestSchurLaws(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 85))
		var laws Laws
		for c := range 6 {
			for _, n := range []int{1, 3, 4, 10, 12, 33} {
				laws.Resize(c, n)
				type law struct {
					m    float64
					b, l []float64
				}
				all := make([]law, n)
				for k := range all {
					all[k] = law{3 + r.Float64(), random(r, c), random(r, c*c)}
					laws.Set(k, all[k].m, all[k].b, all[k].l)
				}
				record, core, z, constant := random(r, c+2), random(r, c), r.NormFloat64(), r.NormFloat64()
				mean, sd := make([]float64, laws.N), make([]float64, laws.N)
				laws.Of(record, core, z, constant, mean, sd)
				var wantMean, wantSD []float64
				for _, law := range all {
					zi := z * (1 / (record[c] + law.m))
					dot, squares, xi := 0.0, 0.0, make([]float64, c)
					for i := range xi {
						v, below := core[i]-float64(zi*record[i]), 0.0
						dot += float64(v * law.b[i])
						for j := range i {
							below += float64(law.l[i*c+j] * xi[j])
						}
						xi[i] = (v - below) / law.l[i*c+i]
						squares += float64(xi[i] * xi[i])
					}
					wantMean = append(wantMean, constant+float64(zi*record[c+1])+dot)
					wantSD = append(wantSD, math.Sqrt(float64(z*zi)+squares))
				}
				what := strconv.Itoa(n) + " laws of " + strconv.Itoa(c)
				identical(t, "means under "+what, mean[:n], wantMean)
				identical(t, "sds under "+what, sd[:n], wantSD)
				for k := range mean {
					if math.IsNaN(mean[k]) {
						t.Fatalf("%s: mean %d is no number", what, k)
					}
				}
			}
		}
	})
}

func BenchmarkSchurLaws(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 85))
	for _, c := range []int{1, 2, 3} {
		var laws Laws
		laws.Resize(c, 12)
		for k := range 12 {
			laws.Set(k, 3+r.Float64(), random(r, c), random(r, c*c))
		}
		record, core, mean, sd := random(r, c+2), random(r, c), make([]float64, 12), make([]float64, 12)
		b.Run(strconv.Itoa(c), func(b *testing.B) {
			beside(b, func() { laws.Of(record, core, 1, 0, mean, sd) })
		})
	}
}
