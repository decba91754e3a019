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
	return f.predict(b, f.spec.Publish.Scale != "model")
}

// predict is Predict in original units or those of the model.
func (f *Filter) predict(b *Batch, original bool) ([]Prediction, error) {
	if err := f.arrange(b); err != nil {
		return nil, err
	}
	found, err := f.foresee(original)
	if err != nil {
		return nil, err
	}
	w := f.ws
	w.preds = unknownPredictions(w.preds, b.Rows)
	for k, row := range w.intake.rows {
		w.preds[row] = found[k]
	}
	return w.preds, nil
}

// arrange makes the workspace's shard of a batch's rows to predict.
func (f *Filter) arrange(b *Batch) error {
	if err := f.predicts(); err != nil {
		return err
	}
	s, w := &f.now, f.ws
	raw := b
	b, err := f.derived(b)
	if err != nil {
		return err
	}
	if err := f.asked.bind(f.spec, s.design, b, false); err != nil {
		return err
	}
	if err := w.intake.lay(&w.frame, f, &f.asked, b, raw, false); err != nil {
		return err
	}
	w.frame.shard(&w.shard, 0, w.frame.n)
	return nil
}

// Forecast describes a new observation 1, 2, .. horizon steps after the last
// row that was absorbed, nothing being observed in between, of a model whose
// rows are steps in time (Spec.Steps). It is Predict of as many rows without a
// response, a step apart, without a column for them, and has its units and its
// errors; beside these errors.ErrUnsupported: the rows are not steps; ErrShard:
// the horizon is below 1 or above Limits.Rows. While centre and scale are not
// known all numbers are undefined.
func (f *Filter) Forecast(horizon int) ([]Prediction, error) {
	return f.forecast(horizon, f.spec.Publish.Scale != "model")
}

func (f *Filter) forecast(horizon int, original bool) ([]Prediction, error) {
	if err := f.arrangeSteps(horizon); err != nil {
		return nil, err
	}
	return f.foresee(original)
}

// arrangeSteps makes the workspace's shard of so many steps from the last row on.
func (f *Filter) arrangeSteps(horizon int) error {
	if err := f.predicts(); err != nil {
		return err
	}
	if !f.spec.Steps {
		return fmt.Errorf("%s knows no time, so there are no steps ahead: %w", f.spec.Kind, errors.ErrUnsupported)
	}
	if limit := f.spec.Limits.Rows; horizon < 1 || limit > 0 && horizon > limit {
		return fmt.Errorf("%w: a horizon of %d steps; it is at least 1, and at most limits.rows = %d", ErrShard, horizon, limit)
	}
	w := f.ws
	w.one = slices.Grow(w.one[:0], horizon)[:horizon]
	for i := range w.one {
		w.one[i] = math.NaN()
	}
	w.shard = Shard{Rows: horizon, Y: w.one, Forget: 1}
	return nil
}

// predicts reports why nothing can be predicted.
func (f *Filter) predicts() error {
	switch {
	case f.broken != nil:
		return f.broken
	case f.engine == nil:
		return fmt.Errorf("%w: no shard has fixed the columns yet", ErrSchema)
	case f.engine.predictor == nil:
		return fmt.Errorf("%s does not predict: %w", f.spec.Kind, errors.ErrUnsupported)
	}
	return nil
}

// foresee describes the rows of the workspace's shard.
func (f *Filter) foresee(original bool) ([]Prediction, error) {
	s, w := &f.now, f.ws
	w.found = unknownPredictions(w.found, w.shard.Rows)
	if !s.scaling.known() || w.shard.Rows == 0 {
		return w.found, nil
	}
	if err := f.engine.model.Check(&w.shard); err != nil {
		return nil, as(ErrShard, err)
	}
	if err := f.engine.predictor.Predict(&w.shard, w.found); err != nil {
		return nil, as(ErrNumeric, err)
	}
	if original {
		for i := range w.found {
			w.found[i] = w.found[i].in(s.scaling.y)
		}
	}
	return w.found, nil
}

// unknownPredictions returns n predictions, all numbers NaN, in the room of
// list.
func unknownPredictions(list []Prediction, n int) []Prediction {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = NoPrediction()
	}
	return list
}

// NoPrediction is that of a row of which nothing can be said.
func NoPrediction() Prediction {
	nan := math.NaN()
	return Prediction{nan, nan, nan, nan, nan, nan, nan, nan, nan, [4]float64{nan, nan, nan, nan}}
}

// in returns the prediction in original units of the response.
func (p Prediction) in(y Constant) Prediction {
	at := func(v float64) float64 { return y.Center + y.Scale*v }
	return Prediction{
		Mean: at(p.Mean), SD: y.Scale * p.SD, Q025: at(p.Q025), Q975: at(p.Q975),
		EpredSD: y.Scale * p.EpredSD, EpredQ025: at(p.EpredQ025), EpredQ975: at(p.EpredQ975),
		LogDensity: p.LogDensity - math.Log(y.Scale), PIT: p.PIT,
		Inner: [4]float64{at(p.Inner[0]), at(p.Inner[1]), at(p.Inner[2]), at(p.Inner[3])},
	}
}

// Input is a column that the rows of a key are made of.
type Input struct {
	Name string
	Role string // feature, group, slope, exposure, time, response
	// Category says that its values are labels (text, integers or booleans)
	// and not numbers.
	Category bool
	// Moment says that its values are times: numbers are seconds since 1970.
	Moment bool
	// Levels are the labels that have a meaning of their own: of a feature
	// the listed ones, of a group those absorbed so far, in order of first
	// appearance. They are views that change with the filter's next call.
	Levels []string
	// Baseline is the level of a feature without a coefficient, and Other
	// what becomes of a label that is not listed: level, drop or reject.
	Baseline, Other string
	// Gaps says that a missing label has a coefficient, or is a group, of its own.
	Gaps bool
	// Center and Scale are the constants in force of a number that is centred
	// or scaled, 0 and 1 of one that never is, NaN while they are not known.
	Center, Scale float64
}

// Inputs returns the columns that the key's first shard fixed: features in the
// order of their coefficients, groups each with its slopes, exposure, time, and
// the response last; nil before the first shard. A column with two roles is
// there twice. Where a formula makes the columns they are those that it makes them
// of, slopes and exposure among the features; a response that it computes has the
// name of what is predicted.
func (f *Filter) Inputs() []Input { return f.AppendInputs(nil) }

// AppendInputs appends what Inputs returns.
func (f *Filter) AppendInputs(all []Input) []Input {
	d := f.now.design
	if d == nil {
		return all
	}
	all = f.appendFeatures(all)
	roles, slopes := &f.spec.Columns, 0
	for i, g := range roles.Groups {
		all = append(all, Input{Name: g.Column, Role: "group", Category: true, Levels: f.now.factors[i].levels, Gaps: f.spec.Missing == "level", Scale: 1})
		for _, name := range g.Slopes {
			if d.made == nil {
				all = append(all, f.number(name, "slope", f.now.scaling.x[d.slopes[slopes]]))
			}
			slopes++
		}
	}
	if roles.Exposure != "" && d.made == nil {
		all = append(all, Input{Name: roles.Exposure, Role: "exposure", Scale: 1})
	}
	if roles.Time != "" {
		all = append(all, Input{Name: roles.Time, Role: "time", Scale: 1})
	}
	return append(all, f.number(d.response, "response", f.now.scaling.y))
}

// appendFeatures appends the inputs of the coefficients.
func (f *Filter) appendFeatures(all []Input) []Input {
	d := f.now.design
	if d.made != nil {
		made := d.made.Inputs()
		for i := range made {
			in := &made[i]
			j := slices.Index(d.names, in.Name)
			if in.Role == "feature" && !in.Category && !in.Moment && j >= 0 {
				*in = f.number(in.Name, in.Role, f.now.scaling.x[j])
			}
		}
		return append(all, made...)
	}
	all = slices.Grow(all, len(d.sources)+1) // most have a response beside these
	for i := range d.sources {
		s := &d.sources[i]
		if !s.categorical {
			all = append(all, f.number(s.feature.Name, "feature", f.now.scaling.x[s.first]))
			continue
		}
		in := Input{Name: s.feature.Name, Role: "feature", Category: true, Levels: s.feature.Levels, Baseline: s.feature.Baseline, Other: s.feature.Other, Gaps: s.gap >= 0, Scale: 1}
		if in.Baseline == "" {
			in.Baseline = s.feature.Levels[0]
		}
		if in.Other == "" {
			in.Other = "level"
		}
		all = append(all, in)
	}
	return all
}

// number is an input with the constants in force.
func (f *Filter) number(name, role string, c Constant) Input {
	in := Input{Name: name, Role: role, Center: c.Center, Scale: c.Scale}
	if !f.now.scaling.known() {
		in.Center, in.Scale = math.NaN(), math.NaN()
	}
	return in
}
