package lin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// each are the operations, on vectors of a length, beside what they are for an entry.
var each = []struct {
	name   string
	do     func(a float64, dst, x, y []float64)
	define func(a, dst, x, y float64) float64
}{
	{"Axpy", func(a float64, dst, x, _ []float64) { Axpy(a, x, dst) }, func(a, dst, x, _ float64) float64 { return dst + float64(a*x) }},
	{"Scale", func(a float64, dst, _, _ []float64) { Scale(a, dst) }, func(a, dst, _, _ float64) float64 { return a * dst }},
	{"Products", func(_ float64, dst, x, y []float64) { Products(dst, x, y) }, func(_, _, x, y float64) float64 { return x * y }},
	{"AddSquares", func(_ float64, dst, x, y []float64) { AddSquares(dst, x, y) }, func(_, dst, x, y float64) float64 {
		v := x * y
		return dst + float64(v*v)
	}},
}

// All lengths to 80, and one that takes several calls, against what they are for an entry. What lies
// beyond stays.
func TestEach(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 73))
		for _, op := range each {
			for n := range 82 {
				if n == 81 {
					n = 1<<15 + 7
				}
				x, y, got := hard(r, n+1), hard(r, n+1), hard(r, n+9)
				want, a := slices.Clone(got), r.NormFloat64()
				for i := range n {
					want[i] = op.define(a, want[i], x[i], y[i])
				}
				op.do(a, got[:n], x[:n], y[:n])
				identical(t, fmt.Sprintf("%s of %d", op.name, n), got, want)
			}
		}
	})
}

func BenchmarkEach(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 74))
	for _, op := range each {
		for _, n := range []int{16, 51, 501} {
			x, y, dst := random(r, n), random(r, n), random(r, n)
			for _, set := range []isa.Set{isa.AVX2, isa.Portable} {
				b.Run(fmt.Sprintf("%s/%d/%s", op.name, n, set), func(b *testing.B) {
					isatest.Use(b, &with, set)
					for b.Loop() {
						op.do(-1, dst, x, y)
					}
				})
			}
		}
	}
}
