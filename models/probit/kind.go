// Package probit is regression of a binary response.
package probit

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of probit regression.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "probit",
		Purpose: "regression of a binary response",
		Formula: "P(y = 1) = Φ(x′β)",
		Text: "Regression of a binary response: Φ is the normal distribution function. A coefficient of 1 moves a probability of " +
			"50 % to 84 % per unit of its column. Computed from draws of Markov chains.",
		Variants: []string{"corrected", "paper"},
		Revision: 6, // the chains' start and moves, and which rows are kept; products by fused multiply-adds, normals by lanes; latent variables of single precision; sweeps of a shard of more rows than before
		Response: kind.Binary,
		Features: true, Intercept: true, Levels: kind.AlikeIn("corrected"), Covariance: true,
		Draws:     true,
		Suggest:   suggest,
		Configure: kind.Settings(Defaults(), build),
	}
}

func suggest(p *kind.Profile) (s kind.Suggestion) {
	if p.Response.Binary {
		s.Use, s.By, s.Why = "the chance of a 1", kind.ByResponse, fmt.Sprintf("%s is 0 or 1", p.Response.Name)
	}
	return s
}
