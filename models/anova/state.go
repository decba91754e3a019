package anova

import (
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// format is the first byte of both variants' state.
const format = 1

// head is the number of floats before those of the groups.
const head = 8

// AppendBinary appends the format, eight numbers and four per group: 8(4k+8)
// + 1 bytes.
func (m *statistics) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format)
	b = codec.AppendFloats(b, m.ss, m.s2, m.tau2, m.shape, m.mu.mean, m.mu.sd, m.tau.mean, m.tau.sd)
	return codec.AppendAll(b, m.n, m.ybar, m.zeta, m.vari), nil
}

// UnmarshalBinary replaces the state.
func (m *statistics) UnmarshalBinary(b []byte) error {
	m.fresh = false
	if len(b) < 1 || b[0] != format {
		return codec.Error("anova", "unknown format")
	}
	k := ((len(b)-1)/8 - head) / 4
	if k < 0 || len(b) != 1+8*(head+4*k) {
		return codec.Error("anova", "wrong length")
	}
	var head [head]float64
	m.n, m.ybar, m.zeta, m.vari = lin.Grow(m.n, k), lin.Grow(m.ybar, k), lin.Grow(m.zeta, k), lin.Grow(m.vari, k)
	if !codec.ReadFloats(b[1:], head[:], m.n, m.ybar, m.zeta, m.vari) {
		return codec.Error("anova", "numbers not finite")
	}
	m.ss, m.s2, m.tau2, m.shape = head[0], head[1], head[2], head[3]
	m.mu, m.tau = moments{head[4], head[5]}, moments{head[6], head[7]}
	least := slices.Min(append(slices.Concat(head[:4], m.n, m.vari), m.mu.sd, m.tau.mean, m.tau.sd))
	if least < 0 || (k > 0) != (m.s2 > 0) || (k > 0) != (m.tau2 > 0) || (k > 0) != (m.shape > 0) {
		return codec.Error("anova", "a number is out of range")
	}
	return nil
}
