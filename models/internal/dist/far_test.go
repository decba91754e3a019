package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Values of the law that is assumed, some of them known badly, have a far one in one of 1,000 sets.
func TestNoneIsFar(t *testing.T) {
	var f FarValues
	for _, c := range []struct {
		n    int
		sd   float64
		wide float64 // the most that a variance is above the least, a factor
	}{{6, 1, 1}, {10, 1, 1}, {10, 1, 100}, {30, 1, 100}, {30, 0, 100}, {100, 1, 1}, {1000, .3, 30}} {
		const sets = 6000
		found := 0
		r := rand.New(rand.NewPCG(uint64(c.n), 89))
		x, v := make([]float64, c.n), make([]float64, c.n)
		for range sets {
			for i := range x {
				v[i] = .1 * math.Pow(c.wide, r.Float64())
				x[i] = 1e6 + math.Sqrt(c.sd*c.sd+v[i])*r.NormFloat64()
			}
			if len(f.Far(c.n, c.sd*c.sd+.1, func(i int) (float64, float64) { return x[i], v[i] })) > 0 {
				found++
			}
		}
		t.Logf("%+v: %d of %d", c, found, sets)
		if found > 24 { // of 6 expected: less than once in a million
			t.Errorf("%+v: far values in %d of %d sets", c, found, sets)
		}
	}
}

// Values that are far are found, also beside others that are, and no more.
func TestFar(t *testing.T) {
	var f FarValues
	r := rand.New(rand.NewPCG(1, 90))
	for _, far := range [][]float64{{8}, {8, 8}, {-12, 9, 9}, {20, 10, -9, 9, 9, -8, 8, 8, 8}} {
		ok := 0
		for range 100 {
			x := make([]float64, 100)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			want := r.Perm(100)[:len(far)]
			for k, i := range want {
				x[i] = far[k]
			}
			got := slices.Clone(f.Far(100, 9, func(i int) (float64, float64) { return x[i], .01 }))
			slices.Sort(got)
			slices.Sort(want)
			if slices.Equal(got, want) {
				ok++
			}
		}
		if ok < 97 {
			t.Errorf("%v: found in %d of 100 sets", far, ok)
		}
	}
	if got := f.Far(5, 1, func(i int) (float64, float64) { return float64(i * i * i * i), 0 }); got != nil {
		t.Errorf("%v of five", got)
	}
	same := func(int) (float64, float64) { return 3, 0 }
	if got := f.Far(20, 1, same); len(got) > 0 {
		t.Errorf("%v of twenty that are one", got)
	}
}

func BenchmarkFar(b *testing.B) {
	var f FarValues
	r := rand.New(rand.NewPCG(1, 91))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	b.ReportAllocs()
	for b.Loop() {
		f.Far(len(x), 1, func(i int) (float64, float64) { return x[i], .1 })
	}
}
