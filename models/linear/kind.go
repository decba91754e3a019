// Package linear is Gaussian regression with unknown noise.
package linear

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of linear regression.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "linear",
		Purpose: "regression with unknown noise",
		Formula: "y = x′β + e, e ~ N(0, σ²)",
		Text: "Gaussian regression: coefficients β with normal priors, noise σ² with an inverse gamma prior. " +
			"The posterior has a closed form, so its numbers carry no Monte Carlo error.",
		Variants: []string{"corrected", "paper"},
		Revision: 3, // sums over sigma2 in vectors, its fixed point by what is left of the steps; the plug-in by the bidiagonal form, and draws from it; densities of rows under a posterior of few; factors by fused multiply-adds, of rows side by side; evidence of many rows by the nodes of their one peak
		Features: true, Intercept: true, Levels: kind.AlikeIn("corrected"), Covariance: true,
		Suggest:   suggest,
		Prior:     func(f kind.Fit) any { return Settings{Prior: ofSample(f)} },
		Configure: kind.Settings(Defaults(), build),
	}
}

func suggest(p *kind.Profile) kind.Suggestion {
	s := kind.Suggestion{
		Use: "regression on the features",
		Why: fmt.Sprintf("%s is a number with %s different values in the sample", p.Response.Name, p.Response.Distinct),
	}
	if p.Response.Distinct == "1" {
		s.Why = p.Response.Name + " is a number with one value in the sample"
	}
	if p.Features == 0 {
		s.Use = ""
		s.Why += "; there is no feature, so that only the intercept is learnt"
	}
	return s
}
