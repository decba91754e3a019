// Package poisson is regression of counts with effects of groups.
package poisson

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of Model regression with mixed effects.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "poisson",
		Purpose: "counts of groups",
		Formula: "y ~ Poisson(exposure · exp(x′β + z′u))",
		Text: "Regression of counts: the groups’ effects u vary with variance sigma2_u, which is estimated, so that groups with " +
			"few rows borrow strength from the others.",
		Variants: []string{"corrected", "paper"},
		Revision: 9, // first rows kept until groups have rows enough; the first rows' predictors by what rows vary; quantiles of mixtures in vectors; rows' own effects to the last digits, first rows kept until they are judged; factors in another order; steps of groups without events settle; several variances integrated; what rows' own effects leave of a predictor's variance, the first rows of keys without groups fitted anew
		Response: kind.Count,
		Features: true, Intercept: true, Covariance: true,
		Groups:    kind.AnyGroups,
		Exposure:  true,
		Suggest:   suggest,
		Configure: kind.Settings(Defaults(), build),
	}
}

func suggest(p *kind.Profile) (s kind.Suggestion) {
	r := &p.Response
	if !r.Count {
		return s
	}
	s.Use = "counts, with effects of groups"
	if len(p.Groups) > 0 {
		s.By = kind.ByResponse
		s.Why = fmt.Sprintf("%s counts (whole numbers from %.0f to %.0f) and %s names groups", r.Name, r.Least, r.Most, p.Groups[0])
	}
	return s
}
