package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Predict describes a new observation for every row of the batch, in
// original units unless the model's are published; the response column may be
// missing. Rows that would be dropped, and all rows while centre and scale
// are not known, have only undefined numbers. It changes nothing. ErrSchema:
// the columns do not serve, or no shard has fixed them; errors.ErrUnsupported: the
// model does not predict. The result is valid until the filter's next call.
func (f *Filter) Predict(b *Batch) ([]Prediction, error) {
	s, w := &f.now, f.ws
	if f.broken != nil {
		return nil, f.broken
	}
	if f.engine == nil {
		return nil, fmt.Errorf("%w: no shard has fixed the columns yet", ErrSchema)
	}
	if f.engine.predictor == nil {
		return nil, fmt.Errorf("%s does not predict: %w", f.spec.Kind, errors.ErrUnsupported)
	}
	if err := f.asked.bind(f.spec, s.design, b, false); err != nil {
		return nil, err
	}
	if err := w.intake.admit(f.spec, s.design, &f.asked, b); err != nil {
		return nil, err
	}
	if err := w.frame.fill(&w.intake, f.spec, s.design, s.factors, &s.scaling, false); err != nil {
		return nil, err
	}
	w.frame.shard(&w.shard, 0, w.frame.n)
	nan := math.NaN()
	nothing := Prediction{nan, nan, nan, nan, nan, nan, nan, nan, nan}
	w.preds = slices.Grow(w.preds[:0], b.Rows)[:b.Rows]
	for i := range w.preds {
		w.preds[i] = nothing
	}
	if !s.scaling.known() || w.shard.Rows == 0 {
		return w.preds, nil
	}
	if err := f.engine.model.Check(&w.shard); err != nil {
		return nil, as(ErrShard, err)
	}
	w.found = slices.Grow(w.found[:0], w.shard.Rows)[:w.shard.Rows]
	for i := range w.found {
		w.found[i] = nothing
	}
	if err := f.engine.predictor.Predict(&w.shard, w.found); err != nil {
		return nil, as(ErrNumeric, err)
	}
	y := s.scaling.y
	if f.spec.Publish.Scale == "model" {
		y.Center, y.Scale = 0, 1
	}
	for k, row := range w.intake.rows {
		w.preds[row] = w.found[k].in(y)
	}
	return w.preds, nil
}

// in returns the prediction in original units of the response.
func (p Prediction) in(y Constant) Prediction {
	at := func(v float64) float64 { return y.Center + y.Scale*v }
	return Prediction{
		Mean: at(p.Mean), SD: y.Scale * p.SD, Q025: at(p.Q025), Q975: at(p.Q975),
		EpredSD: y.Scale * p.EpredSD, EpredQ025: at(p.EpredQ025), EpredQ975: at(p.EpredQ975),
		LogDensity: p.LogDensity - math.Log(y.Scale), PIT: p.PIT,
	}
}
