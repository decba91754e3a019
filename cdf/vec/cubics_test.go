package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// stepped is a function with a jump, slopes and bends, of which rows beyond first and last are
// not to be read.
func stepped(r *rand.Rand, first, last int) *Cubics {
	c := &Cubics{Rows: make([][4]float64, last+3), Low: -3, Cells: 1 / .37, First: first, Last: last}
	for i := range c.Rows {
		for k := range c.Rows[i] {
			c.Rows[i][k] = r.NormFloat64()
		}
		if i < first || i > last {
			c.Rows[i] = [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
		}
	}
	return c
}

// somewhere returns components, some far away and some that are no numbers.
func somewhere(r *rand.Rand, n int) (w, loc, inv []float64) {
	w, loc, inv = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range w {
		w[i], loc[i], inv[i] = r.Float64(), 10*r.NormFloat64(), math.Exp(r.NormFloat64())
		switch r.IntN(40) {
		case 0:
			loc[i] *= 1e300
		case 1:
			inv[i] = math.Inf(1)
		}
	}
	return w, loc, inv
}

// Vectors against the loop, to the bit, and that against sums of the polynomials themselves.
func TestCubics(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 68))
		for trial := range 400 {
			first := r.IntN(4)
			c := stepped(r, first, first+1+r.IntN(40))
			w, loc, inv := somewhere(r, trial%70)
			for _, y := range []float64{0, 3 * r.NormFloat64(), 30 * r.NormFloat64(), 1e300, math.Inf(-1), math.NaN()} {
				got, here := c.Mixed(w, loc, inv, y), with
				with = isa.Portable
				if want := c.Mixed(w, loc, inv, y); fmt.Sprint(got) != fmt.Sprint(want) { // NaN is NaN
					t.Fatalf("%d components at %v: %v, by the loop %v", len(w), y, got, want)
				}
				with = here
				var want, size [3]float64
				least := math.Inf(1)
				for i := range w {
					u := ((y-loc[i])*inv[i] - c.Low) * c.Cells
					if !(u > float64(c.First)) {
						u = float64(c.First)
					}
					u = min(u, float64(c.Last))
					d, a := u-math.Floor(u), c.Rows[int(u)]
					least = min(least, a[0])
					by := inv[i] * c.Cells
					for k, f := range [3]float64{
						a[0] + d*a[1] + d*d*a[2] + d*d*d*a[3],
						by * (a[1] + 2*d*a[2] + 3*d*d*a[3]),
						by * by * (2*a[2] + 6*d*a[3]),
					} {
						if k > 0 && math.IsInf(inv[i], 0) {
							f = 0
						}
						want[k] += w[i] * f
						size[k] += w[i] * (math.Pow(by, float64(k)) + math.Abs(f))
					}
				}
				infinite := math.IsInf(size[1], 0)
				for k, v := range [3]float64{got.P, got.Density, got.Slope} {
					if (k == 0 || !infinite) && math.Abs(v-want[k]) > 1e-9*size[k] {
						t.Fatalf("%d components at %v: derivative %d is %v, want %v", len(w), y, k, v, want[k])
					}
				}
				if got.Least != least {
					t.Fatalf("%d components at %v: the least is %v, want %v", len(w), y, got.Least, least)
				}
			}
		}
	})
}

func BenchmarkCubics(b *testing.B) {
	const n = 340
	r := rand.New(rand.NewPCG(1, 69))
	c := stepped(r, 0, 1280)
	c.Low, c.Cells = -40, 16
	w, loc, inv := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range w {
		w[i], loc[i], inv[i] = r.Float64(), r.NormFloat64(), 1+r.Float64()
	}
	for _, name := range []string{"here", "loop"} {
		b.Run(name, func(b *testing.B) {
			was, sum := with, 0.0
			if name == "loop" {
				with = isa.Portable
			}
			defer func() { with = was }()
			for b.Loop() {
				sum += c.Mixed(w, loc, inv, 0.3).P
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/component")
		})
	}
}
