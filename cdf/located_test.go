package cdf_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// constantsOf returns the centre and scale of x in a key's only shard.
func constantsOf(t *testing.T, x []float64) (center, scale float64) {
	t.Helper()
	spec, _, _ := recording(cdf.Roles{Scaling: "first", Intercept: true, Features: []cdf.Feature{{Name: "x"}}})
	for _, c := range take(t, cdf.NewFilter(spec, "k"), batch(num("x", x...), num("y", make([]float64, len(x))...))).Scaling {
		if c.Column == "x" {
			return c.Center, c.Scale
		}
	}
	return 0, 1
}

// meanSD is an independent computation.
func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}

func drawn(n int, draw func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = draw()
	}
	return x
}

// The constants of normal values are their mean and sd: in 20,000 samples each
// of 5, 6, 8, 10, 15, 20, 30 and 50 none had a value beyond the fence, of four
// two. Ten samples of each size are checked here.
func TestConstantsOfOrdinaryValues(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 1))
	for _, n := range []int{2, 3, 10, 20, 50, 400} {
		for range 10 {
			x := drawn(n, r.NormFloat64)
			mean, sd := meanSD(x)
			c, s := constantsOf(t, x)
			if math.Abs(c-mean) > 1e-12 || math.Abs(s-sd) > 1e-12 {
				t.Fatalf("%d values: %g, %g, want %g, %g", n, c, s, mean, sd)
			}
		}
	}
}

// A fifth of the values may be anything, from five values on: what is far has
// no say, what is near the fence a bounded one.
func TestConstantsStandOutliers(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 2))
	for _, n := range []int{5, 10, 20, 50, 200} {
		for range 10 {
			x := drawn(n, r.NormFloat64)
			mean, sd := meanSD(x[n/5:])
			for i := range n / 5 {
				x[i] = 1e4 * float64(1+i%3) * float64(1-2*(i%2))
			}
			if c, s := constantsOf(t, x); math.Abs(c-mean) > 1e-12 || math.Abs(s-sd) > 1e-12 {
				t.Fatalf("%d of %d values are wild: %g, %g, want %g, %g", n/5, n, c, s, mean, sd)
			}
		}
	}
	worst := 0.
	for far := 2.; far < 1e3; far *= 1.02 {
		x := drawn(50, r.NormFloat64)
		for i := range 10 {
			x[i] = far
		}
		_, s := constantsOf(t, x)
		worst = max(worst, s)
	}
	if worst > 8 || worst < 2 {
		t.Errorf("ten of 50 values make the scale %g, want at most 8", worst)
	}
}

// The same rows in another order give the same bits, in one shard or in many.
func TestConstantsDoNotKnowTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 3))
	x := drawn(60, func() float64 { return 1e5 + math.Exp(2*r.NormFloat64()) })
	c, s := constantsOf(t, x)
	for range 20 {
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		if c2, s2 := constantsOf(t, x); c2 != c || s2 != s {
			t.Fatalf("%g, %g and in another order %g, %g", c, s, c2, s2)
		}
	}
	for i, v := range x {
		x[i] = -v
	}
	if c2, s2 := constantsOf(t, x); math.Abs(c2+c) > 1e-15*c || math.Abs(s2-s) > 1e-12*s {
		t.Errorf("%g, %g and of the negatives %g, %g", c, s, c2, s2)
	}
}

func TestConstantsOfOddColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 4))
	sparse := func(n int, values ...float64) []float64 { return append(make([]float64, n-len(values)), values...) }
	exponential := drawn(50, func() float64 { return max(0, r.ExpFloat64()-1.2) }) // 70 % zeros
	offset := drawn(50, func() float64 { return 1e9 + r.NormFloat64() })
	coarse := drawn(50, func() float64 { return math.Round(r.NormFloat64()) })
	huge := slices.Repeat([]float64{1e200, -1e200, 5e199, 0, -3e199}, 10)
	least := []float64{-5e-324, -5e-324, -1e-323, -5e-324, -5e-324, -5e-324}
	tiny := drawn(50, func() float64 { return 1e-300 * r.NormFloat64() })
	for _, c := range []struct {
		name string
		x    []float64
		of   []float64 // whose mean and sd are wanted, nil: centre x[0], scale 1
	}{
		{"one row", []float64{7}, nil},
		{"constant", slices.Repeat([]float64{.1}, 50), nil},
		{"zeros and ones", append(make([]float64, 49), 1), []float64{}},
		{"one value differs", sparse(50, 1e4), sparse(50, 1e4)},
		{"two values differ, one by far", sparse(50, 1, 1e4), sparse(49, 1)},
		{"ten counts, two of them by far", sparse(50, 1, 1, 2, 1, 3, 1, 1, 2, 1e4, 1e4), sparse(48, 1, 1, 2, 1, 3, 1, 1, 2)},
		{"sparse and skewed", exponential, exponential},
		{"large offset", offset, offset},
		{"ties", coarse, coarse},
		{"three rows, one by far", []float64{0, 1, 1e4}, []float64{0, 1, 1e4}},
		{"subnormal squares", tiny, nil},
		{"subnormal values", least, nil},
		{"overflowing squares", huge, nil},
	} {
		center, scale := 0., 1.
		switch {
		case c.name == "overflowing squares":
			spec, _, _ := recording(cdf.Roles{Scaling: "first", Features: []cdf.Feature{{Name: "x"}}})
			if _, err := cdf.NewFilter(spec, "k").Update(batch(num("x", c.x...), num("y", make([]float64, len(c.x))...))); err == nil {
				t.Errorf("%s: no error", c.name)
			}
			continue
		case c.name == "subnormal squares":
			if _, s := constantsOf(t, c.x); s != 1 {
				t.Errorf("%s: scale %g", c.name, s)
			}
			continue
		case c.of == nil:
			center = c.x[0]
		case len(c.of) > 0:
			center, scale = meanSD(c.of)
		}
		if m, s := constantsOf(t, c.x); math.Abs(m-center) > 1e-14*math.Abs(center)+1e-12 || math.Abs(s/scale-1) > 1e-6 {
			t.Errorf("%s: %g, %g, want %g, %g", c.name, m, s, center, scale)
		}
	}
}

// A response whose variance is beneath all numbers is refused, with what to do: it was taken for constant, and its intervals were 1e198 times too wide.
// One that is constant is not, whatever it is, and neither is one beside values that are far off.
func TestTinyResponses(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 9))
	spec, _, _ := recording(cdf.Roles{Scaling: "first", Intercept: true, Features: []cdf.Feature{}})
	for _, unit := range []float64{1, 1e-100, 1e-150, 1e-155, 1e-160, 1e-170, 1e-200, 1e-300} {
		y := drawn(50, func() float64 { return unit * (3 + r.NormFloat64()) })
		_, err := cdf.NewFilter(spec, "k").Update(batch(num("y", y...)))
		refused := errors.Is(err, cdf.ErrNumeric) && strings.Contains(err.Error(), `"y"`) && strings.Contains(err.Error(), "another unit")
		if refused != (unit < 1e-154) || !refused && err != nil {
			t.Errorf("unit %g: %v", unit, err)
		}
		y[7] = 1
		if _, err := cdf.NewFilter(spec, "k").Update(batch(num("y", y...))); err != nil {
			t.Errorf("unit %g, one value of 1: %v", unit, err)
		}
		if _, err := cdf.NewFilter(spec, "k").Update(batch(num("y", slices.Repeat([]float64{unit}, 50)...))); err != nil {
			t.Errorf("%g in all rows: %v", unit, err)
		}
	}
}
