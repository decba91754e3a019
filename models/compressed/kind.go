// Package compressed is regression on hundreds of columns and more.
package compressed

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Kind returns what is known of compressed regression.
func Kind() *kind.Kind {
	return &kind.Kind{
		Name:    "compressed",
		Purpose: "regression on a thousand columns and more",
		Formula: "y = α + x′γ + e, e ~ N(0, σ²)",
		Text: "Regression on hundreds or thousands of columns from a sketch of the data whose size does not grow with their " +
			"square. γ are the coefficients of the columns.",
		Variants:  []string{"corrected", "paper"},
		Revision:  8, // curvature given up acts where no direction is kept, by what rows told; the past weighs by its misfit; a prior of the signal; products, factors and rows scored together by fused multiply-adds, eigenvectors too; shards of many rows at once; rows with columns that arrive are scored by sds of these; a lossy sketch forgets once; prior variances up to e^16
		Features:  true,
		Levels:    levels,
		Suggest:   suggest,
		Configure: kind.Settings(Defaults(), build),
	}
}

// levels has a column of each level, the baseline's too, where coefficients have one prior. A given projection has the columns that it is given, and the
// learnt ones have no prior of a coefficient.
func levels(variant string, settings any) cdf.Levels {
	if s, ours := settings.(Settings); ours && variant == "corrected" && (s.Statistics == "sketch" || s.Statistics == "exact") {
		return cdf.LevelsWhole
	}
	return cdf.LevelsApart
}

// From how many features on a sketch takes less than a coefficient for each, and is suggested: before, linear
// needs neither many rows to a column nor much more (4 MB for 1,000 features, and a tenth of a second a shard).
const (
	fewFeatures  = 250
	manyFeatures = 1000
)

func suggest(p *kind.Profile) (s kind.Suggestion) {
	if p.Features >= fewFeatures {
		s.Use = "regression on a random projection of many columns"
	}
	if p.Features >= manyFeatures {
		s.By = kind.ByColumns
		s.Why = fmt.Sprintf("there are %d features: a coefficient for each would take a state of %d squared", p.Features, p.Features)
	}
	return s
}
