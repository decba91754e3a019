package probit

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// AppendBinary appends the particles, their log weights and log likelihoods,
// the powers of the rows and the rows: 8(N(p+2) + n(p+1)) + 1 bytes after n
// rows. Nothing is there before the first step.
func (m *smc) AppendBinary(b []byte) ([]byte, error) {
	return state.Append(b, m.beta, m.logw, m.fit, m.power, m.x)
}

// UnmarshalBinary replaces the state.
func (m *smc) UnmarshalBinary(b []byte) error {
	count := state.Numbers(b)
	if count == 0 {
		m.beta, m.logw, m.fit, m.power, m.x = nil, nil, nil, nil, nil
		return nil
	}
	rest := count - m.n*(m.p+2)
	if rest < 0 || rest%(m.p+1) != 0 {
		return state.Damaged("smc", "wrong format or length")
	}
	rows := rest / (m.p + 1)
	m.beta, m.logw, m.fit = lin.Grow(m.beta, m.n*m.p), lin.Grow(m.logw, m.n), lin.Grow(m.fit, m.n)
	m.power, m.x = lin.Grow(m.power, rows), lin.Grow(m.x, rows*m.p)
	if err := state.Read("smc", b, m.beta, m.logw, m.fit, m.power, m.x); err != nil {
		return err
	}
	for _, v := range m.power {
		if v < 0 || v > 1 {
			return state.Damaged("smc", "power out of range")
		}
	}
	top := m.logw[0]
	for _, v := range m.logw {
		top = max(top, v)
	}
	if top != 0 || m.weigh() != nil {
		return state.Damaged("smc", "weights out of range")
	}
	return nil
}

// Size returns the bytes held.
func (m *smc) Size() int64 {
	return 8 * int64(cap(m.x)+cap(m.power)+m.n*(4*m.p+smcRows+6)+m.p*m.p)
}

var (
	_ cdf.Summarizer  = (*smc)(nil)
	_ cdf.Predictor   = (*smc)(nil)
	_ cdf.Covariancer = (*smc)(nil)
	_ cdf.Sizer       = (*smc)(nil)
)
