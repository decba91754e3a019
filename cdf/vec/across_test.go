package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// Columns against Standardize of each. Numbers of all sizes are left
// to be divided, what lies beside the columns stays.
func TestStandardizeAcross(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 76))
		for _, n := range []int{0, 1, 7, 8, 9, 16, 30, 128, 4105} {
			for bs := Abreast; bs < Abreast+3; bs++ {
				for _, odd := range []float64{1, 0, math.Copysign(0, -1), 1e-200, 1e200, math.Inf(1), math.Inf(-1), math.NaN()} {
					var columns [Abreast][]float64
					var c Constants
					for j := range columns {
						columns[j] = make([]float64, n)
						for i := range columns[j] {
							columns[j][i] = r.NormFloat64()
						}
						center, scale := r.NormFloat64(), math.Exp(3*r.NormFloat64())
						if j == 3 {
							center = 0
						}
						c.Set(j, center, scale)
					}
					if n > 0 {
						columns[3][r.IntN(n)] = odd
					}
					got := make([]float64, n*bs+Abreast)
					for i := range got {
						got[i] = 7
					}
					want := slices.Clone(got)
					hard := odd != 0 && math.Abs(math.Log2(math.Abs(odd))) > 400 || odd != odd
					done := StandardizeAcross(got, bs, n, &columns, &c)
					if done != (with != isa.Portable && n >= 8 && !hard) {
						t.Fatalf("%d rows with %v done: %t", n, odd, done)
					}
					if !done {
						continue
					}
					dst := make([]float64, n)
					for j := range columns {
						Standardize(dst, columns[j], c.center[j], c.scale[j])
						for i, v := range dst {
							want[i*bs+j] = v
						}
					}
					for i, v := range want {
						if math.Float64bits(v) != math.Float64bits(got[i]) {
							t.Fatalf("%d rows %d apart with %v: entry %d is %v, not %v", n, bs, odd, i, got[i], v)
						}
					}
				}
			}
		}
	})
}

func BenchmarkStandardizeAcross(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 77))
	for _, p := range []int{51, 501} {
		const n = 1000
		var columns [Abreast][]float64
		var c Constants
		for j := range columns {
			columns[j] = make([]float64, n)
			for i := range columns[j] {
				columns[j][i] = r.NormFloat64()
			}
			c.Set(j, 0.1, 1.3)
		}
		rows, room := make([]float64, n*p), make([]float64, Abreast*n)
		b.Run(fmt.Sprintf("%d apart", p), func(b *testing.B) {
			for b.Loop() {
				if !StandardizeAcross(rows, p, n, &columns, &c) {
					b.Fatal("not done")
				}
			}
		})
		b.Run(fmt.Sprintf("%d apart, by way of a room", p), func(b *testing.B) {
			for b.Loop() {
				for from := 0; from < n; from += 125 {
					for j := range columns {
						Standardize(room[j*125:][:125], columns[j][from:], 0.1, 1.3)
					}
					Transpose(Abreast, 125, room, 125, rows[from*p:], p)
				}
			}
		})
	}
}
