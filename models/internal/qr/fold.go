// Package qr folds rows into a triangular factor.
package qr

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// BlockLen is the length of a block of p columns and a response: as many rows as lin folds in at once.
func BlockLen(p int) int { return lin.BlockLen(lin.PanelRows, p+1) }

// Work is room for what folds rows in. It makes itself.
type Work struct {
	some []float64 // rows that have a response, of a shard of which some have none
	gram gram
}

// Fold folds the rows of a shard that have a response into r, the upper triangular factor of [X y] with p columns
// of X, and returns how many they are. Many rows go in by their Gram matrix where that has digits enough, few by reflections.
// block has room for BlockLen(p) numbers.
func (w *Work) Fold(r []float64, p int, block []float64, sh *cdf.Shard) int {
	if rows := w.byGram(r, p, block, sh); rows > 0 {
		return rows
	}
	return w.reflect(r, p, block, sh)
}

// reflect folds them in by reflections.
func (w *Work) reflect(r []float64, p int, block []float64, sh *cdf.Shard) int {
	rows := 0
	w.each(p, sh, func(x, y []float64) {
		lin.PutRows(block, x, y)
		lin.UpdateQR(r, p+1, block, len(y))
		rows += len(y)
	})
	return rows
}

// byGram folds them in by their Gram matrix, if that pays and has digits enough. If not, r is as it was and they are none.
func (w *Work) byGram(r []float64, p int, block []float64, sh *cdf.Shard) int {
	if !pays(len(sh.Y), p) {
		return 0
	}
	rows := responses(sh.Y)
	if !pays(rows, p) || !w.gram.begin(r, p+1) {
		return 0
	}
	w.each(p, sh, func(x, y []float64) { w.gram.add(block, x, y) })
	if !w.gram.factorize(p + 1) {
		return 0
	}
	copy(r, w.gram.factor)
	return rows
}

// responses is the number of rows that have a response.
func responses(y []float64) int {
	n := 0
	for _, v := range y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// each calls f with the rows that have a response, lin.PanelRows at a time and in order.
func (w *Work) each(p int, sh *cdf.Shard, f func(x, y []float64)) {
	const most = lin.PanelRows
	if lin.Finite(sh.Y...) {
		for from := 0; from < len(sh.Y); from += most {
			to := min(from+most, len(sh.Y))
			f(sh.X[from*p:to*p], sh.Y[from:to])
		}
		return
	}
	w.some = lin.Grow(w.some, most*(p+1))
	x, y, k := w.some[:most*p], w.some[most*p:], 0
	for i, v := range sh.Y {
		if math.IsNaN(v) {
			continue
		}
		copy(x[k*p:], lin.Row(sh.X, p, i))
		y[k] = v
		if k++; k == most {
			f(x, y)
			k = 0
		}
	}
	if k > 0 {
		f(x[:k*p], y[:k])
	}
}

// Project folds in what project makes of the rows of a shard that have a response: r is the factor of [Z y]
// with p columns of Z. It returns how many rows they are.
func Project(r []float64, p int, block []float64, sh *cdf.Shard, project func(x []float64, y float64) []float64) int {
	n, k := 0, 0
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		lin.PutRow(block, k, project(lin.Row(sh.X, sh.Cols, i), y), y)
		n++
		if k++; k == lin.PanelRows {
			lin.UpdateQR(r, p+1, block, k)
			k = 0
		}
	}
	lin.UpdateQR(r, p+1, block, k)
	return n
}
