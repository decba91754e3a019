// Package dlm is a dynamic linear model: a drifting level, observed with noise.
package dlm

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of the dynamic linear model.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "dlm",
		Purpose: "a drifting level, observed with noise",
		Formula: "y_s = θ_s + e_s, θ_s = φ θ_(s−1) + w_s",
		Text: "A drifting level θ, observed with noise. σ² is the variance of the noise, τ² that of the level’s steps, " +
			"and φ says how much of a deviation remains after one step.",
		Variants:  []string{"corrected", "paper"},
		Revision:  3, // theta_0 in units of sigma2 in every mode; the mean is not known; components by their places
		Time:      true,
		Ordered:   true,
		Suggest:   suggest,
		Configure: kind.Settings(Defaults(), build),
	}
}

func suggest(p *kind.Profile) kind.Suggestion {
	s := kind.Suggestion{Use: "a level that drifts from row to row, without features"}
	if p.Clock != "" && p.Features == 0 && len(p.Groups) == 0 {
		s.By, s.Why = kind.ByColumns, fmt.Sprintf("%s says when, and there is no feature", p.Clock)
	}
	return s
}
