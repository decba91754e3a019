package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// columnsOf returns n columns of numbers of both signs, some of them special.
func columnsOf(r *rand.Rand, n, rows int) [][]float64 {
	all := make([][]float64, n)
	for k := range all {
		all[k] = make([]float64, rows)
		for i := range all[k] {
			all[k][i] = r.NormFloat64()
			if r.IntN(300) == 0 {
				all[k][i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-310}[r.IntN(6)]
			}
		}
	}
	return all
}

// What is done with the nodes of a grid, against the formulas, to the bit.
func TestGrids(t *testing.T) {
	equal := func(t *testing.T, what string, got, want float64) {
		t.Helper()
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 70))
		for trial := range 300 {
			n := trial % 43
			c := columnsOf(r, 9, n)
			mean, variance := make([]float64, n), make([]float64, n)
			Along(mean, variance, c[0], c[1], c[2], c[3], c[4])
			for i := range n {
				at := fmt.Sprintf("entry %d of %d", i, n)
				equal(t, "mean, "+at, mean[i], c[0][i]+float64(c[2][i]*c[3][i]))
				equal(t, "variance, "+at, variance[i], c[1][i]+float64(float64(c[2][i]*c[2][i])*c[4][i]))
			}
			factor := append([]float64(nil), c[8]...)
			x := Means{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], factor}
			x.Integrate()
			for i := range n {
				at := fmt.Sprintf("entry %d of %d", i, n)
				grown := 1 + float64(c[0][i]*c[4][i])
				mu := float64(c[0][i] / grown * c[3][i])
				equal(t, "factor, "+at, factor[i], c[8][i]*grown)
				equal(t, "v, "+at, x.V[i], c[0][i]/grown)
				equal(t, "mu, "+at, x.Mu[i], mu)
				left := 0.5 * (c[2][i] - float64(mu*c[3][i]))
				if left < 0 {
					left = 0
				}
				equal(t, "rate, "+at, x.Rate[i], c[1][i]+left)
			}
			log, want := append([]float64(nil), c[0]...), math.Inf(-1)
			top := LogWeights(log, c[1], c[2], c[3], 2.5)
			for i, v := range log {
				equal(t, fmt.Sprintf("log weight %d of %d", i, n), v, c[1][i]-0.5*(c[2][i]+c[0][i])-float64(2.5*c[3][i]))
				want = max(want, v)
			}
			equal(t, "the greatest", top, want)
			low := append([]float64(nil), log...)
			Lower(low, 0.25, -1)
			for i, v := range low {
				equal(t, fmt.Sprintf("lowered %d of %d", i, n), v, max(log[i]-0.25, -1))
			}
		}
	})
}

func BenchmarkGrids(b *testing.B) {
	const n = 961
	r := rand.New(rand.NewPCG(1, 71))
	c := make([][]float64, 9)
	for k := range c {
		c[k] = make([]float64, n)
		for i := range c[k] {
			c[k][i] = 1 + r.Float64()
		}
	}
	mean, variance := make([]float64, n), make([]float64, n)
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"Along", func() { Along(mean, variance, c[0], c[1], c[2], c[3], c[4]) }},
		{"Means", func() {
			clear(c[4]) // factors stay
			(&Means{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]}).Integrate()
		}},
		{"LogWeights", func() { LogWeights(mean, c[1], c[2], c[3], 2.5) }},
	} {
		for _, set := range []string{"here", "loop"} {
			b.Run(f.name+"/"+set, func(b *testing.B) {
				was := with
				if set == "loop" {
					with = 0
				}
				defer func() { with = was }()
				for b.Loop() {
					f.do()
				}
			})
		}
	}
}
