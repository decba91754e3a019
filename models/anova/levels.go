package anova

import (
	"math"

	"github.com/credence-stream/credence/cdf/tails"
)

const (
	// mostNoise is the part of the variance of a group's mean that may be noise where the mean tells of the level.
	mostNoise = .5
	// mostSkew is how much of the skewness of single rows a group's mean may have: of exponential noise, whose own is 2, a third.
	mostSkew = .15
)

// oddLevels reports whether levels are spread by another law than a normal one, with heavier tails or with one that is longer than the
// other. It looks at the groups whose means tell more of their levels than of the noise, and hardly of its shape.
func (m *statistics) oddLevels() bool {
	tau2, levels := m.tau.mean, tails.Sample{}
	for j, n := range m.n {
		variance := tau2 + m.s2/n
		noise := 1 - tau2/variance
		if noise <= mostNoise && noise*noise*noise <= mostSkew*mostSkew*n {
			levels.Add((m.ybar[j] - m.mu.mean) / math.Sqrt(variance))
		}
	}
	return levels.Odd()
}
