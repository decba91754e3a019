package lin

import "math"

// panelCols is how many columns of a matrix are reduced together: a row of them is
// one vector of AVX-512, two of AVX2.
const panelCols = 8

// reflectRows takes a reflection off the rows of a panel and prepares the next one:
//
//	b_il = fma(-b_ik, by_l, b_il), then dot_l = sum_i b_in b_il
//
// k and n, the next one, are among the columns; by_k is 0. The rows are stride
// apart. Of four rows each has sums of its own, chains of fused multiply-adds, as the lanes of the vectors in which assembly has
// four rows of a column.
func reflectRows(fours, stride int, b []float64, k, next int, by, dot *[panelCols]float64) {
	var sum [4][panelCols]float64
	for i := range 4 * fours {
		row, s := (*[panelCols]float64)(b[i*stride:]), &sum[i%4]
		x := -row[k]
		y := math.FMA(x, by[next], row[next])
		for l, v := range row {
			v = math.FMA(x, by[l], v)
			row[l] = v
			s[l] = math.FMA(y, v, s[l])
		}
	}
	for l := range dot {
		dot[l] = (sum[0][l] + sum[1][l]) + (sum[2][l] + sum[3][l])
	}
}
