package models

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// linearFormat is the first byte of both variants' state.
const linearFormat = 1

// AppendBinary appends the format, the flag of discounting, n, s2 and the
// packed factor: 8((p+1)(p+2)/2 + 2) + 2 bytes.
func (m *Linear) AppendBinary(b []byte) ([]byte, error) {
	flag := byte(0)
	if m.forgot {
		flag = 1
	}
	b = append(b, linearFormat, flag)
	b = appendFloats(b, m.n, m.s2)
	return appendFloats(b, m.r...), nil
}

// UnmarshalBinary replaces the state.
func (m *Linear) UnmarshalBinary(b []byte) error {
	m.post.ready = false
	if len(b) < 2 || b[0] != linearFormat || b[1] > 1 {
		return errState("linear", "unknown format")
	}
	var head [2]float64
	if !readFloats(b[2:], head[:], m.r) {
		return errState("linear", "wrong length or numbers")
	}
	m.forgot, m.n, m.s2 = b[1] == 1, head[0], head[1]
	if m.n < 0 || m.s2 < 0 || (m.n > 0) != (m.s2 > 0) {
		return errState("linear", "rows or variance out of range")
	}
	return nil
}

// AppendBinary appends the format, n, s2, the residual sum of squares, X'y
// and the lower triangle of X'X, the last two weighted.
func (m *LinearPaper) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, linearFormat)
	b = appendFloats(b, m.n, m.s2, m.ssr)
	b = appendFloats(b, m.xy...)
	return appendFloats(b, m.xx...), nil
}

// UnmarshalBinary replaces the state.
func (m *LinearPaper) UnmarshalBinary(b []byte) error {
	m.ready = false
	if len(b) < 1 || b[0] != linearFormat {
		return errState("linear paper", "unknown format")
	}
	var head [3]float64
	if !readFloats(b[1:], head[:], m.xy, m.xx) {
		return errState("linear paper", "wrong length or numbers")
	}
	m.n, m.s2, m.ssr = head[0], head[1], head[2]
	if m.n < 0 || !(m.s2 > 0) || m.ssr < 0 {
		return errState("linear paper", "rows or variance out of range")
	}
	return nil
}

func errState(model, what string) error {
	return fmt.Errorf("%w: %s: %s", cdf.ErrSnapshot, model, what)
}

// appendFloats appends the numbers, 8 bytes each, little-endian.
func appendFloats(b []byte, x ...float64) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// readFloats fills the slices in turn and reports whether b held exactly
// that many numbers, all finite. If not, the slices are left in any state.
func readFloats(b []byte, dst ...[]float64) bool {
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
		ok = ok && lin.Finite(d)
	}
	return ok
}

// Size returns the bytes held: the state, and about p^2 numbers that follow
// from it.
func (m *Linear) Size() int64 {
	p := int64(m.p)
	return 8*(int64(len(m.r))+p*(p+5)) + 512
}

// Size returns the bytes held.
func (m *LinearPaper) Size() int64 {
	p := int64(m.p)
	return 8*(int64(len(m.xx))+p*(p+2)) + 512
}
