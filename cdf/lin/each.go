package lin

// What is done with one entry after the other goes by vectors of AVX2, four entries at a time: products are
// rounded before they are added, as in the loops, so that the bits are the same. gen writes the assembly.
//
// They replace the loops, which take rows of less than long entries. In turns on one core of a Xeon beside other
// work, in ns, of which some 5 are the benchmark's:
//
//	n      Axpy                 Scale        Products     AddSquares
//	16     10.7, loop 10.9      11, 24       17, 14       8.7, 12.9
//	51     13.5, loop 23.5      21, 56       12.6, 27     13.6, 31
//	501    54, loop 177         84, 291      47, 161      72, 207
//
// BenchmarkEach measures them.

// operation is one of them.
type operation uint8

const (
	axpy operation = iota
	scale
	products
	squares
)

// long is the length from which a call of vectors takes less time than a loop.
const long = 16

// Axpy adds a*x to y, over the entries of x; y is at least as long.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	if len(x) >= long {
		done := eachVectors(axpy, a, y, x, nil)
		x, y = x[done:], y[done:]
	}
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += float64(a * x[0])
		y[1] += float64(a * x[1])
		y[2] += float64(a * x[2])
		y[3] += float64(a * x[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

// Scale multiplies x by a.
func Scale(a float64, x []float64) {
	if len(x) >= long {
		scaleLong(a, x) // apart, so that this is inlined
		return
	}
	for i := range x {
		x[i] *= a
	}
}

func scaleLong(a float64, x []float64) {
	for i := eachVectors(scale, a, x, nil, nil); i < len(x); i++ {
		x[i] *= a
	}
}

// Products sets dst to the products of the entries of x and y; both are at least as long.
func Products(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	done := 0
	if len(dst) >= long {
		done = eachVectors(products, 0, dst, x, y)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = x[i] * y[i]
	}
}

// AddSquares adds to dst the squares of the products of the entries of x and y; both are at least as long.
func AddSquares(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	done := 0
	if len(dst) >= long {
		done = eachVectors(squares, 0, dst, x, y)
	}
	for i := done; i < len(dst); i++ {
		v := x[i] * y[i]
		dst[i] += float64(v * v)
	}
}
