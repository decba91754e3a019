package cdftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
)

// faults is a model whose last block fails when armed, after it did its work.
type faults struct {
	cdf.Model
	blocks []cdf.Block
}

// withFaults returns the configuration with a model that fails in every step
// while *armed.
func withFaults(spec *cdf.Spec, armed *bool) *cdf.Spec {
	inner := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := inner(d)
		if err != nil {
			return nil, err
		}
		f := &faults{Model: m, blocks: append([]cdf.Block(nil), m.Blocks()...)}
		last := len(f.blocks) - 1
		f.blocks[last] = faultyBlock{f.blocks[last], armed}
		return f, nil
	}
	return spec
}

func (f *faults) Unwrap() cdf.Model   { return f.Model }
func (f *faults) Blocks() []cdf.Block { return f.blocks }

type faultyBlock struct {
	cdf.Block
	armed *bool
}

func (b faultyBlock) Sample(s *cdf.Step) error {
	if err := b.Block.Sample(s); err != nil || !*b.armed {
		return err
	}
	return fmt.Errorf("%w: planted", cdf.ErrNumeric)
}

// readOnly is a model that compares its state before and after every call
// that must only read.
type readOnly struct {
	cdf.Model
	found *error // the first call that wrote
	steps *int   // shards checked so far
}

func withReadOnly(spec *cdf.Spec, found *error) *cdf.Spec {
	inner, steps := spec.New, new(int)
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := inner(d)
		return &readOnly{m, found, steps}, err
	}
	return spec
}

func (r *readOnly) Unwrap() cdf.Model { return r.Model }

func (r *readOnly) Check(sh *cdf.Shard) error {
	before, err := r.AppendBinary(nil)
	if err != nil {
		return err
	}
	watch := func(call string) {
		after, err := r.AppendBinary(nil)
		if err == nil {
			err = same(call, after, before)
		}
		if *r.found == nil {
			*r.found = err
		}
	}
	err = r.Model.Check(sh)
	watch("Check")
	*r.steps++
	if p, ok := r.Model.(cdf.Predictor); ok && *r.steps > 1 && sh.Observed() > 0 {
		if _, err := p.Score(sh, rand.New(rand.NewPCG(1, 2))); err != nil {
			return err
		}
		watch("Score")
		if err := p.Predict(sh, make([]cdf.Prediction, sh.Rows)); err != nil {
			return err
		}
		watch("Predict")
	}
	if e, ok := r.Model.(cdf.Evidence); ok {
		e.LogEvidence()
		watch("LogEvidence")
	}
	return err
}
