package rnd

import (
	"math"
	"sync"
)

// Draws above a bound are made as in pieces, of numbers of single precision: a vector holds twice as many, and one
// instruction picks a coefficient from sixteen pieces. The logarithm and L are right to 2e-7 of themselves or of 1, the inverse to
// 1e-6 of y. Above bounds up to 0 the distribution function differs by 2e-7 at most, at 2.2 by 8e-7 and at 4.6 by 2e-6,
// which no test tells in fewer than 1e11 draws. A draw is the mean, in double precision, and a number of 24 bits.
const (
	singleLogTerms, singleTailTerms, singlePointTerms = 3, 5, 8

	singlePieces = 16 // of -log u, of L by halves of the mean, and octaves of its inverse
	loosest      = 6  // the piece of L where it is 0, means around 3

	singleUnit = 127 << 23 // bits of 1
)

// singles are the coefficients, the highest power first, and the other numbers that assembly reads. The first
// index is the term.
type singles struct {
	low, odd uint32  // 31 bits that choose u, and the last of them, which is set
	down     uint32  // 31 in an exponent: u is that much less than the whole number
	fraction uint32  // the bits below the exponent
	unit     uint32  // bits of 1
	middle   float32 // of [1, 2)
	shift    float32 // a number + shift has the nearest whole number of halves in its lowest bits
	last     float32 // the mean in the middle of L's last piece
	least    float32 // pointLeast
	ln2      float32 // with a minus
	bias     int32   // of exponents
	log      [singleLogTerms]float32
	_        [2]float32

	logs   [2][singlePieces]float32 // 1/c and -log c for the middle c
	tails  [singleTailTerms][singlePieces]float32
	points [singlePointTerms][singlePieces]float32
}

var single = sync.OnceValue(newSingles)

func newSingles() *singles {
	p := &singles{
		low: 1<<31 - 1, odd: 1, down: 31 << 23, fraction: 1<<23 - 1, unit: singleUnit, middle: 1.5, shift: 3 << 21,
		last: loosest / 2, least: pointLeast, ln2: -math.Ln2, bias: 127,
	}
	// m = (1 + r)/scale gives -log m = log scale - log(1 + r), where |r| <= 1/33.
	fitSingle(singleLogTerms, -1.0/33, 1.0/33, func(r float64) float64 { return -math.Log1p(r) / r }, func(j int, c float32) { p.log[j] = c })
	for i := range singlePieces {
		scale := float32(rounded(32 / float64(33+2*i)))
		p.logs[0][i], p.logs[1][i] = scale, float32(rounded(math.Log(float64(scale))))
	}
	for i := loosest - singlePieces + 1; i < loosest; i++ {
		fitSingle(singleTailTerms, -.25, .25, func(d float64) float64 { return logTail(-(float64(i)/2 + d)) },
			func(j int, c float32) { p.tails[j][i&(singlePieces-1)] = c })
	}
	for k := range singlePieces {
		octave := math.Ldexp(pointLeast, k)
		at := math.Float32bits(float32(octave)) >> 23 & (singlePieces - 1)
		fitSingle(singlePointTerms, -.5, .5, func(d float64) float64 { return point(octave * (1.5 + d)) },
			func(j int, c float32) { p.points[j][at] = c })
	}
	return p
}

// fitSingle hands the coefficients of a polynomial to put.
func fitSingle(terms int, lo, hi float64, f func(float64) float64, put func(j int, c float32)) {
	c := make([]float64, terms)
	fit(c, lo, hi, f)
	for j, v := range c {
		put(j, float32(v))
	}
}

// portablePositive puts draws in the places of sixteen means for every two of done, two of each
// generator, and leaves those alone whose bits are not set.
func portablePositive(s *[4][8]uint64, c *singles, t []float64, done []uint8) {
	for v := range done {
		done[v] = 0
		for i := range 4 {
			both := next(s, 4*(v&1)+i)
			for half, number := range [2]uint32{uint32(both), uint32(both >> 32)} {
				at := 2*i + half
				to := &t[8*v+at]
				y := c.exponential(number) + c.tail(float32(*to))
				if !(y >= c.least) {
					continue
				}
				if x := *to + float64(c.at(y)); x > 0 {
					*to = x
					done[v] |= 1 << at
				}
			}
		}
	}
}

// exponential returns -log u for the u in (0, 1] that even bits choose.
func (c *singles) exponential(even uint32) float32 {
	u := math.Float32bits(float32(int32(even&c.low|c.odd))) - c.down
	exponent, piece := float32(int32(u>>23)-c.bias), u>>19&(singlePieces-1)
	r := fma(math.Float32frombits(u&c.fraction|singleUnit), c.logs[0][piece], -1)
	g := c.log[0]
	for _, next := range c.log[1:] {
		g = fma(g, r, next)
	}
	return fma(g, r, fma(exponent, c.ln2, c.logs[1][piece]))
}

// tail returns -log Q(-mean), and 0 where the mean is so high that few draws are below 0. That of a mean below -4.75
// is that of a mean higher by multiples of 8: of its draws those above 0 have the law that
// is asked for, and nearly all others are left.
func (c *singles) tail(mean float32) float32 {
	d := min(mean, c.last)
	piece := d + c.shift
	d -= piece - c.shift
	at := math.Float32bits(piece) & (singlePieces - 1)
	return horner(c.tails[:], at, d)
}

// at returns the x at which -log Q(x) is y, from pointLeast on.
func (c *singles) at(y float32) float32 {
	b := math.Float32bits(y)
	d, at := math.Float32frombits(b&c.fraction|singleUnit)-c.middle, b>>23&(singlePieces-1)
	return horner(c.points[:], at, d)
}

// horner is the polynomial of a piece at d. Each step is fma, which is too long for the compiler to have in place.
func horner(terms [][singlePieces]float32, piece uint32, d float32) float32 {
	piece &= singlePieces - 1
	x, by := terms[0][piece], float64(d)
	for i := 1; i < len(terms); i++ {
		z := terms[i][piece]
		sum := float64(x)*by + float64(z)
		if math.Float64bits(sum)<<35 == 1<<63 {
			x = halfway(x, d, z)
		} else {
			x = float32(sum)
		}
	}
	return x
}

// fma returns x*y + z, rounded once: the product is exact in double precision, and a sum that is not halfway between two numbers
// of single precision is nearest to the same one as what it was rounded from.
func fma(x, y, z float32) float32 {
	sum := float64(x)*float64(y) + float64(z)
	if math.Float64bits(sum)<<35 == 1<<63 {
		return halfway(x, y, z)
	}
	return float32(sum)
}

// halfway is fma where double precision has the sum halfway between two numbers: what it dropped decides.
//
//go:noinline
func halfway(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	part, b := sum-product, math.Float64bits(sum)
	switch rest := (product - (sum - part)) + (float64(z) - part); {
	case rest == 0:
	case rest > 0 == (sum > 0):
		b++
	default:
		b--
	}
	return float32(math.Float64frombits(b))
}
