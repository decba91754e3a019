// Package state lays out the bytes that baselines propagate from shard to shard:
// a format, then numbers of 8 bytes, little-endian.
package state

import (
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Format is the first byte of every state.
const Format = 1

// Append appends the format and the numbers. There is no error; AppendBinary
// has one.
func Append(b []byte, parts ...[]float64) ([]byte, error) {
	b = append(b, Format)
	for _, x := range parts {
		b = AppendFloats(b, x...)
	}
	return b, nil
}

// Numbers returns how many numbers a state holds, -1 where it is none.
func Numbers(b []byte) int {
	if len(b)%8 != 1 || b[0] != Format {
		return -1
	}
	return len(b) / 8
}

// Read fills the slices in turn. ErrSnapshot, wrapped: there are more or
// fewer numbers, or one is not finite; the slices are then in any state.
func Read(method string, b []byte, parts ...[]float64) error {
	want := 0
	for _, x := range parts {
		want += len(x)
	}
	if Numbers(b) != want {
		return Damaged(method, "wrong format or length")
	}
	if _, ok := TakeFloats(b[1:], parts...); !ok {
		return Damaged(method, "numbers not finite")
	}
	return nil
}

// Damaged reports bytes that are no state of the method.
func Damaged(method, what string) error {
	return fmt.Errorf("%w: %s: %s", cdf.ErrSnapshot, method, what)
}

// AppendFloats appends the numbers, 8 bytes each, little-endian.
func AppendFloats(b []byte, x ...float64) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, x) // fails for types without a size only
	return b
}

// TakeFloats fills the slices in turn from the front of b, returns the rest
// and reports whether there were as many numbers, all finite.
func TakeFloats(b []byte, dst ...[]float64) ([]byte, bool) {
	for _, d := range dst {
		n, err := binary.Decode(b, binary.LittleEndian, d)
		if err != nil || !lin.Finite(d...) {
			return nil, false
		}
		b = b[n:]
	}
	return b, true
}
