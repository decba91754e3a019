// Package qr folds rows into a triangular factor.
package qr

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Fold folds the rows of a shard that have a response into r, the upper
// triangular factor of [Z y] with p columns of Z, and returns how many they
// are. A row of Z is a row of X, or what project makes of it and its response;
// block has room for BlockLen(p) numbers.
func Fold(r []float64, p int, block []float64, sh *cdf.Shard, project func(x []float64, y float64) []float64) int {
	if project == nil && lin.Finite(sh.Y...) {
		for from := 0; from < len(sh.Y); from += lin.PanelRows {
			to := min(from+lin.PanelRows, len(sh.Y))
			lin.PutRows(block, sh.X[from*p:to*p], sh.Y[from:to])
			lin.UpdateQR(r, p+1, block, to-from)
		}
		return len(sh.Y)
	}
	n, k := 0, 0
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		z := lin.Row(sh.X, sh.Cols, i)
		if project != nil {
			z = project(z, y)
		}
		lin.PutRow(block, k, z, y)
		n++
		if k++; k == lin.PanelRows {
			lin.UpdateQR(r, p+1, block, k)
			k = 0
		}
	}
	lin.UpdateQR(r, p+1, block, k)
	return n
}

// BlockLen is the length of a block: as many rows as lin folds in at once.
func BlockLen(p int) int { return lin.BlockLen(lin.PanelRows, p+1) }
