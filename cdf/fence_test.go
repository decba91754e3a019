package cdf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The fence against distances that are sorted: of values equal to each other, of the greatest and
// of the least numbers there are, too.
func TestFence(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := []func() float64{
		r.NormFloat64,
		func() float64 { return float64(r.IntN(5)) },
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return math.Exp(100 * r.NormFloat64()) },
		func() float64 { return float64(r.IntN(20)-10) * math.SmallestNonzeroFloat64 },
		func() float64 { return math.Copysign(math.MaxFloat64, r.NormFloat64()) },
	}
	for trial := range 6000 {
		v := make([]float64, 2+r.IntN(40))
		for i := range v {
			v[i] = draw[trial%len(draw)]()
		}
		slices.Sort(v)
		n := len(v)
		if v[0] == v[n-1] {
			continue
		}
		median, distances, equal := v[(n-1)/2]/2+v[n/2]/2, []float64(nil), 0
		for _, x := range v {
			distances = append(distances, math.Abs(x-median))
			if x == median {
				equal++
			}
		}
		slices.Sort(distances)
		differ := n - equal
		few := 10 / float64(differ)
		want := 8 * distances[max((3*n+3)/4, n-differ/2, equal)-1] * (1 + few*few*few)
		if got := fence(v, median); got != want && math.Abs(got/want-1) > 1e-15 {
			t.Fatalf("fence of %v is %v, want %v", v, got, want)
		}
	}
}
