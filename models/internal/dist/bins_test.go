package dist

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
)

// What tells bins without the distribution function agrees with it: a
// transform further than 2e-5 from an edge falls in its bin.
func TestStudentBins(t *testing.T) {
	for _, df := range []float64{1, 4, 29.5, 30, 41, 120, 1e3, 1e6} {
		b := NewStudentBins(df, StudentQuantile(NormalQuantiles[6], df))
		checked := 0
		for x := -4.0; x <= 4; x += 1.0 / 256 {
			want := StudentCDF(x, df)
			if edge := math.Round(want * cdf.PITBins); math.Abs(want-edge/cdf.PITBins) < 2e-5 {
				continue
			}
			checked++
			if got := b.At(x, x*x); int(got*cdf.PITBins) != int(want*cdf.PITBins) {
				t.Fatalf("df %g, t %g: bin of %g, want of %g", df, x, got, want)
			}
			if df >= Plentiful {
				var got [1]float64
				NearStudentCDFs(got[:], []float64{x}, []float64{x * x}, df)
				if math.Abs(got[0]-want) > 2e-5 {
					t.Fatalf("df %g: P(T <= %g) is about %g, want %g", df, x, got[0], want)
				}
			}
		}
		if checked < 1900 {
			t.Errorf("df %g: only %d of 2049 transforms are away from edges", df, checked)
		}
	}
}

// Beyond against counting, about every edge and between them.
func TestBinsByTheirEdges(t *testing.T) {
	for _, df := range []float64{Plentiful, 31, 35, 60, 200, 1e4, 1e12} {
		b := NewStudentBins(df, StudentQuantile(NormalQuantiles[6], df))
		squares := []float64{0, 5e-324, 1e-300, 1e300, math.MaxFloat64, math.Inf(1)}
		for _, edge := range b.edges[:half-1] {
			for d := range int64(3) {
				squares = append(squares, math.Float64frombits(uint64(edge+d-1)))
			}
		}
		for x := 1. / 512; x < 16; x *= 1.001 {
			squares = append(squares, x)
		}
		for _, z2 := range squares {
			want := 0
			for _, edge := range b.edges[:half-1] {
				if z2 > math.Float64frombits(uint64(edge)) {
					want++
				}
			}
			if got := b.Beyond(z2); got != want {
				t.Fatalf("df %g: %g lies beyond %d edges, counted %d", df, z2, got, want)
			}
		}
	}
}

// The transform in vectors is Wallace's, near 0 and far out.
func TestNearStudentCDFs(t *testing.T) {
	for _, df := range []float64{30, 1e3, 1e9} {
		var e, t2, want []float64
		for _, x := range []float64{0, 1e-200, 1e-9, 1e-4, .1, 1, 5, 30, 1e5, 1e160} {
			for _, x := range []float64{x, -x} {
				z := (8*df + 1) / (8*df + 3) * math.Sqrt(df*math.Log1p(x*x/df))
				e, t2, want = append(e, x), append(t2, x*x), append(want, normal.CDF(math.Copysign(z, x)))
			}
		}
		got := make([]float64, len(e))
		NearStudentCDFs(got, e, t2, df)
		for i, p := range got {
			if !(math.Abs(p-want[i]) < 3e-13) {
				t.Errorf("df %g, number %d: %v, want %v", df, i, p, want[i])
			}
		}
	}
}

// Residuals that no predictor of branches has met before.
func BenchmarkStudentBins(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	e := make([]float64, 1<<16)
	for i := range e {
		e[i] = r.NormFloat64()
	}
	bins, sum, i := NewStudentBins(100, StudentQuantile(NormalQuantiles[6], 100)), 0.0, 0
	for b.Loop() {
		i = (i + 1) % len(e)
		sum += bins.At(e[i], e[i]*e[i])
	}
	_ = sum
}
