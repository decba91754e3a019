package models

import "math"

// hazard returns u(m) = phi(m)/Phi(m), the inverse Mills ratio, and
// w(m) = u(u+m) = -d^2 log Phi/dm^2, which lies in (0, 1). For t ~ N(m, 1)
// on t > 0 they are E t - m and 1 - Var t.
func hazard(m float64) (u, w float64) {
	if m > -6 {
		u = math.Exp(-0.5*m*m) / (math.Sqrt(2*math.Pi) * normalCDF(m))
		return u, u * (u + m)
	}
	// u = a + 1/(a + 2/(a + 3/(a + ..))), a = -m (Abramowitz and Stegun
	// 26.2.14): u + m comes without cancellation.
	a, tail := -m, 0.0
	for k := 30.0; k > 0; k-- {
		tail = k / (a + tail)
	}
	u = a + tail
	return u, u * tail
}

// logNormalCDF returns log Phi(m), also where Phi underflows.
func logNormalCDF(m float64) float64 {
	if m > -6 {
		return math.Log(normalCDF(m))
	}
	u, _ := hazard(m)
	return -0.5*m*m - math.Log(math.Sqrt(2*math.Pi)*u)
}

// freezeRule replaces log Phi(xs'beta) of a row that leaves the window by
//
//	-w (xs'beta)^2 / 2 + c xs'beta
//
// given xs'beta for every draw of beta.
type freezeRule func(m []float64) (w, c float64)

// expectedSite takes curvature and gradient in expectation over the draws.
// That minimises, for a normal posterior of that mean and covariance, the
// Kullback-Leibler divergence (Bonnet's and Price's theorems): w is mean
// w(m), and c makes the site's gradient at the mean equal to mean u(m). The
// weight stays below 1, because a row never tells its latent variable (Louis,
// JRSS B 44, 1982).
func expectedSite(m []float64) (w, c float64) {
	gradient, mean := 0.0, 0.0
	for _, v := range m {
		u, curvature := hazard(v)
		w += curvature
		gradient += u
		mean += v
	}
	n := float64(len(m))
	w, gradient, mean = w/n, gradient/n, mean/n
	return w, float64(w*mean) + gradient
}

// unitSite is the paper's rule: the latent variable is replaced by its mean
// at the posterior mean of beta and from then on counts as observed.
func unitSite(m []float64) (w, c float64) {
	mean := 0.0
	for _, v := range m {
		mean += v
	}
	mean /= float64(len(m))
	u, _ := hazard(mean)
	return 1, mean + u
}
