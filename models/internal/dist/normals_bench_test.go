package dist

import "testing"

// A mixture of ten normals, as levels of poisson have: what decides quantiles, and these.
func BenchmarkNormalQuantiles(b *testing.B) {
	var x NormalMixture
	x.Size(10)
	for k := range x.W {
		x.W[k], x.Mean[k], x.SD[k] = 0.1, 0.3+0.002*float64(k), 0.2+0.004*float64(k)
	}
	b.Run("gather", func(b *testing.B) {
		for b.Loop() {
			x.gather()
		}
	})
	b.Run("quantiles", func(b *testing.B) {
		for b.Loop() {
			x.Quantiles()
		}
	})
}
