package lin

// PackedLen returns the length of a packed factor of order n.
func PackedLen(n int) int { return n * (n + 1) / 2 }

// PackedRow returns the offset of row i of a packed factor of order n; its
// first entry is the diagonal one.
func PackedRow(n, i int) int { return i*n - i*(i-1)/2 }

// reflectMin is the squared length below which a column counts as zero: the
// reciprocal of anything smaller may overflow.
const reflectMin = 1e-290

// BlockStride returns how many entries lie from row to row of the block of n columns
// that UpdateQR takes: whole vectors. Rows of 512 bytes would meet in few places
// of a cache.
func BlockStride(n int) int {
	stride := (n + panelCols - 1) / panelCols * panelCols
	if stride%64 == 0 {
		stride += panelCols
	}
	return stride
}

// BlockLen returns the length of a block of so many rows of n columns: there is
// room for rows to a multiple of four.
func BlockLen(rows, n int) int { return (rows + 3) / 4 * 4 * BlockStride(n) }

// UpdateQR replaces the packed factor r of order n by the triangular factor
// of the stack [r; b], so that r'r grows by b'b. b holds rows x n numbers,
// row-major, BlockStride(n) apart, BlockLen(rows, n) in all, and is overwritten; what stands
// between rows may be anything. 2 rows n^2 flops, by Householder
// reflections: reflection j touches row j of r and all of b. The signs of the
// rows of r are not fixed. A column of zeros leaves its row of r as it is.
//
// A panel of eight columns is reduced by its own reflections, one by one, and what is right of it by their product, in strips.
func UpdateQR(r []float64, n int, b []float64, rows int) {
	stride := BlockStride(n)
	clear(b[rows*stride : BlockLen(rows, n)])
	var h reflections
	if n > panelCols {
		h.ahead = new(ahead)
	}
	for i := 0; i < rows; i += PanelRows {
		m := min(PanelRows, rows-i)
		for j := 0; j < n; j += panelCols {
			h.panel(r, n, j, min(panelCols, n-j), b[i*stride+j:], m, stride)
		}
	}
}
