package normal

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// mixture returns components of any number, padded, of which some are far away.
func mixture(r *rand.Rand, n int) (w, mean, inv []float64) {
	k := Padded(n)
	w, mean, inv = make([]float64, k), make([]float64, k), make([]float64, k)
	for i := range n {
		w[i], mean[i], inv[i] = r.Float64()/float64(n), 3*r.NormFloat64(), math.Exp(r.NormFloat64())
		if i%7 == 6 {
			mean[i] *= 100
		}
	}
	return w, mean, inv
}

// Vectors against the loop, to the bit.
func TestMixedVectors(t *testing.T) {
	best := isa.Best()
	if best == isa.Portable {
		t.Skip("no vectors here")
	}
	defer func() { with = best }()
	r := rand.New(rand.NewPCG(1, 60))
	for n := range 60 {
		w, mean, inv := mixture(r, n)
		for _, at := range []float64{0, math.Copysign(0, -1), 1e-300, r.NormFloat64(), 10 * r.NormFloat64(), 1e300, -1e300, math.NaN()} {
			p, f := Mixed(w, mean, inv, at)
			with = isa.Portable
			q, g := Mixed(w, mean, inv, at)
			with = best
			if math.IsNaN(at) && n > 0 {
				if !math.IsNaN(p) || !math.IsNaN(q) || !math.IsNaN(f[0]) || !math.IsNaN(g[0]) {
					t.Fatalf("%d components at NaN: %v %v, by the loop %v %v", n, p, f, q, g)
				}
			} else if math.Float64bits(p) != math.Float64bits(q) || f != g {
				t.Fatalf("%d components at %v: %v %v, by the loop %v %v", n, at, p, f, q, g)
			}
		}
	}
}

// Mixed against sums of the functions themselves.
func TestMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 61))
	for n := 1; n < 60; n++ {
		w, mean, inv := mixture(r, n)
		at := 3 * r.NormFloat64()
		p, f := Mixed(w, mean, inv, at)
		want, g, scale := 0.0, [5]float64{}, [5]float64{}
		for i := range n {
			u := (at - mean[i]) * inv[i]
			want += w[i] * CDF(u)
			e := w[i] * inv[i] * math.Exp(-0.5*u*u) / math.Sqrt(2*math.Pi)
			for k, he := range [...]float64{1, -u, u*u - 1, -u * (u*u - 3), u*u*u*u - 6*u*u + 3} {
				g[k] += e * he
				scale[k] += e*(1+u*u*u*u) + 1e-2*w[i]*math.Pow(inv[i], float64(k+1)) // the density is 5e-15 from 8 sds on
				e *= inv[i]
			}
		}
		if math.Abs(p-want) > 1e-15 {
			t.Errorf("%d components: %v, want %v", n, p, want)
		}
		for k := range f {
			if math.Abs(f[k]-g[k]) > [...]float64{1e-9, 1e-9, 1e-9, 1e-9, 1e-7}[k]*scale[k] {
				t.Errorf("%d components: derivative %d is %v, want %v", n, k+1, f[k], g[k])
			}
		}
	}
}

// Several points against each alone, and vectors against the loop to the bit.
func TestAtPoints(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 64))
		for n := range 60 {
			w, mean, inv := mixture(r, n)
			at := [Points]float64{r.NormFloat64(), 10 * r.NormFloat64(), -1e300, math.Copysign(0, -1), 0.3, -r.NormFloat64(), 20 * r.NormFloat64(), 1e-3}
			got := AtPoints(w[:n], mean[:n], inv[:n], &at)
			var want [6][Points]float64
			pointsLoop(w[:n], mean[:n], inv[:n], &at, &want)
			if got != want {
				t.Fatalf("%d components: %v, by the loop %v", n, got, want)
			}
			for k, at := range at {
				p, f := Mixed(w, mean, inv, at)
				if math.Abs(got[0][k]-p) > 1e-15 {
					t.Errorf("%d components at %v: %v, alone %v", n, at, got[0][k], p)
				}
				for j, v := range f {
					if math.Abs(got[j+1][k]-v) > 1e-12*(1+math.Abs(v)) {
						t.Errorf("%d components at %v: derivative %d is %v, alone %v", n, at, j+1, got[j+1][k], v)
					}
				}
			}
		}
		at := [Points]float64{math.NaN(), 0, 0, 0, 0, 0, 0, math.NaN()}
		if got := AtPoints([]float64{1}, []float64{0}, []float64{1}, &at); !math.IsNaN(got[0][0]) || got[0][1] != 0.5 {
			t.Errorf("at NaN and 0: %v", got[0])
		}
	})
}

func BenchmarkMixed(b *testing.B) {
	const n = 40
	r := rand.New(rand.NewPCG(1, 62))
	w, mean, inv := mixture(r, n)
	for i := range mean {
		mean[i] = r.NormFloat64()
	}
	for _, name := range []string{"here", "loop"} {
		b.Run(name, func(b *testing.B) {
			was, sum := with, 0.0
			if name == "loop" {
				with = isa.Portable
			}
			defer func() { with = was }()
			for b.Loop() {
				p, _ := Mixed(w, mean, inv, 0.3)
				sum += p
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/component")
		})
		b.Run(name+"/points", func(b *testing.B) {
			was, sum := with, 0.0
			if name == "loop" {
				with = isa.Portable
			}
			defer func() { with = was }()
			at := [Points]float64{-1, -0.3, 0.3, 1, -2, -1.6, 1.6, 2}
			for b.Loop() {
				sum += AtPoints(w, mean, inv, &at)[0][0]
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*Points), "ns/component")
		})
	}
}
