package models

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// compressedKind returns what is known of compressed regression.
func compressedKind() *kind.Kind {
	return &kind.Kind{
		Name:    "compressed",
		Purpose: "regression on hundreds of columns",
		Formula: "y = α + x′γ + e, e ~ N(0, σ²)",
		Text: "Regression on hundreds or thousands of columns from a sketch of the data whose size does not grow with their " +
			"square. γ are the coefficients of the columns.",
		Variants:  []string{"corrected", "paper"},
		Features:  true,
		Suggest:   suggestCompressed,
		Configure: kind.Settings(DefaultCompressed(), buildCompressed),
	}
}

// From how many features on compression is possible, and is suggested.
const (
	fewFeatures  = 30
	manyFeatures = 200
)

func suggestCompressed(p *kind.Profile) (s kind.Suggestion) {
	if p.Features >= fewFeatures {
		s.Use = "regression on a random projection of many columns"
	}
	if p.Features >= manyFeatures {
		s.By = kind.ByColumns
		s.Why = fmt.Sprintf("there are %d features: a coefficient for each would take a state of %d squared", p.Features, p.Features)
	}
	return s
}
