package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

func TestAgainstTruth(t *testing.T) {
	lo, hi, truth := []float64{0, 0, 0, math.NaN()}, []float64{1, 3, 1, math.NaN()}, []float64{1, 2, 1.5, 0}
	modeltest.Within(t, "coverage", Coverage(lo, hi, truth), .5, 0)
	modeltest.Within(t, "length", Length(lo[:3], hi[:3]), 5./3, 1e-15)
	modeltest.Within(t, "MSE", MSE([]float64{1, 3}, []float64{0, 1}), 2.5, 0)
	modeltest.Within(t, "relative MSE", RelativeMSE([]float64{1, 3}, []float64{0, 2}), .5, 0)
	mean, se := MeanSE([]float64{1, 2, 3, 6})
	modeltest.Within(t, "mean", mean, 3, 0)
	modeltest.Within(t, "standard error", se, math.Sqrt(14./3/4), 1e-15)
	if _, se := MeanSE([]float64{1}); !math.IsNaN(se) {
		t.Errorf("one replication has standard error %v", se)
	}
}

func TestInterval(t *testing.T) {
	draws := make([]float64, 1001)
	for i := range draws {
		draws[i] = float64((i*8)%1001) / 1000
	}
	lo, hi := Interval(draws, .95)
	modeltest.Within(t, "low end", lo, .025, 1e-12)
	modeltest.Within(t, "high end", hi, .975, 1e-12)
}

// quadrature is the overlap of two normal densities by the midpoint rule, to
// about 1e-6.
func quadrature(m1, s1, m2, s2 float64) float64 {
	const n = 400_000
	lo, hi := min(m1-9*s1, m2-9*s2), max(m1+9*s1, m2+9*s2)
	h, sum := (hi-lo)/n, 0.0
	density := func(x, m, s float64) float64 {
		return math.Exp(-(x-m)*(x-m)/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
	}
	for i := range n {
		x := lo + (float64(i)+.5)*h
		sum += h * min(density(x, m1, s1), density(x, m2, s2))
	}
	return sum
}

func TestNormalOverlap(t *testing.T) {
	modeltest.Within(t, "equal laws", NormalOverlap(3, 2, 3, 2), 1, 1e-12)
	modeltest.Within(t, "one sd apart", NormalOverlap(0, 1, 1, 1), math.Erfc(.5/math.Sqrt2), 1e-12)
	modeltest.Within(t, "far apart", NormalOverlap(0, 1, 100, 2), 0, 1e-12)
	for _, c := range [][4]float64{
		{0, 1, 0, 2}, {0, 2, 0, 1}, {0, 1, 1, 3}, {5, .1, 5.2, .4}, {-1, 3, 2, .5},
		{0, 1, .7, 1 + 1e-9}, {0, 1, -.7, 1 - 1e-9}, {0, 1, 1e-9, 1 + 1e-9},
	} {
		modeltest.Within(t, "overlap", NormalOverlap(c[0], c[1], c[2], c[3]), quadrature(c[0], c[1], c[2], c[3]), 1e-6)
	}
}

// Two exact samples of n draws come as near to 1 as Floor says: .955 for
// n = 500 against 10,000, .98 for 10,000 against 10,000.
func TestFloor(t *testing.T) {
	modeltest.Within(t, "floor of 500", Floor(500, 10_000), .955, .005)
	modeltest.Within(t, "floor of 10,000", Floor(10_000, 10_000), .98, .005)
	if math.IsNaN(Floor(200, 300)) {
		t.Error("the floor is another one the second time")
	}
}

// The kernel estimate of two normal laws is the closed form to within its
// noise and its smoothing, about .01 for 20,000 draws; logarithms make it
// independent of the scale of variances.
func TestOverlapIsThatOfTheLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(m, s float64) []float64 {
		out := make([]float64, 20_000)
		for i := range out {
			out[i] = m + s*r.NormFloat64()
		}
		return out
	}
	for _, c := range [][2]float64{{.5, 1}, {0, 2}, {1, .7}, {3, 1}} {
		x, y := sample(0, 1), sample(c[0], c[1])
		modeltest.Within(t, "overlap", Overlap(x, y), NormalOverlap(0, 1, c[0], c[1]), .015)
		for _, v := range [][]float64{x, y} {
			for i := range v {
				v[i] = math.Exp(1000 * v[i] / 10_000)
			}
		}
		modeltest.Within(t, "overlap of variances", Overlap(Logs(x), Logs(y)), NormalOverlap(0, 1, c[0], c[1]), .015)
	}
	if v := Overlap([]float64{1, 1, 1}, []float64{1, 2, 3}); !math.IsNaN(v) {
		t.Errorf("a sample without width overlaps %v", v)
	}
}

// The estimate from 10,000 draws is off by its noise, of sd .0044 at the mode,
// and by its smoothing, .002 there: .025 is passed by one in 10^5 seeds.
func TestDensity(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = 3 + 2*r.NormFloat64()
	}
	at, f := Density(x)
	area := 0.0
	for i := range at {
		u := (at[i] - 3) / 2
		modeltest.Within(t, "density", f[i], math.Exp(-u*u/2)/(2*math.Sqrt(2*math.Pi)), .025)
		area += f[i] * (at[1] - at[0])
	}
	modeltest.Within(t, "area", area, 1, 1e-4)
	for _, flat := range [][]float64{nil, {2}, {2, 2, 2}} {
		if at, f := Density(flat); at != nil || f != nil {
			t.Errorf("%v has a density", flat)
		}
	}
}
