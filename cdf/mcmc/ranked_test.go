package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scored are the normal scores of the ranks by their definition: a rank is the
// number of draws below, half of those that are equal, and a half.
func scored(x []float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		rank := .5
		for _, u := range x {
			if u < v {
				rank++
			} else if u == v {
				rank += .5
			}
		}
		z[i] = math.Sqrt2 * math.Erfinv(2*(rank-.375)/(float64(len(x))+.25)-1)
	}
	return z
}

// One sort gives the bits that ranks by their definition give: with ties, with
// chains of odd length, of few draws, and many sizes one after the other.
func TestRanksOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	var d, fresh Diagnostics
	for range 200 {
		chains, n := 1+r.IntN(4), 1+r.IntN(60)
		x := make([]float64, chains*n)
		grid := []float64{0, 2, 8}[r.IntN(3)]
		for i := range x {
			if x[i] = r.NormFloat64(); grid > 0 {
				x[i] = math.Round(x[i]*grid) / grid
			}
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		ranked := d.Rank(x, chains)
		if !slices.Equal(ranked.Sorted(), sorted) {
			t.Fatalf("sorted %v, want %v", ranked.Sorted(), sorted)
		}
		split, parts := fresh.halves(x, chains)
		split = slices.Clone(split)
		bulk := scored(split)
		var fold []float64
		for _, v := range x {
			fold = append(fold, math.Abs(v-Quantile(sorted, .5)))
		}
		folded, _ := fresh.halves(fold, chains)
		tail := scored(slices.Clone(folded))
		want := [2]float64{max(rhat(bulk, parts), rhat(tail, parts)), fresh.ess(bulk, parts)}
		if math.IsNaN(rhat(tail, parts)) {
			want[0] = math.NaN()
		}
		for _, got := range [][2]float64{{ranked.RHat(), ranked.ESSBulk()}, {d.RHat(x, chains), d.ESSBulk(x, chains)}} {
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(want[i]) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
					t.Fatalf("%d chains of %d: %v, want %v", chains, n, got, want)
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
		_ = r.RHat() + r.ESSBulk() + r.ESSTail()
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
				sink += k.Sorted()[0] + k.RHat() + k.ESSBulk() + k.ESSTail()
			}
		})
		b.Run(fmt.Sprintf("each/%d", s), func(b *testing.B) {
			for b.Loop() {
				sink += d.Rank(x, 4).Sorted()[0] + d.RHat(x, 4) + d.ESSBulk(x, 4) + d.ESSTail(x, 4)
			}
		})
	}
}
