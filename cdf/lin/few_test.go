package lin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// Few columns against the reflections of a panel, which lies otherwise: the same bits, of rows to two blocks and more. Some columns
// are 0, have next to nothing in them, or only below. What lies around the block stays.
func TestFew(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 84))
		for n := 1; n <= fewMost; n++ {
			for _, rows := range []int{1, 2, 3, 4, 5, 7, 8, 24, 57, PanelRows - 1, PanelRows, PanelRows + 1, 2*PanelRows + 6} {
				x, y := hard(r, rows*(n-1)), hard(r, rows)
				for _, v := range [][]float64{x, y} {
					for i := range v {
						if math.Abs(v[i]) > 1e100 {
							v[i] = 0
						} else if n > 3 && len(v) > rows && i%(n-1) == 2 {
							v[i] *= 1e-160
						}
					}
				}
				got := random(r, PackedLen(n))
				got[PackedRow(n, n-1)] = 0
				want := append([]float64(nil), got...)
				for from := 0; from < rows; from += PanelRows {
					m := min(PanelRows, rows-from)
					b, panel := make([]float64, BlockLen(m, n)+1), make([]float64, panelLen)
					for i := range b {
						b[i] = math.NaN()
					}
					b[panelLen] = 7
					PutRows(b[:panelLen], x[from*(n-1):(from+m)*(n-1)], y[from:from+m])
					for i := range m {
						copy(panel[i*panelCols:], x[(from+i)*(n-1):][:n-1])
						panel[i*panelCols+n-1] = y[from+i]
					}
					UpdateQR(got, n, b[:panelLen], m)
					var h reflections
					h.reduceEach(want, n, 0, n, n, panel, m)
					if b[panelLen] != 7 {
						t.Fatalf("order %d, %d rows: what lies behind has changed", n, rows)
					}
				}
				identical(t, fmt.Sprintf("order %d, %d rows", n, rows), got, want)
			}
		}
	})
}

// Rows that are put together, of few columns and of more, lie as those that are put one by one.
func TestPutRows(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 85))
		for _, n := range []int{1, 2, 6, 8, 9, 17, 30} {
			for _, rows := range []int{0, 1, 2, 5, 64, PanelRows} {
				x, y := random(r, rows*(n-1)), random(r, rows)
				got := random(r, BlockLen(PanelRows, n)) // what the shard before has left
				want := slices.Clone(got)
				PutRows(got, x, y)
				for i, v := range y {
					PutRow(want, i, Row(x, n-1, i), v)
				}
				identical(t, fmt.Sprintf("%d columns, %d rows", n, rows), got, want)
			}
		}
	})
}
