package rnd

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/isa"
)

// Lanes are eight generators side by side, xoshiro256++ (Blackman and Vigna, ACM TOMS
// 47, 2021), and draw normals eight at a time by the inverse of their law. Where many are
// drawn it replaces normals above a bound by cells of their law, one at a time, and
// rand.NormFloat64; ns per draw, in turns on one core of an EPYC (Zen 5), bounds from N(0,
// 1.5^2):
//
//	           before   AVX-512      AVX2         portable
//	Positive   6.7      1.1 (6.2 x)  4.5 (1.5 x)  18
//	Normals    4        .78 (5.1 x)  3.2 (1.3 x)  11
//
// Conversions of whole numbers and remainders by one instruction each took 0.955 of the time in AVX-512 of what
// shifts and differences did, in turns on a Xeon beside other work.
//
// Both take from a rand.Rand the few draws that the inverse does not make.
type Lanes struct {
	s [4][8]uint64
	c *pieces
}

// with is what lanes are drawn with. Only tests change it.
var with = isa.Best()

// Seed starts all generators from r.
func (l *Lanes) Seed(r *rand.Rand) {
	for i := range l.s {
		for j := range l.s[i] {
			l.s[i][j] = r.Uint64()
		}
	}
	l.c = inverse()
}

// Normals fills dst with independent standard normal draws.
func (l *Lanes) Normals(r *rand.Rand, dst []float64) { l.draw(r, dst, false) }

// Positive puts in the place of each mean in t a draw from the normal law of that
// mean and variance 1 restricted to positive values. A NaN stays.
func (l *Lanes) Positive(r *rand.Rand, t []float64) { l.draw(r, t, true) }

// draw does one or the other. A last group of less than eight takes as much of
// the generators as a whole one.
func (l *Lanes) draw(r *rand.Rand, t []float64, positive bool) {
	var done [64]uint8
	for len(t) >= 8 {
		n := min(len(t)/8, len(done))
		lanes(&l.s, l.c, t[:8*n], done[:n], positive)
		for v := 0; v < n; v += 8 {
			if binary.LittleEndian.Uint64(done[v:]) == math.MaxUint64 {
				continue
			}
			for u, all := range done[v:min(v+8, n)] {
				if all != 0xff {
					rare(r, t[8*(v+u):][:8], all, positive)
				}
			}
		}
		t = t[8*n:]
	}
	if len(t) > 0 {
		var last [8]float64
		copy(last[:], t)
		lanes(&l.s, l.c, last[:], done[:1], positive)
		rare(r, last[:len(t)], done[0], positive)
		copy(t, last[:])
	}
}

// rare makes the draws that are not done: those in the lower tail, where the inverse has no
// piece, those above high bounds, and those that fell below a bound that was taken
// for none. Where the bound is below lowest, only the first are not done.
func rare(r *rand.Rand, t []float64, done uint8, positive bool) {
	for i, mean := range t {
		switch {
		case done>>i&1 == 1:
			continue
		case !positive:
			t[i] = below(r)
			continue
		case -mean < lowest:
			if x := below(r); x >= -mean {
				t[i] = mean + x
				continue
			}
		}
		t[i] = TruncNormal(r, mean, 1, 0, math.Inf(1))
	}
}

// below draws a standard normal restricted to values below lowest.
func below(r *rand.Rand) float64 { return -tail(r, -lowest, math.Inf(1)) }

// portableLanes makes a draw from every generator for every eight entries of t, and
// leaves those alone whose bits in done are not set.
func portableLanes(s *[4][8]uint64, c *pieces, t []float64, done []uint8, positive bool) {
	for v := range done {
		done[v] = 0
		for i := range 8 {
			to := &t[8*v+i]
			y := c.exponential(next(s, i))
			if !positive {
				if y >= c.least {
					*to = c.at(y)
					done[v] |= 1 << i
				}
				continue
			}
			a := 0 - *to
			if !(a <= c.most) {
				continue
			}
			y += c.tail(a)
			if x := c.at(y); y >= c.least && x >= a {
				*to += x
				done[v] |= 1 << i
			}
		}
	}
}

// next is the next number of the generator i.
func next(s *[4][8]uint64, i int) uint64 {
	s0, s1, s2, s3 := s[0][i], s[1][i], s[2][i], s[3][i]
	out := bits.RotateLeft64(s0+s3, 23) + s0
	shifted := s1 << 17
	s2 ^= s0
	s3 ^= s1
	s[1][i] = s1 ^ s2
	s[0][i] = s0 ^ s3
	s[2][i] = s2 ^ shifted
	s[3][i] = bits.RotateLeft64(s3, 45)
	return out
}

// exponential returns -log u for the u in (0, 1) that even bits choose.
func (c *pieces) exponential(even uint64) float64 {
	u := math.Float64bits(math.Float64frombits(even>>12|c.unit) - c.even)
	exponent := math.Float64frombits(u>>52|c.integer) - c.exponent
	piece := &c.logs[u>>49&7]
	r := math.FMA(math.Float64frombits(u&c.fraction|c.unit), piece[0], -1)
	g := c.log[0]
	for _, next := range c.log[1:] {
		g = math.FMA(g, r, next)
	}
	return math.FMA(g, r, math.FMA(exponent, c.ln2, piece[1]))
}

// tail returns -log Q(a), a at most tailMost, and 0 below tailLeast.
func (c *pieces) tail(a float64) float64 {
	a = max(a, c.first)
	piece := a + c.shift
	d := a - (piece - c.shift)
	p := c.tails[math.Float64bits(piece)&(tailPieces-1)][:tailTerms]
	h := p[0]
	for _, next := range p[1:] {
		h = math.FMA(h, d, next)
	}
	return h
}

// at returns the x at which -log Q(x) is y, from pointLeast on.
func (c *pieces) at(y float64) float64 {
	b := math.Float64bits(y)
	d := math.Float64frombits(b&c.fraction|c.unit) - c.middle
	p := c.points[b>>52&(pointPieces-1)][:pointTerms]
	x := p[0]
	for _, next := range p[1:] {
		x = math.FMA(x, d, next)
	}
	return x
}
