package probit

import "github.com/credence-stream/credence/cdf/normal"

// freezeRule says which rows leave the window, and site replaces log Phi(xs'beta) of
// such a row by
//
//	-w (xs'beta)^2 / 2 + c xs'beta
//
// given the means of m = xs'beta, u(m) and w(m) over the draws of beta.
type freezeRule struct {
	site           func(m, u, w float64) (weight, c float64)
	keepsSeparated bool // rows of separated columns stay, while there is room
	weighsRows     bool // frozen rows count for what they tell, so that newer ones can be compared with them
}

var (
	corrected = freezeRule{expectedSite, true, true}
	paper     = freezeRule{unitSite, false, false}
)

// expectedSite takes curvature and gradient in expectation over the draws.
// That minimises, for a normal posterior of that mean and covariance, the
// Kullback-Leibler divergence (Bonnet's and Price's theorems): w is mean
// w(m), and c makes the site's gradient at the mean equal to mean u(m). The
// weight stays below 1, because a row never tells its latent variable (Louis,
// JRSS B 44, 1982).
func expectedSite(m, u, w float64) (weight, c float64) { return w, float64(w*m) + u }

// unitSite is the paper's rule: the latent variable is replaced by its mean
// at the posterior mean of beta and from then on counts as observed.
func unitSite(m, _, _ float64) (weight, c float64) {
	u, _ := normal.Hazard(m)
	return 1, m + u
}
