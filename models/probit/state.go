package probit

import (
	"encoding/binary"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// format is the first byte of the state.
const format = 2

// AppendBinary appends the format, the stage, the number of rows in the
// window (4 bytes, little-endian), the lower triangle of xx, xz, the classes,
// the window and, once there are some, the draws. A full window makes that
// 8 (p(p+1)/2 + 3p + bp + Sp) + 6 bytes.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format, byte(m.stage))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rows()))
	for i := range m.p {
		b = codec.AppendFloats(b, m.xx[i*m.p:i*m.p+i+1]...)
	}
	b = codec.AppendAll(b, m.xz, m.classes, m.window.x)
	if m.stage != stageNew {
		b = codec.AppendFloats(b, m.draws...)
	}
	return b, nil
}

// UnmarshalBinary replaces the state.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 6 || b[0] != format || b[1] > byte(stageRows) {
		return codec.Error("probit", "unknown format")
	}
	stage, rows := stage(b[1]), int(binary.LittleEndian.Uint32(b[2:]))
	if b = b[6:]; rows > m.limit || rows > len(b)/(8*m.p) || rows > 0 && stage != stageRows {
		return codec.Error("probit", "too many rows")
	}
	m.window.x = lin.Grow(m.window.x, rows*m.p)
	parts := make([][]float64, 0, m.p+4)
	for i := range m.p {
		parts = append(parts, m.xx[i*m.p:i*m.p+i+1])
	}
	parts = append(parts, m.xz, m.classes, m.window.x)
	if stage != stageNew {
		parts = append(parts, m.draws)
	}
	if !codec.ReadFloats(b, parts...) {
		return codec.Error("probit", "wrong length or numbers")
	}
	for i := range m.p {
		if m.xx[i*m.p+i] < 0 {
			return codec.Error("probit", "negative precision")
		}
	}
	for _, n := range m.classes {
		if n < 0 {
			return codec.Error("probit", "negative count of rows")
		}
	}
	m.stage = stage
	m.outline()
	return nil
}

// Size returns the bytes held: the state, and what Summarize needs beside it.
func (m *Model) Size() int64 {
	held := len(m.xx) + len(m.xz) + len(m.classes) + len(m.window.x) + len(m.draws) + len(m.post.cov) + len(m.post.means)
	return 8*int64(held) + 512
}

var (
	_ cdf.Summarizer  = (*Model)(nil)
	_ cdf.Flagger     = (*Model)(nil)
	_ cdf.Predictor   = (*Model)(nil)
	_ cdf.Sampler     = (*Model)(nil)
	_ cdf.Covariancer = (*Model)(nil)
	_ cdf.Sizer       = (*Model)(nil)
)
