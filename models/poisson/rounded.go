package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf"
)

// TakeRounded implements cdf.Rounded: states of before lack the order's sums, which begin with the next shard, and those of a wide core come of
// another order of operations.
func (m *Model) TakeRounded(from cdf.Model) bool {
	o, ok := from.(*Model)
	if !ok {
		return false
	}
	m.order = o.order
	if m.stats.c < wide {
		return true
	}
	if len(m.buffer.likes) != len(o.buffer.likes) {
		return false
	}
	for i := range m.buffer.likes {
		if !takeRounded(m.buffer.likes[i][:], o.buffer.likes[i][:]) {
			return false
		}
	}
	mine, its := m.flagged(), o.flagged()
	if !takeRounded(mine[:], its[:]) || !cdf.RoundedSame(m.over.s2, o.over.s2) {
		return false
	}
	m.over.s2, m.post.ready = o.over.s2, false
	m.surplus, m.odd, m.unresolved = o.surplus, o.odd, o.unresolved
	return takeRounded(m.m, o.m) && takeRounded(m.stats.lam, o.stats.lam) && takeRounded(m.stats.h, o.stats.h) &&
		takeRounded(m.stats.records, o.stats.records) && takeRounded(m.over.like[:], o.over.like[:])
}

// flagged are the sums that flags are judged by.
func (m *Model) flagged() [5]float64 {
	return [...]float64{m.surplus.excess, m.surplus.variance, m.surplus.expected, m.odd, m.unresolved}
}

// takeRounded copies numbers of one unit and reports whether they are as before but for rounding: sums of many signs may be near 0.
func takeRounded(to, from []float64) bool {
	if len(to) != len(from) {
		return false
	}
	unit := 0.0
	for _, v := range from {
		unit = max(unit, math.Abs(v))
	}
	for i, v := range from {
		if !cdf.RoundedSame(unit, unit+(to[i]-v)) {
			return false
		}
	}
	copy(to, from)
	return true
}
