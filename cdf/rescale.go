package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Rescale replaces the state by that of a snapshot which was made under from, a
// configuration that differs from the filter's in Center and Scale of response and
// features, and in nothing else. The posterior is then the one that the same shards
// would have led to under the filter's configuration, up to rounding: the prior
// acts in the new units. A constant that the filter's configuration leaves to the
// key's first rows stays what it was. Score and account stay those of the
// predictions that were made, but for what is known of curves, of groups' variances and,
// where the response has other units, of its ends.
//
// Where the key keeps its first rows they are processed again, whatever the model;
// else it must be a Rescaler. On any error the filter is as it was. ErrSnapshot,
// wrapped: see UnmarshalBinary. ErrNumeric, wrapped, says that the numbers do not
// bear the change. Any other error says why the state cannot be told from the
// snapshot. The bytes are not retained.
func (f *Filter) Rescale(snapshot []byte, from *Spec) error {
	if !from.differsInUnits(f.spec) {
		return errors.New("the configurations differ in more than center and scale of response and features")
	}
	old, fresh := NewFilter(from, f.key), f.ws.NewFilter(f.spec, f.key)
	if err := old.UnmarshalBinary(snapshot); err != nil {
		return err
	}
	if err := fresh.takeOver(old); err != nil {
		return err
	}
	f.reset()
	*f = *fresh
	return nil
}

// takeOver makes the state of another filter, which must not be used any more, that
// of an empty one.
func (f *Filter) takeOver(old *Filter) error {
	s := &f.now
	*s = old.now
	if old.engine == nil {
		return nil
	}
	var err error
	if s.design, err = old.now.design.under(f.spec); err != nil {
		return err
	}
	// No shard is at hand: an empty one takes its place.
	slopes := 0
	for i := range f.spec.Columns.Groups {
		slopes += len(f.spec.Columns.Groups[i].Slopes)
	}
	f.ws.frame.shape(0, s.design, &layout{groups: make([]int, len(s.factors)), slopes: make([]int, slopes), exposure: -1, time: -1})
	if old.now.scaling.frozen {
		err = f.convert(old)
	} else {
		err = f.replayUnder(&old.now.scaling)
	}
	if err != nil {
		return err
	}
	s.account.curved = nil
	s.evidence = f.logEvidence()
	s.revalue(&old.now)
	if !f.SelfDescribing() {
		_, err = f.describe(&f.view, &f.ws.selected)
	}
	f.drawn = false
	return err
}

// convert expresses the model in the units of the filter, and lets it settle
// what follows from its statistics, with the draws of the last shard.
func (f *Filter) convert(old *Filter) error {
	s := &f.now
	s.scaling = old.now.scaling.under(old.spec, old.now.design, f.spec, s.design)
	s.account.unequal = nil // of rows in other units
	if s.scaling.y != old.now.scaling.y {
		s.account.bound = nil
	}
	e := old.engine
	if e.rescaler == nil {
		return fmt.Errorf("a model of kind %s with variant %s and these settings keeps no statistics that can be expressed in other units", f.spec.Kind, f.spec.Variant)
	}
	y, x, err := s.scaling.since(&old.now.scaling)
	if err != nil {
		return err
	}
	if err := e.rescaler.Rescale(s.design.dims(f.spec), y, x); err != nil {
		return err
	}
	model, err := e.model.AppendBinary(nil)
	if err != nil {
		return as(ErrNumeric, err)
	}
	if f.engine, err = newEngine(f.spec, s.design); err != nil {
		return err
	}
	if err := f.engine.model.UnmarshalBinary(model); err != nil {
		return fmt.Errorf("%w: in the new units: %s", ErrNumeric, err.Error()) // not damage
	}
	f.bytes = len(model)
	f.ws.frame.shard(&f.ws.shard, 0, 0)
	return f.step(f.engine, s.t, 1, false)
}

// replayUnder processes the kept rows of a state again.
func (f *Filter) replayUnder(old *scaling) error {
	s := &f.now
	s.scaling = newScaling(f.spec, s.design, nil)
	c := &s.scaling
	given := c.frozen
	c.frozen, c.kept, c.raw, c.observed, c.pending = false, old.kept, old.raw, old.observed, old.pending
	if err := f.replay(); err != nil {
		return err
	}
	if n := len(c.kept); n == 0 || c.kept[n-1].t < s.t {
		// Shards without a usable row followed: they leave their discount.
		f.ws.frame.shard(&f.ws.shard, 0, 0)
		if err := f.step(f.engine, s.t, c.pending, false); err != nil {
			return err
		}
	}
	if given {
		c.fix(f.spec, s.design)
	}
	return nil
}

// differsInUnits reports whether nothing but centres and scales tells the two
// configurations apart. Features may be listed in one of them only: what a key has
// is for design.under to compare.
func (s *Spec) differsInUnits(other *Spec) bool {
	a, b := s.withoutUnits(), other.withoutUnits()
	if listed := a.Columns.Features; (listed == nil) != (b.Columns.Features == nil) {
		if listed == nil {
			listed = b.Columns.Features
		}
		if slices.ContainsFunc(listed, func(f Feature) bool { return f.Levels != nil || f.LevelsFirst }) {
			return false
		}
		a.Columns.Features, b.Columns.Features = nil, nil
	}
	return a.Fingerprint() == b.Fingerprint()
}

func (s *Spec) withoutUnits() *Spec {
	c := *s
	c.print = nil
	c.Columns.Features = slices.Clone(s.Columns.Features)
	c.Columns.Response.Center, c.Columns.Response.Scale = nil, nil
	for i := range c.Columns.Features {
		c.Columns.Features[i].Center, c.Columns.Features[i].Scale = nil, nil
	}
	return &c
}

// under binds the columns to the centres and scales of another configuration.
func (d *design) under(spec *Spec) (*design, error) {
	if d.made != nil {
		return derivedDesign(spec, d.made)
	}
	listed, sources := spec.Columns.Features, slices.Clone(d.sources)
	if listed != nil && !slices.EqualFunc(listed, sources, func(f Feature, s source) bool { return f.Name == s.feature.Name }) {
		var names []string
		for i := range sources {
			names = append(names, sources[i].feature.Name)
		}
		return nil, fmt.Errorf("the features of this key are %q: list these, in this order", names)
	}
	for i := range sources {
		f := &sources[i].feature
		f.Center, f.Scale = nil, nil
		if listed != nil {
			f.Center, f.Scale = listed[i].Center, listed[i].Scale
		}
	}
	return assemble(spec, d.response, sources)
}

// under returns the fixed constants of a state that goes on under another
// configuration: those that it gives, and of those that it leaves to the first
// rows the present ones.
func (s *scaling) under(from *Spec, old *design, to *Spec, d *design) scaling {
	c := newScaling(to, d, nil)
	c.frozen = true
	if to.Columns.Scaling == "first" {
		if !to.RawResponse {
			c.y.keep(s.y, &to.Columns.Response, to.Origin)
		}
		for i := range d.sources {
			if src := &d.sources[i]; !src.categorical {
				c.x[src.first].keep(s.x[src.first], &src.feature, to.Origin)
			}
		}
	}
	copy(c.x[len(d.names):], s.x[len(d.names):])
	c.watch = s.watch.under(from, old, to, d, func(column int) float64 {
		if column < 0 {
			return between(s.y, c.y).Shift
		}
		return between(s.x[column], c.x[column]).Shift
	})
	return c
}

// keep takes from another constant what a column does not give.
func (c *Constant) keep(was Constant, column *Feature, origin bool) {
	if column.Center == nil && !origin {
		c.Center = was.Center
	}
	if column.Scale == nil {
		c.Scale = was.Scale
	}
}

// since returns what the values of response and columns are since the constants
// were others.
func (s *scaling) since(was *scaling) (y Affine, x []Affine, err error) {
	usable := func(a Affine) bool { return finite(a.Shift, a.Factor) && a.Factor > 0 }
	if y = between(was.y, s.y); !usable(y) {
		return y, nil, fmt.Errorf("%w: column %q from centre %g and scale %g to %g and %g", ErrNumeric, s.y.Column, was.y.Center, was.y.Scale, s.y.Center, s.y.Scale)
	}
	for j, c := range s.x {
		a := between(was.x[j], c)
		if !usable(a) {
			return y, nil, fmt.Errorf("%w: column %q from centre %g and scale %g to %g and %g", ErrNumeric, c.Column, was.x[j].Center, was.x[j].Scale, c.Center, c.Scale)
		}
		x = append(x, a)
	}
	return y, x, nil
}

func between(was, now Constant) Affine {
	return Affine{Shift: (was.Center - now.Center) / now.Scale, Factor: was.Scale / now.Scale}
}

// under returns the watch of a state that goes on under another configuration,
// which moves the means of columns whose scale stays. Where it leaves a scale to
// rows that are gone, all begin anew. Outliers among the first rows stay in the
// statistics, whatever the units.
func (w *watch) under(from *Spec, old *design, to *Spec, d *design, shift func(column int) float64) watch {
	before := map[int]spread{}
	for place, column := range learnt(from, old) {
		before[column] = w.spreads[place]
	}
	next := watch{rows: w.rows, outliers: w.outliers}
	next.begin(to, d)
	for place, column := range learnt(to, d) {
		s, known := before[column]
		if !known {
			next.rows = 0
			continue
		}
		mean := float64(s.mean) + shift(column)
		next.spreads[place] = spread{mean: float32(min(max(mean, -math.MaxFloat32), math.MaxFloat32)), variance: s.variance}
	}
	if len(next.spreads) == 0 {
		next.rows = 0
	}
	return next
}
