package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/tails"
)

// mostUntold is the part of the groups whose counts may tell too little where effects are judged.
const mostUntold = .1

// oddEffects reports whether effects of the first factor's groups are spread by another law than a normal one, with heavier tails or with one that
// is longer than the other. It looks at intercepts of groups, whose quadratics alone have their estimates: of a events that of skewness 1/sqrt(a).
// Events depend on the effect: groups are judged together, or not at all.
func (m *Model) oddEffects(w *work) bool {
	s := &m.stats
	if !s.arrow || s.q != 1 || m.prepare(w) != nil {
		return false
	}
	w.xi = lin.Grow(w.xi, s.c)
	clear(w.xi)
	for i, g := range m.post.gauss {
		lin.Axpy(m.post.wt[i], g.b, w.xi)
	}
	effects, untold := tails.Effects{Variance: 1 / m.m[0]}, 0.0
	for g := range s.g {
		b, a, h := s.record(g)
		if events := a[0]; events > 0 {
			noise := 1 / events
			if !effects.Tells(noise, math.Sqrt(noise)) {
				untold++
			}
			effects.Add(float64(noise*(h[0]-lin.Dot(b, w.xi))), noise)
		}
	}
	return untold <= float64(mostUntold*float64(s.g)) && effects.Odd()
}
