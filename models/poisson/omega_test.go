package poisson

import (
	"math"
	"testing"
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
		rows.add(1, y, math.Log(mu), 0)
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
