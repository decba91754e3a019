package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/quantity"
)

// foreseen is a new observation with the levels at which its quantiles are asked for: of
// all of them at once, for a model lays its row out anew each time.
type foreseen struct {
	of     *quantity.Quantity // the first of them
	batch  *Batch             // its row, nil where it is steps ahead
	why    string             // there is no row; empty: there is
	levels []float64
	found  []float64 // original units
	err    error     // instead
}

// expressLevel gives a quantile of a new observation its place beside those of the same.
func (f *Filter) expressLevel(a *answers, to *answer) {
	q := to.of
	to.at = slices.IndexFunc(a.foreseen, func(s foreseen) bool {
		return s.of.Ahead == q.Ahead && slices.Equal(s.of.Cells, q.Cells)
	})
	if to.at < 0 {
		first := foreseen{of: q}
		if q.Ahead == 0 {
			first.batch, first.why = f.rowOf(q.Cells)
		}
		to.at, a.foreseen = len(a.foreseen), append(a.foreseen, first)
	}
	s := &a.foreseen[to.at]
	if to.why = s.why; to.why == "" {
		to.nth, s.levels, s.found = len(s.levels), append(s.levels, q.Level), append(s.found, math.NaN())
	}
}

// foresees finds the quantiles of a new observation.
func (f *Filter) foresees(s *foreseen) {
	if len(s.levels) > 0 {
		s.err = f.ws.spared(func() error { return f.predictedQuantiles(s) })
	}
}

// findQuantile fills the row of a quantile, whose value is its mean, or says why there
// is none.
func (f *Filter) findQuantile(a *answers, to *answer, r *Row) (why string) {
	var err error
	if to.of.Predicts() {
		s := &a.foreseen[to.at]
		r.Mean, err = s.found[to.nth], s.err
	} else {
		err = f.ws.spared(func() error { return f.formQuantile(&a.levels[to.at], to.of, r) })
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return fmt.Sprintf("%s does not know this quantile", f.spec.Kind)
	case err != nil:
		return reason(err)
	case math.IsNaN(r.Mean) && to.of.Predicts():
		return "nothing can be predicted of this row"
	case !finite(r.Mean):
		return "it is not finite"
	}
	return ""
}

// predictedQuantiles finds those of a new observation, in original units; NaN: undefined.
func (f *Filter) predictedQuantiles(of *foreseen) error {
	for i := range of.found {
		of.found[i] = math.NaN()
	}
	arrange := func() error { return f.arrange(of.batch) }
	if ahead := of.of.Ahead; ahead > 0 {
		arrange = func() error { return f.arrangeSteps(ahead) }
	}
	if err := arrange(); err != nil {
		return err
	}
	s, w := &f.now, f.ws
	switch {
	case f.engine.quantiler == nil:
		return errors.ErrUnsupported
	case !s.scaling.known() || w.shard.Rows == 0:
		return nil
	}
	if err := f.engine.model.Check(&w.shard); err != nil {
		return as(ErrShard, err)
	}
	if err := f.engine.quantiler.PredictQuantiles(&w.shard, of.levels, of.found); err != nil {
		return as(ErrNumeric, err)
	}
	for i, v := range of.found {
		of.found[i] = s.scaling.y.Center + float64(s.scaling.y.Scale*v)
	}
	return nil
}

// formQuantile fills in one of a form: from the model where it knows on which side of a
// number the form is, else from the draws.
func (f *Filter) formQuantile(fn *Functional, q *quantity.Quantity, r *Row) error {
	level := q.Level
	if q.Form.Scale < 0 { // of a function of the form
		level = 1 - level
	}
	about := [1]Row{unknown}
	known := f.engine.summarizer != nil
	if known {
		about[0].Open = true
		err := f.engine.summarizer.Summarize([]Functional{*fn}, about[:])
		known = err == nil && finite(about[0].Q025) && finite(about[0].Q975)
	}
	if at := about[0].at(level); known && finite(at) {
		r.Mean = q.Form.At(at)
		return nil
	}
	if known && f.engine.sided != nil {
		at, err := f.invert(fn, level, &about[0])
		if err == nil {
			r.Mean = q.Form.At(at)
			return nil
		}
		if !f.byDraws() {
			return err
		}
	}
	if !f.byDraws() {
		return errors.ErrUnsupported
	}
	return f.drawnQuantile(fn, q, r)
}

// at returns the row's quantile of a level, NaN where it has none.
func (r *Row) at(level float64) float64 {
	for _, q := range [...][2]float64{{.025, r.Q025}, {.05, r.Q05}, {.25, r.Q25}, {.5, r.Median}, {.75, r.Q75}, {.95, r.Q95}, {.975, r.Q975}} {
		if q[0] == level {
			return q[1]
		}
	}
	return math.NaN()
}

// invert finds the number that a functional is below with a probability, by the
// probabilities that the model knows: false position with halving (Illinois) between
// numbers on either side, in normal scores, in which most laws are nearly straight.
func (f *Filter) invert(fn *Functional, level float64, about *Row) (float64, error) {
	moved, want := *fn, normal.Quantile(level)
	var p, mcse [1]float64
	score := func(at float64) (float64, error) {
		moved.Const = fn.Const - at
		if err := f.engine.sided.Positive([]Functional{moved}, p[:], mcse[:]); err != nil {
			return 0, err
		}
		if mcse[0] > 0 {
			return 0, errors.ErrUnsupported // counted: the draws say it with an error
		}
		return -normal.Quantile(p[0]) - want, nil
	}
	width := about.Q975 - about.Q025
	if !(width > 0) {
		return about.Q025, nil
	}
	z975 := normal.Quantile(.975)
	at := (about.Q025+about.Q975)/2 + want*width/(2*z975)
	return bracketed(at, width/4, score)
}

// bracketed finds where an ascending function is 0, from a point near it.
func bracketed(at, step float64, of func(float64) (float64, error)) (float64, error) {
	v, err := of(at)
	if err != nil || v == 0 {
		return at, err
	}
	low, high, vLow, vHigh := at, at, v, v
	for grow := step; vLow > 0 || vHigh < 0; grow *= 2 {
		if !finite(grow) {
			return 0, fmt.Errorf("%w: no quantile is found", ErrNumeric)
		}
		if vLow > 0 {
			high, vHigh = low, vLow
			low -= grow
			vLow, err = of(low)
		} else {
			low, vLow = high, vHigh
			high += grow
			vHigh, err = of(high)
		}
		if err != nil {
			return 0, err
		}
	}
	const rounds = 100
	side := 0
	for range rounds {
		next := high - vHigh*(high-low)/(vHigh-vLow)
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if v, err = of(next); err != nil {
			return 0, err
		}
		if math.Abs(v) < 1e-13 || high-low < 1e-14*max(math.Abs(low), math.Abs(high)) {
			return next, nil
		}
		if v < 0 {
			if low, vLow = next, v; side < 0 {
				vHigh /= 2
			}
			side = -1
		} else {
			if high, vHigh = next, v; side > 0 {
				vLow /= 2
			}
			side = 1
		}
	}
	return low + (high-low)/2, nil
}

// drawnQuantile fills in one of the draws, with its error.
func (f *Filter) drawnQuantile(fn *Functional, q *quantity.Quantity, r *Row) error {
	w := f.ws
	for _, p := range fn.Param {
		if w.draws.Row(p) == nil {
			return fmt.Errorf("%w: not drawn", ErrNumeric)
		}
	}
	w.one = slices.Grow(w.one[:0], w.draws.S)[:w.draws.S]
	fn.draws(w.one, &w.draws)
	for i, v := range w.one {
		if w.one[i] = q.Form.At(v); !finite(w.one[i]) {
			return fmt.Errorf("%w: %s of it is not finite everywhere", ErrNumeric, q.Form.Function)
		}
	}
	ranked := w.diag.Rank(w.one, w.draws.Chains)
	r.Mean = mcmc.Quantile(ranked.Sorted(), q.Level)
	r.MCSEMean = ranked.MCSEQuantile(q.Level)
	return nil
}
