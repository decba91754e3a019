package normal_test

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
)

// The series against the functions themselves, between its points and at them.
func TestLaws(t *testing.T) {
	var x []float64
	for v := -39.0; v < 39; v += 1.0 / 700 {
		x = append(x, v)
	}
	for i := -300; i <= 300; i++ {
		x = append(x, float64(i)/64, math.Nextafter(float64(i)/64, 40))
	}
	x = append(x, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN())
	p, density := make([]float64, len(x)), make([]float64, len(x))
	normal.Laws(p, density, x)
	worst := [3]float64{}
	for i, v := range x {
		f := math.Exp(-0.5*v*v) / math.Sqrt(2*math.Pi)
		if math.IsNaN(v) {
			if !math.IsNaN(p[i]) || !math.IsNaN(density[i]) {
				t.Errorf("of NaN: %v, %v", p[i], density[i])
			}
			continue
		}
		apart := math.Abs(p[i] - normal.CDF(v))
		worst[0] = max(worst[0], apart)
		if v < 0 && normal.CDF(v) > 0 {
			worst[1] = max(worst[1], apart/normal.CDF(v))
		}
		if f > 0 {
			worst[2] = max(worst[2], math.Abs(density[i]/f-1))
		}
	}
	if worst[0] > 2.3e-16 || worst[1] > 3e-12 || worst[2] > 2e-10 {
		t.Errorf("worst: of Phi %.2g, relative to it below 0 %.2g, of the density %.2g", worst[0], worst[1], worst[2])
	}
}

func BenchmarkLaws(b *testing.B) {
	x := make([]float64, 64)
	for i := range x {
		x[i] = -3 + 6*float64(i)/63
	}
	p, density := make([]float64, len(x)), make([]float64, len(x))
	b.Run("series", func(b *testing.B) {
		for b.Loop() {
			normal.Laws(p, density, x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/x")
	})
	b.Run("functions", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				p[i], density[i] = normal.CDF(v), math.Exp(-0.5*v*v)/math.Sqrt(2*math.Pi)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/x")
	})
}
