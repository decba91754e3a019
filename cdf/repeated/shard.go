package repeated

import (
	"math"
	"math/bits"
)

// most is how many rows are looked at for what a shard tells.
const most = 4096

// Bits returns how much the responses of a shard tell, in bits, 40 for more: that of a
// shard that is no repeat are the same with a probability of at most 2 to minus as many.
// density is the mean log density that was predicted of them, in their units, -Inf where the model predicts
// nothing.
//
// It is what as many rows tell whose responses are equal as often as two of them. Those
// that are rounded tell no more than they surprise the model, which knows what is the same
// every time: NaN where it has not predicted them yet. It stops once that is 40.
func Bits(y []float64, density float64) float64 {
	var seen [256]uint16 // by eight bits of a hash: what differs may count as equal
	equal, n, told := 0., 0, 0.
	for _, v := range y[:min(len(y), most)] {
		at := &seen[math.Float64bits(v+0)*multiplier>>56] // -0 is 0
		equal += float64(*at)
		*at++
		if n++; n&(n-1) == 0 && equal <= atMost[bits.Len(uint(n))] {
			told = certain
			break
		}
	}
	if told < certain {
		told = information(n, equal)
	}
	if unit := unitOf(y[:n]); unit > 0 && told >= Least {
		told = min(told, -float64(len(y))*(density+math.Log(unit))/math.Ln2)
	}
	return min(told, certain)
}

// atMost is how many pairs of 1, 2, 4, ... rows may be equal of those that tell what is certain, by the length of
// that number in bits.
var atMost = newAtMost()

func newAtMost() (pairs [14]float64) {
	for i := range pairs {
		n := math.Exp2(float64(i - 1))
		pairs[i] = (n*(n-1)/2+1)/math.Exp2(certain/n) - 1
	}
	return pairs
}

// information returns that of n rows of which as many pairs are equal.
func information(n int, equal float64) float64 {
	pairs := float64(n) * float64(n-1) / 2
	return float64(n) * math.Log2((pairs+1)/(equal+1))
}

// unitOf returns the largest unit of 1 to 1e-4 of which all values are multiples, 0
// where there is none.
func unitOf(y []float64) float64 {
	scale := 1.
	for _, v := range y {
		for v = math.Abs(v); ; scale *= 10 {
			if scale > 1e4 {
				return 0
			}
			if x := v * scale; math.Abs(x-math.RoundToEven(x)) <= 1e-15*x {
				break
			}
		}
	}
	return 1 / scale
}

// Hash is that of the rows of a shard: the same on all machines and of all releases.
type Hash uint64

const multiplier = 0x9e3779b97f4a7c15

// secrets are digits of pi.
const (
	secret0 = 0x243f6a8885a308d3
	secret1 = 0x13198a2e03707344
	secret2 = 0xa4093822299f31d0
	secret3 = 0x082efa98ec4e6c89
)

// fold is the two halves of a product (wyhash).
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Number takes a number in; all that are NaN are the same.
func (h *Hash) Number(v float64) {
	w := math.Float64bits(v)
	if v != v {
		w = secret3
	}
	h.Word(w)
}

// Word takes a word in.
func (h *Hash) Word(w uint64) { *h = Hash(fold(uint64(*h)^secret0, w^secret1)) }

// Text takes a text in.
func (h *Hash) Text(s string) {
	w := uint64(len(s))
	for i := range len(s) {
		w = w*multiplier + uint64(s[i])
	}
	h.Word(w)
}

// Numbers takes numbers in that are not NaN, eight at a time in four lanes.
func (h *Hash) Numbers(v []float64) {
	h.Word(uint64(len(v)))
	a := uint64(*h)
	b, c, d := a, a, a
	for ; len(v) >= 8; v = v[8:] {
		a = fold(math.Float64bits(v[0])^secret0, math.Float64bits(v[1])^a)
		b = fold(math.Float64bits(v[2])^secret1, math.Float64bits(v[3])^b)
		c = fold(math.Float64bits(v[4])^secret2, math.Float64bits(v[5])^c)
		d = fold(math.Float64bits(v[6])^secret3, math.Float64bits(v[7])^d)
	}
	for _, x := range v {
		a = fold(math.Float64bits(x)^secret0, a^secret1)
	}
	*h = Hash(fold(a^secret2, fold(b^secret1, c)^d))
}

// Print returns the fingerprint.
func (h Hash) Print() uint32 { return max(uint32(fold(uint64(h)^secret2, secret3)>>32), 1) }
