package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/internal/isatest"
)

// column returns the length of a column of a packed factor.
func column(r []float64, n, j int) float64 {
	unit := 0.0
	for k := range j + 1 {
		unit = math.Hypot(unit, r[PackedRow(n, k)+j-k])
	}
	return unit
}

// reflectEach is UpdateQR by one reflection after the other; b is rows x n.
func reflectEach(r []float64, n int, b []float64, rows int) {
	for j := range n {
		x, row := make([]float64, rows), r[PackedRow(n, j):PackedRow(n, j+1)]
		below := 0.0
		for i := range x {
			x[i] = b[i*n+j]
			below += x[i] * x[i]
		}
		alpha := row[0]
		if below == 0 || alpha*alpha+below < reflectMin {
			continue
		}
		beta := -math.Copysign(math.Sqrt(alpha*alpha+below), alpha)
		row[0] = beta
		for k := 1; k < len(row); k++ {
			s := (alpha - beta) * row[k]
			for i, v := range x {
				s += v * b[i*n+j+k]
			}
			s /= -beta * (alpha - beta)
			row[k] -= s * (alpha - beta)
			for i, v := range x {
				b[i*n+j+k] -= s * v
			}
		}
	}
}

// Panels against one reflection after the other, relative to the lengths of the columns:
// orders and rows across the edges of panels, strips and blocks, columns of
// different sizes, columns of zeros. All instructions give the same bits.
func TestPanelsAreReflections(t *testing.T) {
	var first [][]float64
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 22))
		at := 0
		for _, n := range []int{1, 2, 7, 8, 9, 10, 15, 16, 17, 20, 21, 24, 31, 33, 51, 57, 64, 70, 130} {
			got, want := make([]float64, PackedLen(n)), make([]float64, PackedLen(n))
			for _, rows := range []int{1, 2, 7, 8, 23, 24, 25, 64, PanelRows, PanelRows + 1, 2*PanelRows + 5} {
				b := random(r, rows*n)
				for i := range rows {
					x := Row(b, n, i)
					x[n/2] *= 1e6
					x[n/3] *= 1e-6
					if n > 5 {
						x[2] = 0
						x[n-2] *= float64(i % 3)
					}
					if n > 7 { // of the zeros of columns of which each row has one, the sign
						x[4], x[5] = math.Copysign(0, x[4]), math.Copysign(0, x[5])
						x[4+i%2] = 1
					}
				}
				UpdateQR(got, n, block(rows, n, b), rows)
				reflectEach(want, n, b, rows)
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

// The reflections of a panel in one call against those one by one, from all columns to the last of a factor, which
// may have one more than there are reflections. Some columns are 0, have next to nothing in them, or only below.
func TestReduce(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 75))
		for _, n := range []int{1, 3, 8, 9, 12, 17, 24} {
			for j := 0; j < n; j += panelCols {
				w := min(panelCols, n-j)
				for columns := max(w-1, 1); columns <= w; columns++ {
					for _, m := range []int{1, 4, 7, 24, 57} {
						got, b := hard(r, PackedLen(n)+3), hard(r, (m+3)/4*4*panelCols+3)
						for i := range b {
							if l := i % panelCols; math.Abs(b[i]) > 1e100 || l >= w || i >= m*panelCols {
								b[i] = 0
							} else if l == 2 {
								b[i] *= 1e-160
							}
						}
						for i := range got {
							if math.Abs(got[i]) > 1e100 {
								got[i] = 0
							}
						}
						got[PackedRow(n, j+w-1)] = 0
						want, block := slices.Clone(got), slices.Clone(b)
						var h, one reflections
						h.reduce(got, n, j, w, columns, b, m)
						one.reduceEach(want, n, j, w, columns, block, m)
						name := fmt.Sprintf("order %d, %d of %d columns from %d, %d rows", n, columns, w, j, m)
						identical(t, name+": factor", got, want)
						if with != isa.Portable {
							for i := 0; i < (m+3)/4*4*panelCols; i += 4 * panelCols {
								four := slices.Clone(b[i:][:4*panelCols])
								vec.Transpose(panelCols, 4, four, 4, b[i:], panelCols)
							}
						}
						for i := range b {
							b[i], block[i] = b[i]+0, block[i]+0
						}
						identical(t, name+": block", b, block)
						identical(t, name+": heads", h.head[:], one.head[:])
						identical(t, name+": product", h.minus[:], one.minus[:])
					}
				}
			}
		}
	})
}

// A reflection against sums.
func TestReflectRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 25))
	b, by, dot := random(r, 12*9), [panelCols]float64{2, 0, 3, 4, 5, 6, 7, 8}, [panelCols]float64{}
	want := append([]float64(nil), b...)
	reflectRows(3, 9, b, 1, 2, &by, &dot)
	for l, v := range by {
		sum := 0.0
		for i := range 12 {
			row := want[i*9:][:9]
			near(t, "entry", b[i*9+l], row[l]-v*row[1], 1e-14)
			sum += (row[2] - by[2]*row[1]) * (row[l] - v*row[1])
		}
		near(t, "product", dot[l], sum, 1e-11)
	}
}
