package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// Each chain's sums are those of its draws one after the other, to the bit: of all lengths, of any
// alignment, of numbers of all sizes and of NaN and infinities, and of more rows than a call takes.
func TestChains(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 62))
		for k := range 300 {
			n, large := 1+k%75, 0
			if k == 299 {
				n = 1<<11 + 3
			}
			x := random(r, 8*n+k%5)[k%5:]
			for i := range x {
				switch {
				case k%7 == 1:
					large = 600
					x[i] = math.Ldexp(x[i], r.IntN(2*large)-large)
				case k%7 == 2 && r.IntN(30) == 0:
					x[i] = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
				case k%7 == 3:
					x[i] = float64(r.IntN(2))
				}
			}
			before := append([]float64(nil), x...)
			var mean, variance Eight
			ChainMoments(x, &mean, &variance)
			sums := ChainLags(x, &mean)
			lag := r.IntN(n)
			on := ChainLagsOn(x, lag)
			for c := range 8 {
				chain := make([]float64, n)
				var want, square, rest float64
				for i := range chain {
					chain[i] = before[8*i+c]
					want += chain[i]
				}
				want /= float64(n)
				for _, v := range chain {
					d := v - want
					square += float64(d * d)
					rest += d
				}
				same(t, "mean", mean[c], want+rest/float64(n))
				same(t, "variance", variance[c], (square-float64(rest*rest)/float64(n))/float64(n-1))
				for i := range chain {
					chain[i] -= mean[c]
					same(t, "a distance", x[8*i+c], chain[i])
				}
				at := func(lag int) (sum float64) {
					for i := lag; i < n; i++ {
						sum += float64(chain[i] * chain[i-lag])
					}
					return sum
				}
				for lag := range sums {
					same(t, fmt.Sprintf("%d draws at lag %d", n, lag), sums[lag][c], at(lag))
				}
				for i := range on {
					same(t, fmt.Sprintf("%d draws at lag %d, later", n, lag+i), on[i][c], at(lag+i))
				}
			}
		}
	})
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// Keys are distances and numbers, and extremes those of all entries.
func TestDistanceKeys(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 63))
		for n := 1; n < 200; n++ {
			x, keys := random(r, n+n%3)[n%3:], make([]float64, n)
			x[r.IntN(n)] *= 10
			center := x[r.IntN(n)]
			DistanceKeys(keys, x, center, 255)
			least, greatest := math.Inf(1), math.Inf(-1)
			for i, v := range x {
				same(t, "a key", keys[i], math.Float64frombits(math.Float64bits(math.Abs(v-center))&^255|uint64(i)))
				least, greatest = min(least, v), max(greatest, v)
			}
			low, high := Extremes(x)
			same(t, "the least", low, least)
			same(t, "the greatest", high, greatest)
		}
	})
}

func BenchmarkChains(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 64))
	x := random(r, 8*250)
	for set := range isa.AVX512 + 1 {
		var mean, variance Eight
		b.Run(fmt.Sprintf("moments/%s", set), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				ChainMoments(x, &mean, &variance)
			}
		})
		b.Run(fmt.Sprintf("lags/%s", set), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				ChainLags(x, &mean)
			}
		})
		b.Run(fmt.Sprintf("on/%s", set), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				ChainLagsOn(x, 4)
			}
		})
	}
}
