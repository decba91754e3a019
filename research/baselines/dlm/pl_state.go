package dlm

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

const (
	head       = 3 // n, observations and transitions of the sums
	each       = 8 // theta, phi, tau2, sigma2 and the sums
	clockBytes = 9 // bytes: whether a time was seen, the last one
)

// AppendBinary appends the counts, eight numbers per particle and the clock.
func (m *pl) AppendBinary(b []byte) ([]byte, error) {
	x := make([]float64, head, head+each*len(m.now))
	x[0] = m.n
	for k := range m.now {
		p := &m.now[k]
		x[1], x[2] = p.sums.Observations, p.sums.Transitions
		x = append(append(append(x, p.theta), p.psi[:]...), p.sums.C[:]...)
	}
	b, err := state.Append(b, x)
	if err != nil {
		return nil, err
	}
	return binary.Append(b, binary.LittleEndian, struct {
		Seen bool
		Last int64
	}{m.clock.Seen, m.clock.Last})
}

// UnmarshalBinary replaces the state.
func (m *pl) UnmarshalBinary(b []byte) error {
	cut := len(b) - clockBytes
	if cut < 0 || b[cut] > 1 {
		return state.Damaged("dlm pl", "no clock")
	}
	m.clock.Seen, m.clock.Last = b[cut] == 1, int64(binary.LittleEndian.Uint64(b[cut+1:]))
	if !m.clock.Seen && m.clock.Last != 0 {
		return state.Damaged("dlm pl", "a time that was not seen")
	}
	count := state.Numbers(b[:cut])
	if count != head && count != head+each*m.set.Particles {
		return state.Damaged("dlm pl", "particles of other settings")
	}
	x := make([]float64, count)
	if err := state.Read("dlm pl", b[:cut], x); err != nil {
		return err
	}
	if min(x[0], x[1], x[2]) < 0 {
		return state.Damaged("dlm pl", "counts out of range")
	}
	m.n = x[0]
	m.now = make([]particle, (count-head)/each)
	for k := range m.now {
		p, v := &m.now[k], x[head+each*k:]
		p.theta = v[0]
		copy(p.psi[:], v[1:])
		copy(p.sums.C[:], v[4:])
		p.sums.Observations, p.sums.Transitions = x[1], x[2]
		if !(math.Abs(p.psi[0]) < 1 && p.psi[1] > 0 && p.psi[2] > 0) || min(p.sums.C[0], p.sums.C[1], p.sums.C[3]) < 0 {
			return state.Damaged("dlm pl", "parameters or sums out of range")
		}
	}
	return nil
}

// Size returns the bytes held: the particles and as many to resample into.
func (m *pl) Size() int64 { return int64(m.set.Particles)*2*13*8 + 1024 }

var _ interface {
	cdf.Model
	cdf.Summarizer
	cdf.Predictor
	cdf.Sizer
} = (*pl)(nil)
