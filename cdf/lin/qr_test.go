package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// column returns the length of a column of a packed factor.
func column(r []float64, n, j int) float64 {
	unit := 0.0
	for k := range j + 1 {
		unit = math.Hypot(unit, r[PackedRow(n, k)+j-k])
	}
	return unit
}

// Panels against one reflection after the other, relative to the lengths of the columns:
// orders and rows across the edges of panels, strips and blocks, columns of
// different sizes, columns of zeros. All instructions give the same bits.
func TestPanelsAreReflections(t *testing.T) {
	var first [][]float64
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 22))
		at := 0
		for _, n := range []int{1, 2, 7, 8, 9, 10, 15, 16, 17, 24, 31, 33, 51, 57, 64, 70, 130} {
			got, want := make([]float64, PackedLen(n)), make([]float64, PackedLen(n))
			for _, rows := range []int{1, 2, 7, 8, 23, 24, 25, 64, PanelRows, PanelRows + 1, 2*PanelRows + 5} {
				b := random(r, rows*n)
				Scale(1e6, Row(b, rows, n/2))
				Scale(1e-6, Row(b, rows, n/3))
				if n > 5 {
					clear(Row(b, rows, 2))
				}
				updateEach(want, n, append([]float64(nil), b...), rows)
				updatePanels(got, n, b, rows)
				for i := range n {
					sign := 1.0 // a block more turns all rows
					if k := PackedRow(n, i); got[k]*want[k] < 0 {
						sign = -1
					}
					for j := i; j < n; j++ {
						k := PackedRow(n, i) + j - i
						near(t, fmt.Sprintf("order %d, %d rows: %d, %d", n, rows, i, j), sign*got[k], want[k], 1e-10*column(want, n, j))
					}
				}
				if t.Failed() {
					t.FailNow()
				}
				if at == len(first) {
					first = append(first, append([]float64(nil), got...))
				}
				identical(t, fmt.Sprintf("order %d, %d rows, other instructions", n, rows), got, first[at])
				at++
			}
		}
	})
}

// The bits of few columns and rows are those of one reflection after the other.
func TestFewColumnsAreReflectedOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 23))
	for n := 1; n <= fewCols; n++ {
		got, want := make([]float64, PackedLen(n)), make([]float64, PackedLen(n))
		for _, rows := range []int{1, 9, fewRows - 1} {
			b := random(r, rows*n)
			updateEach(want, n, append([]float64(nil), b...), rows)
			UpdateQR(got, n, b, rows)
			identical(t, fmt.Sprintf("order %d, %d rows", n, rows), got, want)
		}
	}
}
