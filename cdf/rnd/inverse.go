package rnd

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/normal"
)

// With Q the normal law's upper tail and L = -log Q, a draw above a is
//
//	x = L^-1(L(a) + e),  e = -log u, u even
//
// for then Q(x) is even below Q(a). Draws without a bound have L(a) = 0, those above one are made by singles.
// The functions are polynomials in pieces: the logarithm by eighths of [1, 2), and the inverse of L by octaves,
// because at 0 it is no smoother than a logarithm. The logarithm is right to 5e-10
// and the inverse to 5e-9 of y. The distribution function differs by 3e-9 at most,
// which no test tells in fewer than 1e16 draws; those of rand.NormFloat64 lie on a grid of
// about as much.
const (
	logTerms, pointTerms = 5, 10

	pointPieces = 16 // octaves, from pointLeast on
	pointLeast  = 1.0 / 1024
	lowest      = -3.0974137973228717 // L^-1(pointLeast)
)

// pieces are the coefficients, the highest power first, and the other numbers that
// assembly reads. The first index after By is the term, so that eight numbers are picked
// from a vector or two; elsewhere it is the piece.
type pieces struct {
	ln2           float64 // with a minus
	one, middle   float64 // of [1, 2)
	exponent      float64 // 2^52 + 1023
	even          float64 // 1 - 2^-53
	least         float64 // pointLeast
	unit, integer uint64  // bits of 1 and of 2^52
	fraction      uint64  // the bits below the exponent
	high, half    uint64  // the 52 bits of a number that choose u, and half of the last of them
	log           [logTerms]float64

	logs   [8][2]float64 // 1/c and -log c for the middle c
	points [pointPieces][16]float64

	logsBy   [2][8]float64
	pointsBy [pointTerms][pointPieces]float64
}

var inverse = sync.OnceValue(newPieces)

func newPieces() *pieces {
	p := &pieces{
		ln2: -math.Ln2, one: 1, middle: 1.5, exponent: 1<<52 + 1023, even: 1 - 0x1p-53, least: pointLeast,
		unit: 1023 << 52, integer: 1075 << 52, fraction: 1<<52 - 1, high: 1<<64 - 1<<12, half: 1 << 11,
	}
	// m = (1 + r)/scale gives -log m = log scale - log(1 + r), where |r| <= 1/17.
	fit(p.log[:], -1.0/17, 1.0/17, func(r float64) float64 { return -math.Log1p(r) / r })
	for i := range p.logs {
		scale := rounded(16 / float64(17+2*i))
		p.logs[i] = [2]float64{scale, rounded(math.Log(scale))}
		// AVX-512 takes 2^64 u, whose exponent is greater by 64. The sum is exact: log scale ends with 2^-40
		// and 64 log 2 with 2^-47, which is what a number of 32 to 64 ends with.
		p.logsBy[0][i], p.logsBy[1][i] = p.logs[i][0], p.logs[i][1]-64*p.ln2
	}
	for k := range pointPieces {
		octave := math.Ldexp(pointLeast, k)
		at := (math.Float64bits(octave) >> 52) & (pointPieces - 1)
		fit(p.points[at][:pointTerms], -.5, .5, func(d float64) float64 { return point(octave * (1.5 + d)) })
		for j := range pointTerms {
			p.pointsBy[j][at] = p.points[at][j]
		}
	}
	return p
}

// logTail returns -log Q(x).
func logTail(x float64) float64 { return -normal.LogCDF(-x) }

// point returns the x at which -log Q(x) is y, by Newton's method from above: the
// function is convex, and 0.5 x^2 is below it.
func point(y float64) float64 {
	x := math.Sqrt(2 * y)
	for {
		l := logTail(x)
		slope := math.Exp(l-0.5*x*x) / math.Sqrt(2*math.Pi)
		step := (l - y) / slope
		if x -= step; step < 1e-14 {
			return x
		}
	}
}

// fit writes a polynomial of rounded coefficients.
func fit(dst []float64, lo, hi float64, f func(float64) float64) {
	normal.Polynomial(dst, lo, hi, f)
	for i, v := range dst {
		dst[i] = rounded(v)
	}
}

// rounded is a multiple of 2^-40, so that no processor's rounding of what led to it
// changes a draw.
func rounded(x float64) float64 { return math.Round(x*(1<<40)) / (1 << 40) }
