package baselines

import (
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// format is the first byte of every state.
const format = 1

// appendState appends the format and the numbers.
func appendState(b []byte, parts ...[]float64) ([]byte, error) {
	b = append(b, format)
	for _, x := range parts {
		b = appendFloats(b, x...)
	}
	return b, nil
}

// numbers returns how many numbers a state holds, -1 where it is none.
func numbers(b []byte) int {
	if len(b)%8 != 1 || b[0] != format {
		return -1
	}
	return len(b) / 8
}

// readState fills the slices in turn. ErrSnapshot, wrapped: there are more or
// fewer numbers, or one is not finite; the slices are then in any state.
func readState(method string, b []byte, parts ...[]float64) error {
	want := 0
	for _, x := range parts {
		want += len(x)
	}
	if numbers(b) != want {
		return damaged(method, "wrong format or length")
	}
	if _, ok := takeFloats(b[1:], parts...); !ok {
		return damaged(method, "numbers not finite")
	}
	return nil
}

// damaged reports bytes that are no state of the method.
func damaged(method, what string) error {
	return fmt.Errorf("%w: %s: %s", cdf.ErrSnapshot, method, what)
}

// sized returns x with n entries, of any value.
func sized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// appendFloats appends the numbers, 8 bytes each, little-endian.
func appendFloats(b []byte, x ...float64) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, x) // fails for types without a size only
	return b
}

// takeFloats fills the slices in turn from the front of b, returns the rest
// and reports whether there were as many numbers, all finite.
func takeFloats(b []byte, dst ...[]float64) ([]byte, bool) {
	for _, d := range dst {
		n, err := binary.Decode(b, binary.LittleEndian, d)
		if err != nil || !lin.Finite(d) {
			return nil, false
		}
		b = b[n:]
	}
	return b, true
}
