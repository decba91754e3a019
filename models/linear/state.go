package linear

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/codec"
	"github.com/credence-stream/credence/models/internal/qr"
)

// format is the first byte of both variants' state.
const format = 1

// AppendBinary appends the format, the flag of discounting, n, s2 and the
// packed factor: 8((p+1)(p+2)/2 + 2) + 2 bytes.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format, codec.Flag(1, m.forgot))
	b = codec.AppendFloats(b, m.n, m.s2)
	return codec.AppendFloats(b, m.r...), nil
}

// UnmarshalBinary replaces the state.
func (m *Model) UnmarshalBinary(b []byte) error {
	m.post.ready = false
	if len(b) < 2 || b[0] != format || b[1] > 1 {
		return codec.Error("linear", "unknown format")
	}
	var head [2]float64
	if !codec.ReadFloats(b[2:], head[:], m.r) {
		return codec.Error("linear", "wrong length or numbers")
	}
	m.forgot, m.n, m.s2 = b[1] == 1, head[0], head[1]
	if m.n < 0 || m.s2 < 0 || (m.n > 0) != (m.s2 > 0) {
		return codec.Error("linear", "rows or variance out of range")
	}
	return nil
}

// AppendBinary appends the format, n, s2, the residual sum of squares, X'y
// and the lower triangle of X'X, the last two weighted.
func (m *Paper) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format)
	b = codec.AppendFloats(b, m.n, m.s2, m.ssr)
	return codec.AppendAll(b, m.xy, m.xx), nil
}

// UnmarshalBinary replaces the state.
func (m *Paper) UnmarshalBinary(b []byte) error {
	m.ready = false
	if len(b) < 1 || b[0] != format {
		return codec.Error("linear paper", "unknown format")
	}
	var head [3]float64
	if !codec.ReadFloats(b[1:], head[:], m.xy, m.xx) {
		return codec.Error("linear paper", "wrong length or numbers")
	}
	m.n, m.s2, m.ssr = head[0], head[1], head[2]
	if m.n < 0 || !(m.s2 > 0) || m.ssr < 0 {
		return codec.Error("linear paper", "rows or variance out of range")
	}
	return nil
}

// Size returns the bytes held: the state, and about p^2 numbers that follow
// from it.
func (m *Model) Size() int64 {
	p := int64(m.P)
	return 8*(int64(len(m.r))+p*(p+7)) + 512
}

// Size returns the bytes held.
func (m *Paper) Size() int64 {
	p := int64(m.P)
	return 8*(int64(len(m.xx))+p*(p+2)) + 512
}

// TakeRounded implements cdf.Rounded: the plug-in follows from the factor, which rows may have entered in another order of
// operations.
func (m *Model) TakeRounded(from cdf.Model) bool {
	o, ok := from.(*Model)
	if !ok || !cdf.RoundedSame(m.s2, o.s2) || !qr.SameRounded(m.r, o.r, m.P+1) {
		return false
	}
	copy(m.r, o.r)
	m.s2, m.post.ready = o.s2, false
	return true
}
