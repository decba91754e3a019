// Package anova is one-way analysis of variance with partial pooling.
package anova

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of one-way analysis of variance.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "anova",
		Purpose: "levels of many groups with partial pooling",
		Formula: "y = ζ_group + e, ζ ~ N(μ, τ²)",
		Text: "Levels ζ of many groups with partial pooling: a group with few rows borrows strength from the others. " +
			"τ² is the variance between groups, σ² the variance within them.",
		Variants:  []string{"corrected", "paper"},
		Revision:  2, // quadrature, and where it looks for its peak
		Groups:    kind.OneGroup,
		Draws:     true,
		Suggest:   suggest,
		Configure: kind.Settings(Defaults(), build),
	}
}

func suggest(p *kind.Profile) (s kind.Suggestion) {
	if len(p.Groups) == 0 {
		return s
	}
	s.Use = "a level of each group of one column"
	if len(p.Groups) == 1 && p.Features == 0 {
		s.By, s.Why = kind.ByColumns, fmt.Sprintf("%s is the only other column of use, and it names groups", p.Groups[0])
	}
	return s
}
