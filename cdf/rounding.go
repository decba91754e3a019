package cdf

import (
	"bytes"
	"math"
)

// Rounded is a model whose state holds numbers that follow from its sums and prior, in an order of operations that may
// change between releases.
type Rounded interface {
	// TakeRounded takes these numbers over from a model of the same kind and settings, and reports
	// whether they are its own but for the last digits: RoundedSame.
	TakeRounded(from Model) bool
}

const (
	// rounding is the relative difference up to which two numbers count as one that was
	// computed in another order.
	rounding = 1e-9
	// roundingOfFloats is that of numbers stored as float32.
	roundingOfFloats = 1e-5
)

// RoundedSame reports whether a and b differ by rounding at most, by 1e-9 of the larger.
func RoundedSame(a, b float64) bool {
	return a == b || math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))
}

// SameSums reports whether two snapshots of this configuration come from the same sums over the same shards: whether
// they differ, if at all, in the last digits of what follows from these, which are scores, the evidence, the account of
// predictions and what a Rounded names. So they do where another release has computed that in another order.
func (s *Spec) SameSums(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := NewFilter(s, ""), NewFilter(s, "")
	if x.UnmarshalBinary(a) != nil || y.UnmarshalBinary(b) != nil || (x.engine == nil) != (y.engine == nil) {
		return false
	}
	if x.engine == nil || !y.now.takeRounded(&x.now) {
		return false
	}
	if m, ok := y.engine.model.(Rounded); ok && !m.TakeRounded(x.engine.model) {
		return false
	}
	again, err := y.MarshalBinary()
	return err == nil && bytes.Equal(again, a)
}

// takeRounded is TakeRounded of all that a state holds beside its model. Logarithms are of products, and lose
// digits where they are near 0.
func (s *state) takeRounded(from *state) bool {
	same := true
	number := func(to *float64, v, unit float64) {
		same = same && (RoundedSame(*to, v) || math.Abs(*to-v) <= rounding*unit || math.IsNaN(*to) && math.IsNaN(v))
		*to = v
	}
	score := func(to, from *Score) {
		number(&to.LogDensity, from.LogDensity, 1)
		number(&to.LogEvidence, from.LogEvidence, 1+math.Abs(s.evidence))
		number(&to.RMSE, from.RMSE, 0)
		number(&to.Coverage95, from.Coverage95, 0)
	}
	score(&s.score, &from.score)
	score(&s.scaled, &from.scaled)
	number(&s.evidence, from.evidence, 1)
	float := func(to *float32, v float32) {
		same = same && math.Abs(float64(*to)-float64(v)) <= roundingOfFloats*max(1, math.Abs(float64(v)))
		*to = v
	}
	to, account := &s.account, &from.account
	for k := range to.pit {
		float(&to.pit[k], account.pit[k])
	}
	float(&to.mean, account.mean)
	float(&to.spread, account.spread)
	float(&to.fallen, account.fallen)
	float(&to.wild, account.wild)
	return same
}
