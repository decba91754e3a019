package anova

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// format is the first byte of both variants' state.
const format = 2

// head is the number of floats before those of the groups.
const head = 9

// AppendBinary appends the format, nine numbers and four per group: 8(4k+9)
// + 1 bytes.
func (m *statistics) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format)
	b = codec.AppendFloats(b, m.ss, m.s2, m.shape, m.mu.mean, m.mu.sd, m.tau.mean, m.tau.sd, m.sigma.mean, m.sigma.sd)
	return codec.AppendAll(b, m.n, m.ybar, m.zeta, m.vari), nil
}

// readable reports whether UnmarshalBinary takes the numbers of rows: they are finite, and what predicts is positive.
func (m *statistics) readable() bool {
	return m.s2 > 0 && m.shape > 0 && lin.Finite(m.ss, m.s2, m.shape, m.mu.mean, m.mu.sd, m.tau.mean, m.tau.sd, m.sigma.mean, m.sigma.sd) &&
		lin.Finite(m.ybar...) && lin.Finite(m.zeta...) && lin.Finite(m.vari...)
}

// UnmarshalBinary replaces the state.
func (m *statistics) UnmarshalBinary(b []byte) error {
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
	m.ss, m.s2, m.shape = head[0], head[1], head[2]
	m.mu, m.tau, m.sigma = moments{head[3], head[4]}, moments{head[5], head[6]}, moments{head[7], head[8]}
	least := slices.Min(append(slices.Concat(head[:3], m.n, m.vari), m.mu.sd, m.tau.mean, m.tau.sd, m.sigma.mean, m.sigma.sd))
	if least < 0 || (k > 0) != (m.s2 > 0) || (k > 0) != (m.shape > 0) {
		return codec.Error("anova", "a number is out of range")
	}
	return nil
}

// AppendBinary appends the state: that of both variants and the quantiles of sigma2.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	b, err := m.statistics.AppendBinary(b)
	return codec.AppendFloats(b, m.quantiles[:]...), err
}

// UnmarshalBinary replaces the state. How far priors decide is not known until the
// next Sample.
func (m *Model) UnmarshalBinary(b []byte) error {
	at := max(len(b)-8*len(m.quantiles), 0)
	var quantiles [7]float64
	if !codec.ReadFloats(b[at:], quantiles[:]) {
		return codec.Error("anova", "wrong length or numbers")
	}
	if err := m.statistics.UnmarshalBinary(b[:at]); err != nil {
		return err
	}
	m.sensitivity, m.logTau2SD = [...]float64{math.NaN(), math.NaN()}, math.NaN()
	if m.quantiles = quantiles; !slices.IsSorted(quantiles[:]) || quantiles[0] < 0 {
		return codec.Error("anova", "quantiles are not in order")
	}
	return nil
}
