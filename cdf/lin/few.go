package lin

import "math"

// Up to panelCols columns, which are one panel, lie one after the other in a block, so that a vector of AVX2 is four rows of a column: a
// reflection touches what is right of it alone, and every lane is of use. Each lane has the sums that reflectRows has of the
// rows that are its own: the factor has the same bits.
//
// It replaces rows of a panel, each of which was put there by a call. 10, 100 and 1,000 rows of 6 columns take 0.67, 0.37 and 0.33 of
// the time, 3.1 us in place of 9.5, in turns on a Xeon beside other work (BenchmarkUpdateQR).

// fewMost is how many columns are few.
const fewMost = panelCols

// updateFew is UpdateQR of few columns.
func updateFew(r []float64, n int, b []float64, rows int) {
	for i := 0; i < rows; i += PanelRows {
		m := min(PanelRows, rows-i)
		fours := (m + 3) / 4
		for l := range n {
			clear(b[l*PanelRows+m : l*PanelRows+4*fours])
		}
		reduceFew(r, n, b, fours)
		b = b[panelLen:]
	}
}

// reduceFew makes 0 of the columns of b, under the rows of r.
func reduceFew(r []float64, n int, b []float64, fours int) {
	var by, dot [fewMost]float64
	fewDots(n, fours, b, &dot)
	for k := range n {
		row := r[PackedRow(n, k):][:n-k]
		head, t := 0.0, 0.0
		alpha, below := row[0], dot[0]
		if square := float64(alpha*alpha) + below; below > 0 && square >= reflectMin {
			// beta takes the sign that avoids cancellation in the head, alpha-beta.
			beta := -math.Copysign(math.Sqrt(square), alpha)
			head = alpha - beta
			row[0], t = beta, -1/(beta*head)
		}
		row = row[1:]
		if len(row) == 0 {
			return
		}
		dots, by := dot[1:][:len(row)], by[:len(row)]
		for l, v := range row {
			s := float64(t * (float64(head*v) + dots[l]))
			by[l] = s
			row[l] = v - float64(head*s)
		}
		fewReflect(len(row), fours, b[k*PanelRows:], (*[fewMost]float64)(by[:fewMost]), &dot)
	}
}

// fewDotRows sets the first entries of dot to the products of the first column of a block with so many, of which it is one.
func fewDotRows(columns, fours int, b []float64, dot *[fewMost]float64) {
	for l := range columns {
		x, y := b[:4*fours], b[l*PanelRows:][:4*fours]
		var sum [4]float64
		for i, v := range x {
			sum[i%4] = math.FMA(v, y[i], sum[i%4])
		}
		dot[l] = (sum[0] + sum[1]) + (sum[2] + sum[3])
	}
}

// fewReflectRows takes the first column of a block, times its entry of by, off each of so many columns behind it, and then is
// fewDotRows of these.
func fewReflectRows(columns, fours int, b []float64, by, dot *[fewMost]float64) {
	x, rest := b[:4*fours], b[PanelRows:]
	for l := range columns {
		for i, v := range x {
			at := &rest[l*PanelRows+i]
			*at = math.FMA(-v, by[l], *at)
		}
	}
	fewDotRows(columns, fours, rest, dot)
}
