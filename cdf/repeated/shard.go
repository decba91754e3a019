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
	equal, n, told := 0, 0, 0.
	for _, v := range y[:min(len(y), most)] {
		at := &seen[math.Float64bits(v+0)*multiplier>>56] // -0 is 0
		equal += int(*at)
		*at++
		if n++; n < len(atMost) && equal <= atMost[n] || n&(n-1) == 0 && n >= len(atMost) && information(n, equal) >= certain {
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

// atMost is how many pairs of so many rows may be equal of those that tell what is certain.
var atMost = newAtMost()

func newAtMost() (pairs [64]int) {
	for n := range pairs {
		pairs[n] = n*(n-1)/2 + 1
		for pairs[n] >= 0 && information(n, pairs[n]) < certain {
			pairs[n]--
		}
	}
	return pairs
}

// information returns that of n rows of which as many pairs are equal.
func information(n, equal int) float64 {
	pairs := n * (n - 1) / 2
	return float64(n) * math.Log2(float64(pairs+1)/float64(equal+1))
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

// Number returns the hash with a number; all that are NaN are the same.
func (h Hash) Number(v float64) Hash {
	if math.IsNaN(v) {
		return h.Word(secret3)
	}
	return h.Word(math.Float64bits(v))
}

// Word returns the hash with a word.
func (h Hash) Word(w uint64) Hash { return Hash(fold(uint64(h)^secret0, w^secret1)) }

// Text returns the hash with a text.
func (h Hash) Text(s string) Hash {
	w := uint64(len(s))
	for i := range len(s) {
		w = w*multiplier + uint64(s[i])
	}
	return h.Word(w)
}

// Numbers returns the hash of numbers that are not NaN. It takes eight at a time, in four lanes.
func Numbers(v []float64) Hash {
	a := uint64(Hash(0).Word(uint64(len(v))))
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
	return Hash(fold(a^secret2, fold(b^secret1, c)^d))
}

// Print returns the fingerprint.
func (h Hash) Print() uint32 { return max(uint32(fold(uint64(h)^secret2, secret3)>>32), 1) }
