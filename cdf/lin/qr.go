package lin

import "math"

// PackedLen returns the length of a packed factor of order n.
func PackedLen(n int) int { return n * (n + 1) / 2 }

// PackedRow returns the offset of row i of a packed factor of order n; its
// first entry is the diagonal one.
func PackedRow(n, i int) int { return i*n - i*(i-1)/2 }

// reflectMin is the squared length below which a column counts as zero: the
// reciprocal of anything smaller may overflow.
const reflectMin = 1e-290

// UpdateQR replaces the packed factor r of order n by the triangular factor
// of the stack [r; b], so that r'r grows by b'b. b holds rows x n numbers,
// column-major, and is overwritten. 2 rows n^2 flops, by Householder
// reflections: reflection j touches row j of r and all of b. The signs of the
// rows of r are not fixed. A column of zeros leaves its row of r as it is.
func UpdateQR(r []float64, n int, b []float64, rows int) {
	switch {
	case rows == 0:
	case n > fewCols || rows >= fewRows:
		updatePanels(r, n, b, rows)
	default:
		updateEach(r, n, b, rows)
	}
}

// updateEach is UpdateQR by one reflection after the other.
func updateEach(r []float64, n int, b []float64, rows int) {
	for j := range n {
		x := Row(b, rows, j)
		row := r[PackedRow(n, j):PackedRow(n, j+1)]
		below := Dot(x, x)
		alpha := row[0]
		square := float64(alpha*alpha) + below
		if below == 0 || square < reflectMin {
			continue
		}
		// H = I - c v v' with v = (alpha-beta; x) sends (alpha; x) to (beta; 0);
		// beta takes the sign that avoids cancellation in alpha-beta.
		beta := -math.Copysign(math.Sqrt(square), alpha)
		head := alpha - beta
		c := -1 / (beta * head)
		row[0] = beta
		for k := 1; k < len(row); k++ {
			y := Row(b, rows, j+k)
			s := c * (float64(head*row[k]) + Dot(x, y))
			row[k] -= float64(s * head)
			Axpy(-s, x, y)
		}
	}
}
