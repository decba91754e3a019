package baselines

import (
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// format is the first byte of every state.
const format = 1

// appendState appends the format and the numbers, little-endian.
func appendState(b []byte, parts ...[]float64) ([]byte, error) {
	b = append(b, format)
	var err error
	for _, x := range parts {
		if b, err = binary.Append(b, binary.LittleEndian, x); err != nil {
			return nil, err
		}
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
	b = b[1:]
	for _, x := range parts {
		n, err := binary.Decode(b, binary.LittleEndian, x)
		if err != nil {
			return damaged(method, err.Error())
		}
		if b = b[n:]; !lin.Finite(x) {
			return damaged(method, "numbers not finite")
		}
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
