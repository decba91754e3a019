package cdf

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf/quantity"
)

// Answer is what the present state says of a quantity.
type Answer struct {
	quantity.Told
	Row Row // original units, all NaN where Told.Absent says why there is none
}

// Ask answers quantities that nobody has configured, of the present state, as
// Publish.Quantities answers them after a shard; of one named as a variable is
// there is no answer. A closed form answers with the same bits. A model that draws
// does so with draws of the state (Redrawer): quantiles have the same bits while no
// more groups than a shard describes are there; where its Summarize depends on
// what a snapshot does not hold, moments are those of the draws. Draws of the last Update
// are lost. ErrSchema, wrapped: no shard has fixed the columns yet. ErrNumeric,
// wrapped: the state cannot be drawn from.
func (f *Filter) Ask(list []quantity.Quantity) ([]Answer, error) {
	switch {
	case f.broken != nil:
		return nil, f.broken
	case f.engine == nil:
		return nil, fmt.Errorf("%w: no shard has fixed the columns yet", ErrSchema)
	}
	of := make([]*quantity.Quantity, len(list))
	for i := range list {
		of[i] = &list[i]
	}
	a := f.expressed(f.engine.model.Params(), of)
	if err := f.redraw(&a); err != nil {
		return nil, err
	}
	defer func() { f.drawn = false }() // they are not those of LastDraws
	out := make([]Answer, 0, len(list))
	f.figures(&a, func(i int, r *Row, why string) {
		if why != "" {
			*r = unknown
		}
		out = append(out, Answer{a.list[i].told(why), *r})
	})
	return out, nil
}

// redraw draws from the present state what the quantities need, where the model
// is one that draws and can. The draws come from the stream of the shard that made the
// state, so that those of a model without memory of its own are its again.
func (f *Filter) redraw(a *answers) error {
	e, w, s := f.engine, f.ws, &f.now
	if f.drawn = false; e.chains == 0 || e.redrawer == nil || len(a.forms)+len(a.comparisons) == 0 {
		return nil
	}
	list, n := slices.Concat(a.forms, a.comparisons), count(a.params)
	if n <= manyGroups {
		list = append(list, functionals(f.spec, s, a.params, new(selection))...)
	}
	if e.stateSummarizer != nil {
		w.draws.shapeFor(list, n, e.draws(f.spec), e.chains)
	} else {
		w.draws.shape(n, e.draws(f.spec), e.chains)
	}
	w.step = Step{T: s.t, Forget: 1, RNG: w.stream.at(f.spec.Seed, f.key, s.t, purposeUpdate), Draws: &w.draws}
	if err := attempted(func() error { return e.redrawer.Redraw(&w.step) }); err != nil {
		return as(ErrNumeric, err)
	}
	f.drawn = true
	return nil
}
