package probit

import (
	"encoding/binary"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// format is the first byte of the state; withEdges that of one that has edges, too.
const format, withEdges = 2, 3

// AppendBinary appends the format, the stage, the number of rows in the
// window (4 bytes, little-endian), the lower triangle of xx, xz, the classes, the edges where they tell
// what neither the window nor the signs do, the window and, once there are some, the draws. A full window makes that
// 8 (p(p+1)/2 + 3p + bp + Sp) + 6 bytes, or 32 p more.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	format, edges := byte(format), edges(nil)
	if m.Amended() {
		format, edges = withEdges, m.edges
	}
	b = append(b, format, byte(m.stage))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rows()))
	for i := range m.p {
		b = codec.AppendFloats(b, m.xx[i*m.p:i*m.p+i+1]...)
	}
	b = codec.AppendAll(b, m.xz, m.classes, edges, m.window.x)
	if m.stage != stageNew {
		b = codec.AppendFloats(b, m.draws...)
	}
	return b, nil
}

// UnmarshalBinary replaces the state.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 6 || b[0] != format && b[0] != withEdges || b[1] > byte(stageRows) {
		return codec.Error("probit", "unknown format")
	}
	head, edges := b[0], m.edges[:0]
	if head == withEdges {
		edges = m.edges
	}
	stage, rows := stage(b[1]), int(binary.LittleEndian.Uint32(b[2:]))
	if b = b[6:]; rows > m.limit || rows > len(b)/(8*m.p) || rows > 0 && stage != stageRows {
		return codec.Error("probit", "too many rows")
	}
	m.window.x = lin.Grow(m.window.x, rows*m.p)
	parts := make([][]float64, 0, m.p+5)
	for i := range m.p {
		parts = append(parts, m.xx[i*m.p:i*m.p+i+1])
	}
	parts = append(parts, m.xz, m.classes, edges, m.window.x)
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
	if head != withEdges {
		m.restoreEdges()
	} else if !m.Amended() {
		return codec.Error("probit", "edges that tell nothing")
	}
	m.stage = stage
	m.outline()
	return nil
}

// restoreEdges makes them of the window, which has all rows as long as none has left it. Those that were
// not stored told nothing, or are of a state that an earlier release wrote.
func (m *Model) restoreEdges() {
	if m.anyLeft() {
		m.edges.close()
		return
	}
	m.edges.begin()
	m.edges.add(m.window.x, m.p)
}

// Amended implements cdf.Amended: of columns that a row can still give a base the edges are stored, once the window has not
// all rows.
func (m *Model) Amended() bool { return m.edges.open() && m.anyLeft() }

// anyLeft reports whether rows have left the window. One whose class was sure left nothing in the statistics, but
// is counted, by the sign of its intercept.
func (m *Model) anyLeft() bool {
	if len(m.edges) > 0 && m.classes[0]+m.classes[1] != float64(m.rows()) {
		return true
	}
	for j, v := range m.xz {
		if v != 0 || m.xx[j*m.p+j] != 0 {
			return true
		}
	}
	return false
}

// Size returns the bytes held: the state, and what Summarize needs beside it.
func (m *Model) Size() int64 {
	held := len(m.xx) + len(m.xz) + len(m.classes) + len(m.edges) + len(m.window.x) + len(m.draws) + len(m.post.cov) + len(m.post.means)
	return 8*int64(held) + 512
}

var (
	_ cdf.Summarizer  = (*Model)(nil)
	_ cdf.Flagger     = (*Model)(nil)
	_ cdf.Predictor   = (*Model)(nil)
	_ cdf.Sampler     = (*Model)(nil)
	_ cdf.Covariancer = (*Model)(nil)
	_ cdf.Sizer       = (*Model)(nil)
	_ cdf.Amended     = (*Model)(nil)
)
