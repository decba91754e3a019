package models

import (
	"slices"
)

// anovaFormat is the first byte of both variants' state.
const anovaFormat = 1

// anovaHead is the number of floats before those of the groups.
const anovaHead = 8

// AppendBinary appends the format, eight numbers and four per group: 8(4k+8)
// + 1 bytes.
func (m *anovaState) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, anovaFormat)
	b = appendFloats(b, m.ss, m.s2, m.tau2, m.shape, m.mu.mean, m.mu.sd, m.tau.mean, m.tau.sd)
	b = appendFloats(b, m.n...)
	b = appendFloats(b, m.ybar...)
	b = appendFloats(b, m.zeta...)
	return appendFloats(b, m.vari...), nil
}

// UnmarshalBinary replaces the state.
func (m *anovaState) UnmarshalBinary(b []byte) error {
	m.fresh = false
	if len(b) < 1 || b[0] != anovaFormat {
		return errState("anova", "unknown format")
	}
	k := ((len(b)-1)/8 - anovaHead) / 4
	if k < 0 || len(b) != 1+8*(anovaHead+4*k) {
		return errState("anova", "wrong length")
	}
	var head [anovaHead]float64
	m.n, m.ybar, m.zeta, m.vari = grow(m.n, k), grow(m.ybar, k), grow(m.zeta, k), grow(m.vari, k)
	if !readFloats(b[1:], head[:], m.n, m.ybar, m.zeta, m.vari) {
		return errState("anova", "numbers not finite")
	}
	m.ss, m.s2, m.tau2, m.shape = head[0], head[1], head[2], head[3]
	m.mu, m.tau = moments{head[4], head[5]}, moments{head[6], head[7]}
	least := slices.Min(append(slices.Concat(head[:4], m.n, m.vari), m.mu.sd, m.tau.mean, m.tau.sd))
	if least < 0 || (k > 0) != (m.s2 > 0) || (k > 0) != (m.tau2 > 0) || (k > 0) != (m.shape > 0) {
		return errState("anova", "a number is out of range")
	}
	return nil
}
