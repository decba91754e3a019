package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// omega is the root to the last digits, about knots and between them, and where
// it is a series or an iteration.
func TestOmega(t *testing.T) {
	for l := -40.0; l < 60; l += 0.0173 {
		x := omega(l)
		// An error of x moves x + log x by (1 + 1/x) of it.
		if miss := (x + math.Log(x) - l) / (1 + x); math.Abs(miss) > 1e-15*(1+math.Abs(l)) {
			t.Errorf("omega(%g) = %v is off by %g of it", l, x, miss)
		}
	}
	for _, l := range []float64{1e3, 1e6, 1e12} {
		if x := omega(l); math.Abs(x+math.Log(x)-l) > 1e-15*l {
			t.Errorf("omega(%g) = %v", l, x)
		}
	}
	if x := omega(-1000); x != 0 {
		t.Errorf("omega(-1000) = %v, which is below every number", x)
	}
}

// laplace is Laplace's method with its next term for a count at a rate, relative
// to that of a Poisson count; the mode comes from bisection.
func laplace(y, mu, s2 float64) float64 {
	m := math.Log(mu) - s2/2
	low, high := -700., 700.
	for range 100 {
		t := (low + high) / 2
		if y-math.Exp(m+t)-t/s2 > 0 {
			low = t
		} else {
			high = t
		}
	}
	t := (low + high) / 2
	r := math.Exp(m + t)
	a := r + 1/s2
	return y*(t-0.5*s2) - (r - mu) - 0.5*t*t/s2 + (5*r*r/(24*a)-0.125*r)/(a*a) - 0.5*math.Log1p(s2*r)
}

// The likelihood of s2e is that of Laplace's method at the exact mode: rare and
// frequent counts, such that are out of all proportion, no effects and large ones.
func TestModeOfARow(t *testing.T) {
	for _, c := range [][2]float64{
		{0, 1e-6}, {0, .05}, {1, .05}, {500, .05}, {0, 2.7}, {3, 2.7}, {500, 2.7}, {30, 40}, {9800, 1e4}, {0, 1e4}, {1e4, 3}, {0, 1e12},
	} {
		y, mu := c[0], c[1]
		var rows rowsLike
		var like rowLike
		rows.reset()
		rows.add(1, y, math.Log(mu), 0, 0, 0)
		rows.total(&like)
		for k, got := range like {
			s2 := overNode(k)
			want := laplace(y, mu, s2)
			if s2*max(mu, y, 1) < overSlight {
				want = 0.5 * s2 * ((y-mu)*(y-mu) - y)
			}
			// Both sums are of terms as large as y log mu.
			if limit := 1e-12 * (1 + mu + y*math.Abs(math.Log(mu/max(y, 1)))); math.Abs(got-want) > limit {
				t.Errorf("count %g at rate %g, s2e %g: %v, want %v", y, mu, s2, got, want)
			}
		}
	}
}

// The rate of a row with its own effect is the root of its equation, for small and
// large variances, and finite far from the fit.
func TestRateOfARow(t *testing.T) {
	for _, s2 := range []float64{1e-7, .01, .5, 3, 10, 16} {
		for _, y := range []float64{0, 1, 9, 500, 1e4, 1e15} {
			for k, mean := range []float64{-30, -5, -1, 0, 1, 4, 9, 30} {
				f := fit{s2e: s2, rows: &rowStats{y: []float64{y}}}
				lift := []float64{0, .05, .5, 2}[k%4]
				rate, curvature, lifted := f.rate(0, mean, lift)
				left := func(l float64) float64 {
					r := math.Exp(l)
					return l - (mean - s2/2) - s2*(y-r) - 0.5*s2/(1+s2*r) - lift/((1+s2*r)*(1+s2*r))
				}
				low, high := -800.0, 800.0
				for range 100 {
					if mid := (low + high) / 2; left(mid) < 0 {
						low = mid
					} else {
						high = mid
					}
				}
				want := math.Exp((low + high) / 2)
				if math.Abs(rate/want-1) > 1e-9 || math.Abs(curvature*(1+s2*want)/want-1) > 1e-9 {
					t.Errorf("count %g about e^%g and %g, s2e %g: rate %v and curvature %v, want %v", y, mean, lift, s2, rate, curvature, want)
				}
				if x := s2 * want; math.Abs(lifted-(mean+lift/((1+x)*(1+x)))) > 1e-9*(1+math.Abs(mean)) {
					t.Errorf("count %g about e^%g and %g, s2e %g: lifted to %v", y, mean, lift, s2, lifted)
				}
			}
		}
	}
}

// A shard of which the first steps are far off and the variance large has a fit.
func TestRateKeepsTheFit(t *testing.T) {
	m := newTest(t, Defaults(), []string{"intercept", "x"}, "g")
	d := modeltest.Stepper{Model: m}
	d.Must(t, &cdf.Shard{
		Rows: 10, Cols: 2,
		X: []float64{1, -1.045, 1, -0.0256, 1, -1.16, 1, 0.188, 1, -0.0103, 1, -0.304, 1, 0.591, 1, 1.386, 1, -1.762, 1, 0.855},
		Y: []float64{2, 5, 0, 3, 4, 0, 0, 0, 0, 0}, Group: [][]int32{{0, 0, 2, 3, 4, 4, 3, 1, 4, 4}},
	}, 1)
	if s2 := m.over.s2; !(s2 > 1 && s2 < 4) {
		t.Errorf("s2e is %g, want some 1.9", s2)
	}
}
