package rnd

import (
	"math"
	"math/big"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// The polynomials against the functions, to the ends of their pieces.
func TestSingles(t *testing.T) {
	c, r, worst := single(), source(700), [3]float64{}
	for range 200_000 {
		even := r.Uint32() >> r.IntN(31)
		e := -math.Log(float64(even&c.low|c.odd) / (1 << 31))
		worst[0] = max(worst[0], math.Abs(float64(c.exponential(even))-e)/max(e, 1))
		mean := float32(-4.75 + 7.5*r.Float64())
		l := logTail(-float64(mean))
		worst[1] = max(worst[1], math.Abs(float64(c.tail(mean))-l)/max(l, 1))
		y := float32(math.Ldexp(pointLeast*(1+r.Float64()), r.IntN(singlePieces)))
		worst[2] = max(worst[2], math.Abs(logTail(float64(c.at(y)))/float64(y)-1))
	}
	if worst[0] > 2e-7 || worst[1] > 2e-7 || worst[2] > 1e-6 {
		t.Errorf("-log u off by %.2g, L by %.2g, its inverse by %.2g relative", worst[0], worst[1], worst[2])
	}
	for _, mean := range []float32{math.Nextafter32(2.75, 3), 3, 9, float32(math.Inf(1))} {
		if c.tail(mean) != 0 {
			t.Errorf("L(%v) is %v, want 0", -mean, c.tail(mean))
		}
	}
}

// The law of a draw above a is that of e with the values of all u: its distance from the normal law, of which 1/1024 at most is left
// to rare, at as many u.
func TestLawOfSingles(t *testing.T) {
	c := single()
	for a, bound := range map[float64]float64{-50: 3e-7, -2.7: 3e-7, -1.3: 3e-7, 0: 3e-7, 1: 6e-7, 2.2: 1e-6, 4.6: 3e-6} {
		worst, f := 0.0, truncCDF(a, math.Inf(1))
		for i := range 200_000 {
			even := uint32(i)<<13 | 0xfff
			if y := c.exponential(even) + c.tail(float32(-a)); y >= c.least {
				worst = max(worst, math.Abs(1-f(float64(c.at(y)))-float64(even&c.low|c.odd)/(1<<31)))
			}
		}
		if worst > bound {
			t.Errorf("above %v: the distribution function is off by %.2g", a, worst)
		}
	}
}

// Sums that double precision leaves halfway between two numbers of single precision are rounded by what it dropped.
func TestFMA(t *testing.T) {
	r, halfway := source(710), 0
	check := func(x, y, z float32) {
		exact := new(big.Float).SetPrec(400).SetFloat64(float64(x) * float64(y))
		exact.Add(exact, big.NewFloat(float64(z)))
		want, _ := exact.Float32()
		if got := fma(x, y, z); got != want {
			t.Errorf("%v*%v + %v is %v, want %v", x, y, z, got, want)
		}
		if b := math.Float64bits(float64(x)*float64(y) + float64(z)); b&(1<<29-1) == 1<<28 {
			halfway++
		}
	}
	sign := func() float32 { return float32(1 - 2*r.IntN(2)) }
	for range 50_000 {
		x, y, z := float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())
		check(x, y, z)
		// Just beside halfway between a number and the next, by less than double precision has.
		tie := sign() * (1 + float32(r.IntN(1<<23))*0x1p-23)
		check(tie*0x1p-12*sign(), (1+float32(r.IntN(3)-1)*0x1p-23)*0x1p-12, float32(math.Ldexp(float64(tie), r.IntN(40)-10)))
		check(sign()*(0x1p-24+float32(r.IntN(3)-1)*0x1p-47), 1+float32(r.IntN(3)-1)*0x1p-23, tie)
	}
	if halfway < 100 {
		t.Errorf("%d sums were halfway", halfway)
	}
}

// A number of single precision may be just the bound, of which no draw is left.
func TestNoDrawOfNothing(t *testing.T) {
	for set := range isa.AVX512 + 1 {
		t.Run(set.String(), func(t *testing.T) {
			isatest.Use(t, &with, set)
			l, r, x := seeded(720), source(721), make([]float64, 1024)
			for range 8000 {
				for i := range x {
					x[i] = -2.25
				}
				l.Positive(r, x)
				for _, v := range x {
					if !(v > 0) {
						t.Fatalf("a draw of %v", v)
					}
				}
			}
		})
	}
}
