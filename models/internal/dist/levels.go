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

// Normal90 is the standard normal's quantile at .9.
const Normal90 = 1.2815515655446004

// InnerLevels are the probabilities of cdf.Prediction.Inner, and InnerNormals the standard
// normal's quantiles there.
var (
	InnerLevels  = [4]float64{.1, .25, .75, .9}
	InnerNormals = [4]float64{-Normal90, NormalQuantiles[2], NormalQuantiles[4], Normal90}
)
