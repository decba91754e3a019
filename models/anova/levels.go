package anova

import (
	"math"

	"github.com/credence-stream/credence/cdf/tails"
)

// noiseSkewness is that of exponential noise, which may be the noise's.
const noiseSkewness = 2

// oddLevels reports whether levels are spread by another law than a normal one, with heavier tails or with one that is longer than the
// other.
func (m *statistics) oddLevels() bool {
	levels := tails.Effects{Variance: m.tau.mean}
	for j, n := range m.n {
		if noise := m.s2 / n; levels.Tells(noise, noiseSkewness/math.Sqrt(n)) {
			levels.Add(m.ybar[j]-m.mu.mean, noise)
		}
	}
	return levels.Odd()
}
