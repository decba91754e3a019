package lin

import "github.com/credence-stream/credence/cdf/vec"

// PackedLen returns the length of a packed factor of order n.
func PackedLen(n int) int { return n * (n + 1) / 2 }

// PackedRow returns the offset of row i of a packed factor of order n; its
// first entry is the diagonal one.
func PackedRow(n, i int) int { return i*n - i*(i-1)/2 }

// reflectMin is the squared length below which a column counts as zero: the
// reciprocal of anything smaller may overflow.
const reflectMin = 1e-290

// PanelRows is how many rows UpdateQR folds in at once: whole strips, and no
// power of two.
const PanelRows = 10 * stripCols

// panelLen is the length of a panel of PanelRows rows.
const panelLen = PanelRows * panelCols

// panels is how many panels n columns are.
func panels(n int) int { return (n + panelCols - 1) / panelCols }

// BlockLen returns the length of a block of so many rows of n columns, as UpdateQR takes
// it: there is room for rows to a multiple of PanelRows.
func BlockLen(rows, n int) int { return (rows + PanelRows - 1) / PanelRows * panels(n) * panelLen }

// PutRow makes x and then y row i of a block, whose rows so have len(x)+1 columns.
//
// A block holds PanelRows rows after the other, and of these one panel of eight columns after the
// other, row by row: all that a panel's reflections touch lies together. Of no more than one panel a column follows the other.
func PutRow(b []float64, i int, x []float64, y float64) {
	if len(x) < fewMost {
		b = b[i/PanelRows*panelLen+i%PanelRows:]
		for l, v := range x {
			b[l*PanelRows] = v
		}
		b[len(x)*PanelRows] = y
		return
	}
	at := i/PanelRows*panels(len(x)+1)*panelLen + i%PanelRows*panelCols
	for ; len(x) >= panelCols; x = x[panelCols:] {
		to, from := (*[panelCols]float64)(b[at:]), (*[panelCols]float64)(x)
		// Copied as a whole they might overlap, as far as the compiler knows.
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], from[3]
		to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
		at += panelLen
	}
	last := (*[panelCols]float64)(b[at:])
	*last = [panelCols]float64{}
	last[copy(last[:], x)] = y
}

// PutRows makes the rows of x, each with its entry of y, the first of a block, PanelRows at most.
func PutRows(b, x, y []float64) {
	if len(y) == 0 {
		return
	}
	n := len(x) / len(y)
	if n < fewMost {
		vec.Transpose(len(y), n, x, n, b, PanelRows)
		copy(b[n*PanelRows:][:len(y)], y)
		return
	}
	if putVectors(b, x, y, n) {
		return
	}
	for i, v := range y {
		PutRow(b, i, x[i*n:(i+1)*n], v)
	}
}

// UpdateQR replaces the packed factor r of order n by the triangular factor
// of the stack [r; b], so that r'r grows by b'b. b is a block of rows x n numbers that PutRow has
// laid out, BlockLen(rows, n) in all, and is overwritten. 2 rows n^2 flops, by Householder
// reflections: reflection j touches row j of r and all of b. The signs of the
// rows of r are not fixed. A column of zeros leaves its row of r as it is.
//
// A panel of eight columns is reduced by its own reflections, one by one, and what is right of it by their product.
func UpdateQR(r []float64, n int, b []float64, rows int) {
	if n <= fewMost {
		updateFew(r, n, b, rows)
		return
	}
	var h reflections
	for i := 0; i < rows; i += PanelRows {
		m := min(PanelRows, rows-i)
		for k := range panels(n) {
			clear(b[k*panelLen:][m*panelCols : (m+3)/4*4*panelCols])
		}
		for j := 0; j < n; j += panelCols {
			h.panel(r, n, j, min(panelCols, n-j), b, m, panelLen)
			b = b[panelLen:]
		}
	}
}
