package repeated

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn returns n values of a distribution.
func drawn(r *rand.Rand, n int, one func() float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = one()
	}
	return y
}

// Responses tell as much as is unlikely about them. What is the same in all rows, or nearly all,
// and what the model knows beforehand tells little.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 80))
	unknown := math.NaN()
	class := func(p float64) func() float64 {
		return func() float64 {
			if r.Float64() < p {
				return 1
			}
			return 0
		}
	}
	tenths := func() float64 { return math.Round(10*r.NormFloat64()) / 10 }
	entropy := -.5*math.Log(2*math.Pi) - .5 // mean log density of N(0, 1)
	for _, c := range []struct {
		name    string
		y       []float64
		density float64
		lo, hi  float64
	}{
		{"one", drawn(r, 1, r.NormFloat64), unknown, 0, 0},
		{"four", drawn(r, 4, r.NormFloat64), unknown, 11, 11.5},
		{"six", drawn(r, 6, r.NormFloat64), unknown, 18, 25},
		{"many", drawn(r, 100, r.NormFloat64), unknown, 40, 40},
		{"constant", drawn(r, 1000, func() float64 { return 20.5 }), -5, 0, 0},
		{"0 of both signs", drawn(r, 1000, func() float64 { return math.Copysign(0, r.NormFloat64()) }), -5, 0, 0},
		{"6 of 96", append(make([]float64, 90), drawn(r, 6, r.NormFloat64)...), unknown, 10, 25},
		{"halves", drawn(r, 20, class(.5)), -math.Ln2, 15, 20},
		{"halves of many", drawn(r, 60, class(.5)), -math.Ln2, 40, 40},
		{"rare", drawn(r, 100, class(.01)), -.056, 0, 8.2},
		{"rare of many", drawn(r, 4000, class(.02)), -.098, 40, 40},
		{"known classes", drawn(r, 100, class(.5)), -.02, 2.8, 2.9},
		{"classes of no prediction yet", drawn(r, 100, class(.5)), unknown, math.NaN(), math.NaN()},
		{"classes of a model without predictions", drawn(r, 100, class(.5)), math.Inf(-1), 40, 40},
		{"tenths", drawn(r, 20, tenths), entropy, 40, 40},
		{"known tenths", drawn(r, 20, tenths), math.Log(9), 3, 3.1},
		{"hundredths of few", []float64{.01, .12, -.45, .3, .77, -1.2, .4}, -1, 24, 32},
		{"large numbers", drawn(r, 20, func() float64 { return 1e9 + 1e6*r.NormFloat64() }), unknown, 40, 40},
	} {
		got := Bits(c.y, c.density)
		if !(got >= c.lo && got <= c.hi) && !(math.IsNaN(c.lo) && math.IsNaN(got)) {
			t.Errorf("%s: %g bits, want %g to %g", c.name, got, c.lo, c.hi)
		}
	}
}

func TestUnit(t *testing.T) {
	for want, y := range map[float64][]float64{
		1: {3, -2, 0, 1e6}, .1: {3, .1, -20.7, 1e5 + .3}, .01: {.5, .01, 17.29}, 1e-4: {20.1, .0003}, 0: {.5, math.Pi},
	} {
		if got := unitOf(y); got != want {
			t.Errorf("%g: the unit is %g, want %g", y, got, want)
		}
	}
}

// Fingerprints are stored: they are the same for ever. Every value, its place and the number of
// values are part of them.
func TestHash(t *testing.T) {
	y := make([]float64, 21)
	for i := range y {
		y[i] = math.Sqrt(float64(i))
	}
	if got := Numbers(y).Number(2.5).Number(math.NaN()).Text("Zürich").Word(9).Print(); got != 0x93574e1a {
		t.Errorf("fingerprint %#x: shards of before are no longer known", got)
	}
	seen := map[uint32]int{}
	note := func(v []float64) {
		seen[Numbers(v).Print()]++
	}
	for n := range len(y) + 1 {
		note(y[:n])
	}
	for i := range y {
		was := y[i]
		for _, v := range []float64{was + 1, -was - 1, math.Nextafter(was, 9)} {
			y[i] = v
			note(y)
		}
		y[i] = was
		for j := range i {
			y[i], y[j] = y[j], y[i]
			note(y)
			y[i], y[j] = y[j], y[i]
		}
	}
	if want := 22 + 3*21 + 21*20/2; len(seen) != want {
		t.Errorf("%d fingerprints of %d lists", len(seen), want)
	}
	for text := range map[string]bool{"": true, "a": true, "b": true, "ab": true, "ba": true, "a\x00": true} {
		print := Hash(0).Text(text).Print()
		if seen[print]++; seen[print] > 1 {
			t.Errorf("%q has the fingerprint of another", text)
		}
	}
}
