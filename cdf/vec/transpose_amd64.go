//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

//go:noescape
func avx2Transpose(a *float64, as int, b *float64, bs, m, n int)

//go:noescape
func avx2TwoRows(x, y, b *float64, stride, n int)

//go:noescape
func avx2TwoColumns(a *float64, stride int, x, y *float64, n int)

// transposeVectors returns how many rows it is done with, and up to which column.
func transposeVectors(m, n int, a []float64, as int, b []float64, bs int) (rows, columns int) {
	if with == isa.Portable || m < 2 || n < 2 || max(m, n) < 4 {
		return 0, 0
	}
	_, _ = a[(m-1)*as+n-1], b[(n-1)*bs+m-1] // assembly knows no bounds
	rows, columns = m&^3, n&^3
	whole := columns
	for i := 0; i < rows && columns > 0; {
		some := min(max(most/columns, 4)&^3, rows-i)
		for j := 0; j < columns; j += most {
			avx2Transpose(&a[i*as+j], 8*as, &b[j*bs+i], 8*bs, some, min(most, columns-j))
		}
		i += some
	}
	if n-columns >= 2 && rows > 0 {
		for i := 0; i < rows; i += most {
			avx2TwoColumns(&a[i*as+columns], 8*as, &b[columns*bs+i], &b[(columns+1)*bs+i], min(most, rows-i))
		}
		columns += 2
	}
	if m-rows >= 2 && whole > 0 {
		for j := 0; j < whole; j += most {
			avx2TwoRows(&a[rows*as+j], &a[(rows+1)*as+j], &b[j*bs+rows], 8*bs, min(most, whole-j))
		}
		for i := rows; i < rows+2; i++ {
			for j := whole; j < columns; j++ {
				b[j*bs+i] = a[i*as+j]
			}
		}
		rows += 2
	}
	return rows, columns
}
