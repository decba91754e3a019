package dlm

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// append appends what the rules over a window share: the clock, the steps, of
// which most take 9 bytes, and the numbers.
func (m *rowWindow) append(b []byte) []byte {
	b = append(b, windowFormat, codec.Flag(flagSeen, m.clock.Seen)|codec.Flag(flagLeft, m.left))
	b = m.clock.append(b)
	b = binary.AppendUvarint(b, uint64(len(m.steps)))
	for _, s := range m.steps {
		b = binary.AppendUvarint(b, uint64(s.n))
		if s.n > 0 {
			b = codec.AppendFloats(b, s.mean)
		}
		if s.n > 1 {
			b = codec.AppendFloats(b, s.ss)
		}
	}
	b = codec.AppendFloats(b, m.m0, m.v0, m.n)
	return codec.AppendAll(b, m.last[:], m.hat[:])
}

// readSteps reads the window and returns what follows it.
func (m *rowWindow) readSteps(b []byte) (rest []byte, ok bool) {
	count, k := binary.Uvarint(b)
	if k <= 0 || count > uint64(m.window) {
		return nil, false
	}
	b = b[k:]
	m.steps = m.steps[:0]
	for range count {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > 1<<40 {
			return nil, false
		}
		b = b[k:]
		s := Step{n: float64(n)}
		v := make([]float64, min(n, 2))
		if len(b) < 8*len(v) || !codec.ReadFloats(b[:8*len(v)], v) {
			return nil, false
		}
		b = b[8*len(v):]
		if n > 0 {
			s.mean = v[0]
		}
		if n > 1 {
			s.ss = v[1]
		}
		if s.ss < 0 {
			return nil, false
		}
		m.steps = append(m.steps, s)
	}
	return b, true
}

// read reads what append wrote and then the rule's own numbers.
func (m *rowWindow) read(b []byte, own ...[]float64) error {
	if len(b) < 10 || b[0] != windowFormat || b[1]&^byte(flagSeen|flagLeft) != 0 {
		return codec.Error("dlm", "unknown format")
	}
	m.left = b[1]&flagLeft != 0
	m.clock = Clock{Seen: b[1]&flagSeen != 0, Last: int64(binary.LittleEndian.Uint64(b[2:]))}
	b, ok := m.readSteps(b[10:])
	if !ok {
		return codec.Error("dlm", "steps out of range")
	}
	var head [3]float64
	if !codec.ReadFloats(b, append([][]float64{head[:], m.last[:], m.hat[:]}, own...)...) {
		return codec.Error("dlm", "wrong length or numbers")
	}
	m.m0, m.v0, m.n = head[0], head[1], head[2]
	if !m.inRange() || !m.clock.Seen && m.clock.Last != 0 {
		return codec.Error("dlm", "parameters, counts or variances out of range")
	}
	return nil
}

// inRange reports whether numbers that are finite are those of a state.
func (m *rowWindow) inRange() bool {
	usable := func(p vec3) bool { return math.Abs(p[0]) < 1 && p[1] > 0 && p[2] > 0 }
	return usable(m.hat) && (usable(m.last) || m.last == vec3{}) && m.v0 >= 0 && m.n >= 0 && (m.left || m.m0 == 0 && m.v0 == 0)
}

// loadable reports whether read takes what is not the rule's own.
func (m *rowWindow) loadable() bool {
	return lin.Finite(m.last[:]...) && lin.Finite(m.hat[:]...) && lin.Finite(m.m0, m.v0, m.n) && m.inRange()
}

// AppendBinary appends the window, the statistics and the running moments.
func (m *Compact) AppendBinary(b []byte) ([]byte, error) {
	b = m.append(b)
	b = codec.AppendFloats(b, float64(m.shards))
	return codec.AppendAll(b, m.numbers()...), nil
}

// loadable reports whether UnmarshalBinary takes the state.
func (m *Compact) loadable() bool {
	e := &m.edge
	ok := m.rowWindow.loadable() && lin.Finite(m.h[:]...) && lin.Finite(m.center[:]...) && lin.Finite(e.dm[:]...) && lin.Finite(e.dv[:]...)
	for i := range m.info {
		ok = ok && lin.Finite(m.info[i][:]...) && lin.Finite(m.cov[i][:]...)
	}
	return ok
}

func (m *Compact) numbers() [][]float64 {
	e := &m.edge
	out := [][]float64{m.h[:], m.center[:], e.dm[:], e.dv[:]}
	for i := range m.info {
		out = append(out, m.info[i][:], m.cov[i][:])
	}
	return out
}

// UnmarshalBinary replaces the state.
func (m *Compact) UnmarshalBinary(b []byte) error {
	var shards [1]float64
	if err := m.read(b, append([][]float64{shards[:]}, m.numbers()...)...); err != nil {
		return err
	}
	m.shards = int64(shards[0])
	m.edge.m, m.edge.v = m.m0, m.v0
	for i := range 3 {
		for j := range i {
			if m.info[i][j] != m.info[j][i] || m.cov[i][j] != m.cov[j][i] {
				return codec.Error("dlm compact", "matrices not symmetric")
			}
		}
		if m.info[i][i] < 0 || m.cov[i][i] < 0 {
			return codec.Error("dlm compact", "matrices out of range")
		}
	}
	if m.shards < 0 || float64(m.shards) != shards[0] {
		return codec.Error("dlm compact", "shards out of range")
	}
	return nil
}

// AppendBinary appends the window and the statistics.
func (m *Filtered) AppendBinary(b []byte) ([]byte, error) {
	b = m.append(b)
	return codec.AppendFloats(b, m.c[0], m.c[1], m.c[2], m.c[3], m.nSig, m.nTau), nil
}

// UnmarshalBinary replaces the state.
func (m *Filtered) UnmarshalBinary(b []byte) error {
	var counts [2]float64
	if err := m.read(b, m.c[:], counts[:]); err != nil {
		return err
	}
	m.nSig, m.nTau = counts[0], counts[1]
	if min(m.c[0], m.c[1], m.c[3], m.nSig, m.nTau) < 0 || !lin.Finite(m.c[:]...) {
		return codec.Error("dlm filtered", "statistics out of range")
	}
	return nil
}

// Size returns the bytes held.
func (m *rowWindow) Size() int64 { return int64(24*cap(m.steps)) + 768 }

type windowed interface {
	cdf.Model
	cdf.Summarizer
	cdf.Predictor
	cdf.Sampler
	cdf.Sizer
}

var (
	_ windowed = (*Compact)(nil)
	_ windowed = (*Filtered)(nil)
)
