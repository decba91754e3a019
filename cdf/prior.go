package cdf

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// PriorSummarizer is a model whose prior Summarize of an empty one cannot
// describe: it draws, or has groups.
type PriorSummarizer interface {
	// SummarizePrior fills rows[i] for functionals[i] of the present parameters
	// as they were before the first row; all numbers come NaN, and stay so
	// where they are undefined. It only reads. What has no closed form comes
	// from draws of rng.
	SummarizePrior(functionals []Functional, rows []Row, rng *rand.Rand) error
}

// Prior describes the variables of the posterior before the key's first row,
// with the columns, constants and groups that are known now and in the units
// of Summary. Undefined moments, and all numbers of an improper prior, are NaN.
// It changes nothing, later randomness included, and gives the same bits at
// every call with the same columns, constants and groups. Before the first
// shard there are no variables. errors.ErrUnsupported: the model cannot tell
// its prior.
func (f *Filter) Prior() (*Summary, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	sum := &Summary{Score: NoScore(), modelScale: f.spec.Publish.Scale == "model"}
	if f.engine == nil {
		return sum, nil
	}
	sum.Scaling = f.now.scaling.published(nil)
	list := functionals(f.spec, &f.now, f.engine.model.Params(), new(selection))
	sum.Rows = unknownRows(nil, list)
	if priorSummarizer := f.engine.priorSummarizer; priorSummarizer != nil {
		if err := priorSummarizer.SummarizePrior(list, sum.Rows, NewStream(f.spec.Seed, f.key, 0, purposePrior)); err != nil {
			return nil, as(ErrNumeric, err)
		}
		return sum, nil
	}
	// An empty model has no groups to describe.
	if f.engine.summarizer == nil || !f.SelfDescribing() || len(f.now.factors) > 0 {
		return nil, fmt.Errorf("%s cannot tell its prior: %w", f.spec.Kind, errors.ErrUnsupported)
	}
	empty, err := newEngine(f.spec, f.now.design)
	if err == nil {
		err = empty.summarizer.Summarize(list, sum.Rows)
	}
	if err != nil {
		return nil, as(ErrNumeric, err)
	}
	return sum, nil
}
