package normal_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
)

// Each x alone, between the points of the series, at them and beyond them.
func TestSums(t *testing.T) {
	x := []float64{-40, -8, -7.9999, 7.9999, 8, 40, math.Copysign(0, -1)}
	for v := -8.5; v < 8.5; v += 1.0 / 700 {
		x = append(x, v, math.Round(64*v)/64)
	}
	for _, v := range x {
		u, w := normal.Hazard(v)
		gotU, gotW := normal.SumHazard([]float64{v})
		if !(math.Abs(gotU-u) <= 1e-12*u+1e-14 && math.Abs(gotW-w) <= 1e-12) {
			t.Errorf("hazard at %v: %v and %v, want %v and %v", v, gotU, gotW, u, w)
		}
		if got, want := normal.SumCDF([]float64{v}), normal.CDF(v); !(math.Abs(got-want) <= 3e-12*min(want, 1e-4)) {
			t.Errorf("Phi(%v) is %v, want %v", v, got, want)
		}
	}
	nan := []float64{1, math.NaN(), 2}
	if u, w := normal.SumHazard(nan); !math.IsNaN(u + w) {
		t.Errorf("sums of NaN: %v, %v", u, w)
	}
	if p := normal.SumCDF(nan); !math.IsNaN(p) {
		t.Errorf("sum of NaN: %v", p)
	}
}

func BenchmarkSums(b *testing.B) {
	r, x := rand.New(rand.NewPCG(1, 30)), make([]float64, 500)
	for i := range x {
		x[i] = .7 + .5*r.NormFloat64()
	}
	sink := 0.0
	for name, do := range map[string]func() float64{
		"hazard": func() float64 { u, w := normal.SumHazard(x); return u + w },
		"cdf":    func() float64 { return normal.SumCDF(x) },
		"functions": func() (s float64) {
			for _, v := range x {
				u, w := normal.Hazard(v)
				s += u + w
			}
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink += do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/x")
		})
	}
	_ = sink
}
