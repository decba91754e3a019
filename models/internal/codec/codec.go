// Package codec writes and reads the numbers of a model's state.
package codec

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Error reports, wrapping cdf.ErrSnapshot, what is wrong with the bytes of a
// model's state.
func Error(model, what string) error {
	return fmt.Errorf("%w: %s: %s", cdf.ErrSnapshot, model, what)
}

// AppendFloats appends the numbers, 8 bytes each, little-endian.
func AppendFloats(b []byte, x ...float64) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// AppendAll appends the numbers of all parts, as ReadFloats reads them.
func AppendAll(b []byte, parts ...[]float64) []byte {
	for _, x := range parts {
		b = AppendFloats(b, x...)
	}
	return b
}

// Flag returns the bit where it is set, 0 otherwise.
func Flag(bit byte, set bool) byte {
	if set {
		return bit
	}
	return 0
}

// ReadFloats fills the slices in turn and reports whether b held exactly
// that many numbers, all finite. If not, the slices are left in any state.
func ReadFloats(b []byte, dst ...[]float64) bool {
	n := 0
	for _, d := range dst {
		n += len(d)
	}
	if len(b) != 8*n {
		return false
	}
	ok := true
	for _, d := range dst {
		for i := range d {
			d[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
		ok = ok && lin.Finite(d...)
	}
	return ok
}
