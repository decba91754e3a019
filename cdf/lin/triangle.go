package lin

// Triangle is an upper triangular matrix of order n, of which every row begins on the diagonal.
//
// Its sums are those of one row after the other by Dot and Axpy, to the bit, by vectors of AVX2: four rows in a call's loop, which
// share the vector or the sums. gen writes the assembly. In turns on one core of a Xeon beside other work, in us:
//
//	n      Times          TimesT         RowSquares     ColumnSquares
//	51     0.18, 0.67     0.16, 0.61     0.13, 0.65     0.20, 0.68
//	501    15.8, 45.1     15.4, 25.0     11.6, 44.6     17.0, 31.6
//
// BenchmarkTriangle measures them. Columns are scaled by vectors of AVX-512, from order 16 on in a call: a shard of linear of 50
// columns and 10 rows takes 0.98 of the time that it took with one for each row, in turns on an EPYC (Zen 4).
type Triangle struct {
	a    []float64
	n    int
	step int // from the first entry of row 0 to that of row 1
	less int // by which the next step is shorter
}

// Upper is the upper triangle of a, n x n row-major.
func Upper(n int, a []float64) Triangle { return Triangle{a, n, n + 1, 0} }

// Packed is that of the first n columns of a packed factor of the given order.
func Packed(n, order int, r []float64) Triangle { return Triangle{r, n, order, 1} }

// row returns row i.
func (t Triangle) row(i int) []float64 {
	at := i*t.step - i*(i-1)/2*t.less
	return t.a[at : at+t.n-i]
}

// Times sets y to Ux, both of length n.
func (t Triangle) Times(x, y []float64) {
	if t.n < shortest {
		t.timesFew(x[:t.n], y)
		return
	}
	for i := t.vectors(rowDots, x, y); i < t.n; i++ {
		y[i] = Dot(t.row(i), x[i:])
	}
}

// timesFew is Times, whose sums are those of Dot without its calls: 0.4 of the time at n = 6.
func (t Triangle) timesFew(x, y []float64) {
	at, step := 0, t.step
	for i := range x {
		row, v, k := t.a[at:at+len(x)-i], x[i:], 0
		var s0, s1, s2, s3 float64
		if len(row) >= 4 && len(v) >= 4 {
			s0, s1, s2, s3 = float64(row[0]*v[0]), float64(row[1]*v[1]), float64(row[2]*v[2]), float64(row[3]*v[3])
			k = 4
		}
		for ; k < len(row) && k < len(v); k++ {
			s0 += float64(row[k] * v[k])
		}
		y[i] = (s0 + s1) + (s2 + s3)
		at, step = at+step, step-t.less
	}
}

// TimesT sets y to U'x, both of length n.
func (t Triangle) TimesT(x, y []float64) {
	if t.n < shortest {
		for j := range t.n {
			sum, at := 0.0, j
			for i, v := range x[:j+1] {
				sum += float64(v * t.a[at])
				at += t.step - i*t.less - 1
			}
			y[j] = sum
		}
		return
	}
	clear(y[:t.n])
	for i := t.vectors(columnSums, x, y); i < t.n; i++ {
		Axpy(x[i], t.row(i), y[i:])
	}
}

// RowSquares sets y to the squared lengths of the rows.
func (t Triangle) RowSquares(y []float64) {
	for i := t.vectors(rowSquares, nil, y); i < t.n; i++ {
		row := t.row(i)
		y[i] = Dot(row, row)
	}
}

// ColumnSquares sets y to the squared lengths of the columns, each of which is multiplied by its entry of x.
func (t Triangle) ColumnSquares(x, y []float64) {
	if t.n < shortest {
		for j, by := range x[:t.n] {
			sum, at := 0.0, j
			for i := range j + 1 {
				v := t.a[at] * by
				sum += float64(v * v)
				at += t.step - i*t.less - 1
			}
			y[j] = sum
		}
		return
	}
	clear(y[:t.n])
	for i := t.vectors(columnSquares, x, y); i < t.n; i++ {
		AddSquares(y[i:t.n], t.row(i), x[i:])
	}
}

// ScaleColumns sets dst, which is laid out as t is, to t with each column multiplied by its entry of x.
func (t Triangle) ScaleColumns(x []float64, dst Triangle) {
	if t.n >= long && t.scaleVectors(x, dst) {
		return
	}
	at, step := 0, t.step
	for i := range t.n {
		Products(dst.a[at:at+t.n-i], t.a[at:], x[i:])
		at, step = at+step, step-t.less
	}
}

// shortest is the order from which vectors and rows in memory pay: sums of few rows stay in a register each.
const shortest = 8

// sums is one of them.
type sums uint8

const (
	rowDots sums = iota
	columnSums
	rowSquares
	columnSquares
)
