package normal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
)

// Each x alone, between the points of the series, at them and beyond them.
func TestSums(t *testing.T) {
	x := []float64{-40, -8, -7.9999, 7.9999, 8, 40, math.Copysign(0, -1)}
	for v := -8.5; v < 8.5; v += 1.0 / 700 {
		x = append(x, v, math.Round(64*v)/64)
	}
	wrong := 0
	for _, v := range x {
		if wrong > 5 {
			t.Fatal("and more")
		}
		u, w := Hazard(v)
		gotU, gotW := hazardAt(v)
		if !(math.Abs(gotU-u) <= 2e-13*u+5e-14 && math.Abs(gotW-w) <= 2e-12*w+2e-13 && gotW >= 0) {
			wrong++
			t.Errorf("hazard at %v: %v and %v, want %v and %v", v, gotU, gotW, u, w)
		}
		if got, want := SumCDF([]float64{v}), CDF(v); !(math.Abs(got-want) <= 1e-10*want && math.Abs(got-want) < 3e-13) {
			wrong++
			t.Errorf("Phi(%v) is %v, want %v", v, got, want)
		}
	}
	nan := []float64{1, math.NaN(), 2}
	if u, w := hazardAt(nan[1]); !math.IsNaN(u) || !math.IsNaN(w) {
		t.Errorf("hazard at NaN: %v, %v", u, w)
	}
	if p := SumCDF(nan); !math.IsNaN(p) {
		t.Errorf("sum of NaN: %v", p)
	}
}

// hazardAt is Hazards at one x, between two that need no care.
func hazardAt(x float64) (u, w float64) {
	var us, ws [3]float64
	Hazards(us[:], ws[:], []float64{.5, x, 1})
	return us[1], ws[1]
}

// Of more than are taken at once, each is as if it were alone, wherever one is that a curve does not reach.
func TestManyAreEachAlone(t *testing.T) {
	const n = 2*atOnce + 5
	r, x := rand.New(rand.NewPCG(1, 33)), make([]float64, n)
	for far := range n {
		for i := range x {
			x[i] = 4 * (r.Float64() - .5)
		}
		x[far] = []float64{-8, 6, 7.5, 8, -30, 40}[far%6]
		u, w, p := make([]float64, n), make([]float64, n), make([]float64, n)
		Hazards(u, w, x)
		CDFs(p, x)
		inPlace := slices.Clone(x)
		if CDFs(inPlace, inPlace); !slices.Equal(inPlace, p) {
			t.Fatalf("beside %v in place: %v, want %v", x[far], inPlace, p)
		}
		for _, i := range []int{far, 0, n / 2, n - 1} {
			var one [1]float64
			CDFs(one[:], x[i:i+1])
			if wantU, wantW := hazardAt(x[i]); u[i] != wantU || w[i] != wantW || p[i] != one[0] {
				t.Fatalf("%v at %d: %v, %v and %v, want %v, %v and %v", x[i], i, u[i], w[i], p[i], wantU, wantW, one[0])
			}
		}
	}
}

// All instructions give the same bits at all lengths and places in a cache line, and
// leave what lies around alone.
func TestCurvesAreTheSameEverywhere(t *testing.T) {
	t.Cleanup(func() { with = isa.Best() })
	r, x := rand.New(rand.NewPCG(1, 31)), make([]float64, 400)
	for i := range x {
		x[i] = 4 * r.NormFloat64()
	}
	x[20], x[21] = math.NaN(), math.Inf(1)
	for n := range 300 {
		for _, c := range []*curve{phi(), hazard()} {
			var want []float64
			for set := range isa.Best() + 1 {
				with = set
				got := make([]float64, 400)
				c.at(x[n%9:][:n], got[n%7:][:n])
				if set == isa.Portable {
					want = got
				}
				for i, v := range want {
					if got[i] != v && !(math.IsNaN(got[i]) && math.IsNaN(v)) {
						t.Fatalf("%v, n = %d: entry %d is %v, want %v", set, n, i, got[i], v)
					}
				}
			}
		}
	}
}

func BenchmarkSums(b *testing.B) {
	r, x := rand.New(rand.NewPCG(1, 30)), make([]float64, 500)
	for i := range x {
		x[i] = .7 + .5*r.NormFloat64()
	}
	sink, u, w := 0.0, make([]float64, len(x)), make([]float64, len(x))
	for name, do := range map[string]func() float64{
		"hazard": func() float64 { Hazards(u, w, x); return u[1] + w[1] },
		"cdf":    func() float64 { return SumCDF(x) },
		"functions": func() (s float64) {
			for _, v := range x {
				u, w := Hazard(v)
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
