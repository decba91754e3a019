// Package arithmetic tells whether two programs compute with the same bits. Of the same source, compilers for some processors
// make one instruction of a product and a sum, and the standard library has other code there, so that last digits differ.
package arithmetic

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math"
)

// Reference is the ID of what tests compare bytes with: the amd64 of Go's default, GOAMD64=v1 and v2, on a processor with FMA.
const Reference = "26a0c60b"

// ID is short and the same for programs whose floating-point numbers have the same bits, as far as a few hundred values of the
// standard library's functions and a product that is added to tell. Releases of Go may change it.
func ID() string {
	h := fnv.New64a()
	add := func(x float64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		h.Write(b[:])
	}
	for i := range 40 {
		x := .013 + float64(i)*.377
		for _, f := range functions {
			add(f(x))
		}
		add(math.Pow(x, 1.7))
		add(math.Hypot(x, 1.3))
		lgamma, _ := math.Lgamma(x)
		add(lgamma)
	}
	if Fuses() {
		add(1)
	}
	return hex.EncodeToString(h.Sum(nil)[4:])
}

var functions = []func(float64) float64{
	math.Exp, math.Log, math.Log1p, math.Expm1, math.Exp2, math.Log2, math.Log10, math.Erf, math.Erfc, math.Tanh, math.Sin, math.Cos, math.Cbrt,
}

// Fuses reports whether this build makes one instruction of a product and a sum, which rounds once.
func Fuses() bool { return sum(1./3, 3, -1) != 0 }

// sum is not part of its caller, where the compiler might know what becomes of it.
//
//go:noinline
func sum(x, y, z float64) float64 { return x*y + z }
