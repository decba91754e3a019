package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/internal/arithmetic"
)

// laws are draws of many kinds: with ties, with long tails, far from 0, in
// chains that stick, all but all the same, of both signs of 0.
var laws = []func(r *rand.Rand, i int) float64{
	func(r *rand.Rand, _ int) float64 { return r.NormFloat64() },
	func(r *rand.Rand, _ int) float64 { return math.Round(2*r.NormFloat64()) / 2 },
	func(r *rand.Rand, _ int) float64 { return math.Round(8*r.NormFloat64()) / 8 },
	func(r *rand.Rand, _ int) float64 { return math.Exp(40 * r.NormFloat64()) },
	func(r *rand.Rand, _ int) float64 { return 1e9 + r.NormFloat64() },
	func(r *rand.Rand, i int) float64 { return 3*math.Sin(float64(i)/9) + .1*r.NormFloat64() },
	func(r *rand.Rand, i int) float64 { return float64(i / 7) },
	func(r *rand.Rand, i int) float64 { return 5e-324 * float64(r.IntN(4)) },
	func(r *rand.Rand, i int) float64 { return 1.7e308 * math.Copysign(r.Float64(), r.Float64()-.5) },
	func(r *rand.Rand, i int) float64 { return math.Copysign(float64(r.IntN(2)), r.Float64()-.5) },
	func(*rand.Rand, int) float64 { return 4 },
	// Beside the distance from one that is far, the others have the same.
	func(r *rand.Rand, i int) float64 { return r.NormFloat64() - 1e300*float64(i/11%2) },
	func(r *rand.Rand, i int) float64 { return 1 + float64(r.IntN(1000))*0x1p-52 + float64(i/40) },
}

// One sort gives the bits that the definitions give: of chains of odd length, of few
// draws and of many, and of many sizes one after the other.
func TestRanksOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var d, fresh Diagnostics
	for k := range 60 * len(laws) {
		chains, n := 1+r.IntN(4), 1+r.IntN(60)
		if k >= 50*len(laws) {
			n += r.IntN(300)
		}
		if k >= 60*len(laws)-3 {
			n += 1500 // more than a network sorts
		}
		x := make([]float64, chains*n)
		for i := range x {
			x[i] = laws[k%len(laws)](r, i)
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		ranked := d.Rank(x, chains)
		if !slices.Equal(ranked.Sorted(), sorted) {
			t.Fatalf("sorted %v, want %v", ranked.Sorted(), sorted)
		}
		want, v := plain{}.diagnosed(x, chains), ranked.Judge()
		for _, got := range [][4]float64{
			{ranked.RHat(), ranked.ESSBulk(), ranked.ESSTail(), fresh.ESSMean(x, chains)},
			{v.RHat, v.ESSBulk, v.ESSTail, d.ESSMean(x, chains)},
			{d.RHat(x, chains), d.ESSBulk(x, chains), d.ESSTail(x, chains), d.ESSMean(x, chains)},
		} {
			for i, v := range got {
				same := math.Float64bits(v) == math.Float64bits(want[i]) || math.IsNaN(v) && math.IsNaN(want[i])
				if !same && !(arithmetic.Fuses() && math.Abs(v-want[i]) <= 1e-11*math.Abs(want[i])) {
					t.Fatalf("law %d, %d chains of %d: %v, want %v", k%len(laws), chains, n, got, want)
				}
			}
		}
	}
}

func TestRanksAllocateNothing(t *testing.T) {
	x := make([]float64, 400)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	var d Diagnostics
	d.Rank(x, 4).RHat()
	d.Rank(x, 4).ESSTail()
	if n := testing.AllocsPerRun(20, func() {
		r := d.Rank(x, 4)
		_ = r.Judge().RHat + r.RHat() + r.MCSEQuantile(.9)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// All of a variable's diagnostics from one sort, and from one for each.
func BenchmarkDiagnostics(b *testing.B) {
	for _, s := range []int{500, 4000} {
		x := make([]float64, s)
		r := rand.New(rand.NewPCG(5, 2))
		for i := range x {
			x[i] = r.NormFloat64()
		}
		var d Diagnostics
		sink := 0.0
		b.Run(fmt.Sprintf("once/%d", s), func(b *testing.B) {
			for b.Loop() {
				k := d.Rank(x, 4)
				v := k.Judge()
				sink += k.Sorted()[0] + v.RHat + v.ESSBulk + v.ESSTail
			}
		})
		b.Run(fmt.Sprintf("each/%d", s), func(b *testing.B) {
			for b.Loop() {
				sink += d.Rank(x, 4).Sorted()[0] + d.RHat(x, 4) + d.ESSBulk(x, 4) + d.ESSTail(x, 4)
			}
		})
	}
}
