package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// triangleSums are those of a triangle, beside what they are of its rows.
var triangleSums = []struct {
	name string
	do   func(t Triangle, x, y []float64)
	rows func(i int, row, x, y []float64)
}{
	{"Times", Triangle.Times, func(i int, row, x, y []float64) { y[i] = Dot(row, x[i:]) }},
	{"TimesT", Triangle.TimesT, func(i int, row, x, y []float64) { Axpy(x[i], row, y[i:]) }},
	{"RowSquares", func(t Triangle, _, y []float64) { t.RowSquares(y) }, func(i int, row, _, y []float64) { y[i] = Dot(row, row) }},
	{"ColumnSquares", Triangle.ColumnSquares, func(i int, row, x, y []float64) { AddSquares(y[i:], row, x[i:]) }},
}

// All orders to 40, and one that takes several calls, of a square and of packed rows that are longer, against what
// their rows say one by one. What lies beyond stays.
func TestTriangle(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 80))
		for n := range 42 {
			if n == 41 {
				n = 531
			}
			square, packed := random(r, n*n), random(r, PackedLen(n+2))
			for name, c := range map[string]struct {
				t   Triangle
				row func(i int) []float64
			}{
				"square": {Upper(n, square), func(i int) []float64 { return square[i*n+i : (i+1)*n] }},
				"packed": {Packed(n, n+2, packed), func(i int) []float64 { return packed[PackedRow(n+2, i):][:n-i] }},
			} {
				x := random(r, n)
				for _, op := range triangleSums {
					want, got := append(make([]float64, n), 7), append(used(n), 7)
					for i := range n {
						op.rows(i, c.row(i), x, want[:n])
					}
					op.do(c.t, x, got)
					identical(t, fmt.Sprintf("%s of %s, order %d", op.name, name, n), got, want)
				}
			}
		}
	})
}

// Columns that are scaled against those of one row after the other, of orders that begin and end vectors, and one that takes several
// calls. What lies beside the triangle stays.
func TestScaleColumns(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 105))
		for n := range 42 {
			if n == 41 {
				n = 531
			}
			x, a := random(r, n), random(r, PackedLen(n+2)+1)
			want, got := append([]float64(nil), a...), append([]float64(nil), a...)
			for i := range n {
				at := PackedRow(n+2, i)
				Products(want[at:at+n-i], a[at:], x[i:])
			}
			Packed(n, n+2, a).ScaleColumns(x, Packed(n, n+2, got))
			identical(t, fmt.Sprint("order ", n), got, want)
		}
	})
}

func BenchmarkTriangle(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 81))
	for _, op := range triangleSums {
		for _, n := range []int{6, 51, 501} {
			a := Upper(n, random(r, n*n))
			x, y := random(r, n), make([]float64, n)
			for _, set := range []isa.Set{isa.AVX2, isa.Portable} {
				b.Run(fmt.Sprintf("%s/%d/%s", op.name, n, set), func(b *testing.B) {
					isatest.Use(b, &with, set)
					for b.Loop() {
						op.do(a, x, y)
					}
				})
			}
			b.Run(fmt.Sprintf("%s/%d/rows", op.name, n), func(b *testing.B) {
				for b.Loop() {
					clear(y)
					for i := range n {
						op.rows(i, a.row(i), x, y)
					}
				}
			})
		}
	}
}
