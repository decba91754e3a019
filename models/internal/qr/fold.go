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
// block has room for BlockRows rows of p+1 numbers.
func Fold(r []float64, p int, block []float64, sh *cdf.Shard, project func(x []float64, y float64) []float64) int {
	n, rows := 0, BlockRows
	for i := 0; i < sh.Rows; {
		k := 0
		for ; i < sh.Rows && k < rows; i++ {
			y := sh.Y[i]
			if math.IsNaN(y) {
				continue
			}
			z := lin.Row(sh.X, sh.Cols, i)
			if project != nil {
				z = project(z, y)
			}
			for j, v := range z {
				block[j*rows+k] = v
			}
			block[p*rows+k] = y
			k++
		}
		// A short block is moved together, column by column.
		for j := 1; j <= p && k < rows; j++ {
			copy(lin.Row(block, k, j), block[j*rows:j*rows+k])
		}
		lin.UpdateQR(r, p+1, block, k)
		n += k
	}
	return n
}

// BlockRows is how many rows one factor update takes: as many as lin folds in at
// once.
const BlockRows = lin.PanelRows
