package lin

import (
	"math"

	"github.com/credence-stream/credence/cdf/isa"
)

// The products of this package are made of strips, matrices c of up to 24
// columns to which AB is added:
//
//	c[i,j] = fma(a[i,l], b[l,j], c[i,j])  for l = 0, 1, ...
//
// Every entry is one chain of fused multiply-adds in the order of l. Vectors
// lie across columns and tiles across rows, so that neither the width of a
// vector nor the size of a tile changes a bit: AVX-512, AVX2 and the loops
// below agree. gen writes the assembly.
//
// It replaces gonum's Gemm for AB' and loops over four rows for A'B. GF/s on one
// core of an EPYC (Zen 4), whose peak is 59, measured in turns:
//
//	                               before   AVX-512       AVX2          portable
//	x beta, 48 x 50, 16 chains     8.1      51.3 (6.3 x)  44.3 (5.5 x)  3.5
//	x beta, 48 x 500, 16 chains    9.9      55.8 (5.6 x)  48.8 (4.9 x)  3.6
//	x't, 48 x 500, 16 chains       8.3      55.0 (6.6 x)  47.1 (5.7 x)  3.6
//	x'x, 50 x 24                   6.6      38.8 (5.9 x)  31.7 (4.8 x)  2.8
//	x'x, 300 x 500                 7.8      51.4 (6.6 x)  45.9 (5.9 x)  3
//	AB', 16 x 500 over 500         9.8      38.3 (3.9 x)  33.8 (3.4 x)
//
// Since then AVX2 has a mask only where the last vector is no whole one: 0.74 and 0.84 of the time of x beta and x't with 10 columns, 0.87 and 0.83 with
// 500, 0.90 of x'x, 300 x 48, in turns on an EPYC (Zen 4) without AVX-512.
//
// BenchmarkSweep, BenchmarkGram and BenchmarkMulT measure all against gonum.
const (
	stripCols = 24  // three vectors of AVX-512, six of AVX2
	stripDeep = 128 // the strip of b stays in a cache of 32 KiB
	stripRows = 256 // times the others 1.6 million operations, below 100 us: assembly is not preempted
)

// with is what strips are made with. Only tests change it.
var with = isa.Best()

// factor is a matrix whose entry i, l stands at i*row + l*deep.
type factor struct {
	x         []float64
	row, deep int
	sets      bool // c, which is written without being read; else AB is added to it
}

// factorOf returns the factor that is added by.
func factorOf(x []float64, row, deep int) factor { return factor{x: x, row: row, deep: deep} }

// first is the factor of what c begins with, if it is.
func (a factor) first(is bool) factor {
	a.sets = is
	return a
}

// at is the factor from an entry on.
func (a factor) at(i, l int) factor {
	a.x = a.x[i*a.row+l*a.deep:]
	return a
}

// add adds AB to c, m x n, over the depth k. b and c are row-major, with bs and
// cs entries from row to row. c may be empty where it has no rows.
func add(m, n, k int, a factor, b []float64, bs int, c []float64, cs int) {
	if m == 0 {
		return
	}
	for l := 0; l < k; l += stripDeep {
		deep := min(stripDeep, k-l)
		for j := 0; j < n; j += stripCols {
			tall(m, min(stripCols, n-j), deep, a.at(0, l).first(a.sets && l == 0), b[l*bs+j:], bs, c[j:], cs)
		}
	}
}

// addLower adds AB to the lower triangle of c, m x m. Above the diagonal are the
// corners of squares of 8 x 8 computed too.
func addLower(m, k int, a factor, b []float64, c []float64) {
	for l := 0; l < k; l += stripDeep {
		deep := min(stripDeep, k-l)
		for j := 0; j < m; j += stripCols {
			end := min(j+stripCols, m)
			for i := j; i < end; i += 8 {
				strip(end-i, min(8, end-i), deep, a.at(i, l), b[l*m+i:], m, c[i*m+i:], m)
			}
			if end < m {
				tall(m-end, end-j, deep, a.at(end, l), b[l*m+j:], m, c[end*m+j:], m)
			}
		}
	}
}

// tall adds to a strip of any number of rows.
func tall(m, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	if bs%64 == 0 && m >= 2*stripCols {
		packed(m, cols, deep, a, b, bs, c, cs)
		return
	}
	for i := 0; i < m; i += stripRows {
		strip(min(stripRows, m-i), cols, deep, a.at(i, 0), b, bs, c[i*cs:], cs)
	}
}

// packed does the same where rows of b are a power of two apart: few of them
// would find room in a cache at once.
func packed(m, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	var dense [stripDeep * stripCols]float64
	for l := range deep {
		copy(dense[l*cols:][:cols], b[l*bs:])
	}
	tall(m, cols, deep, a, dense[:], cols, c, cs)
}

// portableStrip adds AB to c, rows x cols, over the depth, four columns at a
// time.
func portableStrip(rows, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	for i := range rows {
		x, ci := a.x[i*a.row:], c[i*cs:][:cols]
		j := 0
		for ; j+4 <= cols; j += 4 {
			var c0, c1, c2, c3 float64
			if !a.sets {
				c0, c1, c2, c3 = ci[j], ci[j+1], ci[j+2], ci[j+3]
			}
			for l := range deep {
				v, bl := x[l*a.deep], b[l*bs+j:][:4]
				c0, c1, c2, c3 = math.FMA(v, bl[0], c0), math.FMA(v, bl[1], c1), math.FMA(v, bl[2], c2), math.FMA(v, bl[3], c3)
			}
			ci[j], ci[j+1], ci[j+2], ci[j+3] = c0, c1, c2, c3
		}
		for ; j < cols; j++ {
			sum := 0.0
			if !a.sets {
				sum = ci[j]
			}
			for l := range deep {
				sum = math.FMA(x[l*a.deep], b[l*bs+j], sum)
			}
			ci[j] = sum
		}
	}
}
