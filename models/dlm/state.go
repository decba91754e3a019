package dlm

import (
	"encoding/binary"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// The first byte of the state: of mode grid, of the windows, of mode grid where
// the mean is not known.
const (
	format       = 1
	windowFormat = 2
	meanFormat   = 3
)

// Flags of the states.
const (
	flagForgot = 1 << iota
	flagSeen
	flagReserved
	allFlags
	flagLeft = allFlags // of the windows: some step left
)

// append appends the time of the last row.
func (c *Clock) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(c.Last))
}

func (m *Model) format() byte {
	if m.family.known {
		return format
	}
	return meanFormat
}

// AppendBinary appends the format, flags, the last time, the number of
// observations, n, the limits and the statistics of the nodes: 31 kB, 54 with a
// mean that is not known, and as much again with the reserve.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, m.format(), codec.Flag(flagForgot, m.forgot)|codec.Flag(flagSeen, m.clock.Seen)|codec.Flag(flagReserved, m.reserved))
	b = m.clock.append(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.rows))
	b = codec.AppendFloats(b, m.n)
	fields := m.grid.fields()
	b = codec.AppendAll(codec.AppendAll(b, m.grid.low[:], m.grid.high[:]), fields[:]...)
	if m.reserved {
		fields = m.reserve.fields()
		b = codec.AppendAll(b, fields[:]...)
	}
	return b, nil
}

// UnmarshalBinary replaces the state.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 18 || b[0] != m.format() || b[1] >= allFlags {
		return codec.Error("dlm", "unknown format")
	}
	m.failed, m.told = false, told{}
	m.changed()
	m.forgot, m.clock.Seen, m.reserved = b[1]&flagForgot != 0, b[1]&flagSeen != 0, b[1]&flagReserved != 0
	m.clock.Last = int64(binary.LittleEndian.Uint64(b[2:]))
	m.rows = int64(binary.LittleEndian.Uint64(b[10:]))
	if m.reserved && m.reserve.m == nil {
		m.reserve = newGrid(m.family.known)
	}
	var n [1]float64
	var low, high [2]float64
	dst := [][]float64{n[:], low[:], high[:]}
	grids := []*grid{&m.grid}
	if m.reserved {
		grids = append(grids, &m.reserve)
	}
	for _, g := range grids {
		f := g.fields()
		dst = append(dst, f[:]...)
	}
	if !codec.ReadFloats(b[18:], dst...) {
		return codec.Error("dlm", "wrong length or numbers")
	}
	m.n = n[0]
	for axis := range low {
		if !(low[axis] >= fullLow[axis] && low[axis] < high[axis] && high[axis] <= fullHigh[axis]) {
			return codec.Error("dlm", "limits out of range")
		}
	}
	m.grid.place(low, high)
	for _, g := range grids {
		for k, v := range g.v {
			if !(v > 0) || !(g.sse[k] >= 0) || g.rr != nil && !(g.rr[k] >= 0) {
				return codec.Error("dlm", "variances out of range")
			}
		}
	}
	if m.n < 0 || m.rows < 0 || m.n > float64(m.rows) || !m.clock.Seen && m.clock.Last != 0 ||
		!m.reserved && (low != fullLow || high != fullHigh) {
		return codec.Error("dlm", "counts or limits out of range")
	}
	w := m.family.take()
	defer m.family.scratch.Put(w)
	if !w.weighState(m) || !lin.Finite(w.rate...) {
		return codec.Error("dlm", "weights not finite")
	}
	return nil
}

// Size returns the bytes held.
func (m *Model) Size() int64 {
	size := int64(8 * 4 * nodes * nodes)
	if !m.family.known {
		size = 8 * 7 * nodes * nodes
	}
	if m.reserve.m != nil {
		size *= 2
	}
	return size + 2048
}

var _ interface {
	cdf.Model
	cdf.Summarizer
	cdf.Predictor
	cdf.Evidence
	cdf.Sizer
	cdf.Flagger
} = (*Model)(nil)
