package tails

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Normal scores of moments are those of scipy's skewtest and kurtosistest.
func TestScoresOfMoments(t *testing.T) {
	moments := func(numbers ...float64) (skewness, kurtosis float64) {
		var s Sample
		for _, v := range numbers {
			s.Add(v)
		}
		return s.moments()
	}
	up, _ := moments(1, 2, 3, 4, 5, 6, 7, 8000)
	mixed, _ := moments(2, 8, 0, 4, 1, 9, 9, 0)
	var line []float64
	for i := range 20 {
		line = append(line, float64(i))
	}
	_, flat := moments(line...)
	for _, c := range []struct{ got, want float64 }{
		{skewnessScore(up, 8), 3.571773510360407},
		{skewnessScore(mixed, 8), .44626385374196975},
		{kurtosisScore(flat, 20), -1.7058104152122062},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%.12g, want %.12g", c.got, c.want)
		}
	}
}

// Normal samples are called odd in one of 1,000 at most, and others by how far they are from normal; what is little is not told, however sure
// it is, and neither is a law with lighter tails.
func TestOdd(t *testing.T) {
	r := rand.New(rand.NewPCG(126, 1))
	for _, c := range []struct {
		name        string
		draw        func() float64
		n, samples  int
		least, most float64
	}{
		{"normal", r.NormFloat64, 20, 20_000, 0, .001},
		{"normal", r.NormFloat64, 50, 20_000, 0, .001},
		{"normal", r.NormFloat64, 1000, 2000, 0, .001},
		{"normal, of another mean and sd", func() float64 { return .4 + 1.5*r.NormFloat64() }, 100, 10_000, 0, .001},
		{"exponential", r.ExpFloat64, 100, 500, .9, 1},
		{"exponential, below", func() float64 { return -r.ExpFloat64() }, 100, 500, .9, 1},
		{"Laplace", func() float64 { return float64(2*r.IntN(2)-1) * r.ExpFloat64() }, 500, 200, .9, 1},
		{"hardly skewed", func() float64 { return r.NormFloat64() + .4*r.ExpFloat64() }, 20_000, 20, 0, 0},
		{"uniform", r.Float64, 500, 200, 0, 0},
	} {
		odd := 0
		for range c.samples {
			var s Sample
			for range c.n {
				s.Add(c.draw())
			}
			if s.Odd() {
				odd++
			}
		}
		if part := float64(odd) / float64(c.samples); part < c.least || part > c.most {
			t.Errorf("%s, %d numbers: %g of the samples are odd, want %g to %g", c.name, c.n, part, c.least, c.most)
		}
	}
	var none Sample
	for range 2 * leastSample {
		if none.Add(1); none.Odd() {
			t.Error("numbers that are all the same are odd")
		}
	}
	if none.Add(math.NaN()); none.Odd() {
		t.Error("what is no number is odd")
	}
}
