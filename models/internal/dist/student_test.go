package dist

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// studentTail integrates the density beyond x > 0 by Simpson's rule, where it is lighter
// than that of 29 degrees of freedom.
func studentTail(x, df float64) float64 {
	const h, cells = 1. / 256, 256 * 40
	scale := StudentLogScale(df)
	sum := 0.0
	for i := range cells + 1 {
		w := 2 + 2*float64(i%2)
		if i == 0 || i == cells {
			w = 1
		}
		u := x + float64(i)*h
		sum += w * math.Exp(scale-(df+1)/2*math.Log1p(u*u/df))
	}
	return sum * h / 3
}

// The quick distribution function against the incomplete beta function, and its tails, of
// which that keeps few digits, against the integral of the density.
func TestQuickStudentCDF(t *testing.T) {
	for _, df := range []float64{3, 29.9, 30, 50, 130, 1000, 3e4} {
		for x := -7.; x <= 7; x += 1. / 8 {
			got, want := QuickStudentCDF(x, df), StudentCDF(x, df)
			if !(math.Abs(got-want) < 2e-11) {
				t.Errorf("P(T <= %v) of %v degrees of freedom is %v, want %v", x, df, got, want)
			}
			if df < Plentiful || x >= 0 {
				continue
			}
			if tail := studentTail(-x, df); tail > 1e-12 && !(math.Abs(got/tail-1) < 3e-8) {
				t.Errorf("P(T <= %v) of %v degrees of freedom is %v, by the integral %v", x, df, got, tail)
			}
		}
	}
	if got := QuickStudentCDF(math.NaN(), 100); !math.IsNaN(got) {
		t.Errorf("of no number %v", got)
	}
}

func BenchmarkStudentCDF(b *testing.B) {
	for name, cdf := range map[string]func(t, df float64) float64{"beta": StudentCDF, "quick": QuickStudentCDF} {
		b.Run(name, func(b *testing.B) {
			sum := 0.0
			for i := range b.N {
				sum += cdf(float64(i%7)/2-1, 800)
			}
			if math.IsNaN(sum) {
				b.Fatal(sum)
			}
		})
	}
}

func TestStudentMeanLog(t *testing.T) {
	for _, df := range []float64{.1, 1, 2.5, 7, 15.9, 16.1, 40, 1e3, 1e7} {
		want := mathext.Digamma((df+1)/2) - mathext.Digamma(df/2)
		if got := StudentMeanLog(df); math.Abs(got-want) > 1e-7*want+1e-14 {
			t.Errorf("%g degrees of freedom: %g, want %g", df, got, want)
		}
	}
}
