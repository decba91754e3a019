// Package dist holds distributions as summaries and scores need them: t, gamma
// and inverse gamma laws, finite mixtures, and their quantiles.
package dist

// levels are the probabilities of the published quantiles, symmetric about
// the median; normals are the standard normal's quantiles there.
var (
	Levels          = [7]float64{.025, .05, .25, .5, .75, .95, .975}
	NormalQuantiles = [7]float64{-1.959963984540054, -1.6448536269514722, -0.6744897501960817, 0,
		0.6744897501960817, 1.6448536269514722, 1.959963984540054}
)
