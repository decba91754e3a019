package cdf

import (
	"errors"
	"fmt"
	"slices"
)

// Filter is the posterior of one key. It is used by one goroutine at a time.
type Filter struct {
	spec   *Spec
	key    string
	print  [32]byte
	now    state
	engine *engine // nil before the first shard
	update layout  // of the schema that Update saw last
	asked  layout  // of the schema that Predict saw last
	view   view
	sum    [2]Summary
	sent   Summary // what is published of the present one, where that is less
	kept   int     // index of the summary of the present state in sum
	// drawn says that the workspace holds the draws of the present state.
	drawn bool
	// transforms are those of the rows that the last Update scored.
	transforms Transforms
	summed     bool // sum[kept] describes the present state
	broken     error
	bytes      int // of the model's snapshot, when it was made last
	ws         *Workspace
}

// state is what a snapshot holds beside the model.
type state struct {
	t, n     int64
	neff     float64
	clock    int64   // greatest event time of a shard, milliseconds
	dropped  int64   // rows of the last shard
	score    Score   // of the last shard, original units
	scaled   Score   // same, in the model's units
	evidence float64 // log p of all absorbed rows, model's units
	design   *design // nil before the first shard
	factors  []factor
	scaling  scaling
}

// NewFilter returns the filter of a key that has seen no shard. The spec must
// not change while the filter lives.
func NewFilter(spec *Spec, key string) *Filter {
	f := &Filter{spec: spec, key: key, print: spec.Fingerprint(), ws: NewWorkspace()}
	f.reset()
	return f
}

func (f *Filter) reset() {
	f.engine = nil
	f.now = state{score: NoScore(), scaled: NoScore()}
	f.drawn, f.summed = false, false
}

// T returns the number of shards absorbed.
func (f *Filter) T() int64 { return f.now.t }

// N returns the number of rows absorbed.
func (f *Filter) N() int64 { return f.now.n }

// SelfDescribing reports whether Summary can be told from a snapshot alone,
// as for closed forms. Where it is false the summary of the last shard is
// stored beside the snapshot (AppendSummary); without it (RestoreSummary)
// Summary fails after UnmarshalBinary until the next shard, and that shard
// cannot tell what mixes weakly. It is true before the first shard.
func (f *Filter) SelfDescribing() bool { return f.engine == nil || f.engine.chains == 0 }

// Update absorbs a shard and returns the summary of the new state. It is
// atomic: on ErrSchema, ErrShard and ErrNumeric, wrapped, the filter is as it
// was before. Any other error means that the state is lost; every later
// call returns it again.
func (f *Filter) Update(b *Batch) (*Summary, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	back := f.save()
	f.drawn, f.transforms = false, Transforms{}
	sum, err := f.absorb(b, &back)
	if err == nil {
		return sum, nil
	}
	if lost := f.restore(&back); lost != nil {
		f.broken = fmt.Errorf("state of key %q at shard %d is lost: %w", f.key, f.now.t, lost)
		return nil, f.broken
	}
	return nil, fmt.Errorf("shard %d: %w", f.now.t+1, err)
}

// undo is what Update needs to go back.
type undo struct {
	state   state
	engine  *engine
	levels  int   // of the first factor
	more    []int // of the other factors
	summed  bool
	touched bool // the model's bytes are in the workspace, the model may differ
}

func (f *Filter) save() undo {
	back := undo{state: f.now, engine: f.engine, summed: f.summed}
	for i := range f.now.factors {
		if n := len(f.now.factors[i].levels); i == 0 {
			back.levels = n
		} else {
			back.more = append(back.more, n)
		}
	}
	return back
}

func (f *Filter) restore(back *undo) error {
	f.now, f.engine = back.state, back.engine
	f.transforms = Transforms{}
	for i := range f.now.factors {
		n := back.levels
		if i > 0 {
			n = back.more[i-1]
		}
		f.now.factors[i].truncate(n)
	}
	f.view.stale = true
	f.summed = back.summed && !f.SelfDescribing()
	if !back.touched {
		return nil
	}
	return f.engine.model.UnmarshalBinary(f.ws.undo)
}

// absorb is Update without the way back.
func (f *Filter) absorb(b *Batch, back *undo) (*Summary, error) {
	s, w := &f.now, f.ws
	if s.design == nil {
		if b.Rows == 0 {
			return nil, fmt.Errorf("%w: no rows", ErrShard)
		}
		d, err := newDesign(f.spec, b)
		if err != nil {
			return nil, err
		}
		s.design, s.factors, s.scaling = d, newFactors(len(f.spec.Columns.Groups)), newScaling(f.spec, d)
		f.update = layout{}
		f.asked = layout{}
		if f.engine, err = newEngine(f.spec, d); err != nil {
			return nil, err
		}
	}
	if err := f.update.bind(f.spec, s.design, b, true); err != nil {
		return nil, err
	}
	if err := w.intake.admit(f.spec, s.design, &f.update, b); err != nil {
		return nil, err
	}
	observed := w.intake.count()
	forget := f.spec.discount(observed, f.elapsed(b.Time))
	if err := w.frame.fill(&w.intake, f.spec, s.design, s.factors, &s.scaling, true); err != nil {
		return nil, err
	}
	w.frame.shard(&w.shard, 0, w.frame.n)
	w.shard.Forget = forget
	if err := f.engine.model.Check(&w.shard); err != nil {
		return nil, as(ErrShard, err)
	}
	if err := f.scoreShard(observed); err != nil {
		return nil, err
	}
	before := s.scaling.y.Scale
	if s.scaling.frozen || observed == 0 && (!f.spec.Steps || w.shard.Rows == 0) {
		if err := f.advance(forget, back); err != nil {
			return nil, err
		}
	} else if err := f.again(forget); err != nil {
		return nil, err
	}
	s.t++
	s.dropped = int64(b.Rows - len(w.intake.rows))
	s.clock = max(s.clock, b.Time)
	s.neff = forget*s.neff + float64(observed)
	f.scoreEvidence(int64(observed), before)
	s.n += int64(observed)
	return f.describeShard()
}

// elapsed returns the event time since the shard before, in milliseconds.
func (f *Filter) elapsed(now int64) int64 {
	if f.now.t == 0 {
		return 0
	}
	return now - f.now.clock
}

// advance absorbs the checked shard of the workspace with the constants in force.
func (f *Filter) advance(forget float64, back *undo) error {
	w := f.ws
	if !f.now.scaling.frozen {
		f.now.scaling.pending *= forget
	}
	var err error
	if w.undo, err = f.engine.model.AppendBinary(w.undo[:0]); err != nil {
		return as(ErrNumeric, err)
	}
	f.bytes = len(w.undo)
	// A model that the first shard made has nothing to go back to.
	back.touched = back.engine == f.engine
	return f.step(f.engine, f.now.t+1, forget)
}

// again keeps the shard's rows, computes the constants from all kept rows and
// takes a fresh model through all kept shards.
func (f *Filter) again(forget float64) error {
	s, w := &f.now, f.ws
	identity := newScaling(&Spec{}, s.design)
	for i := range identity.x {
		identity.x[i].Center, identity.x[i].Scale = 0, 1
	}
	if err := w.raw.fill(&w.intake, f.spec, s.design, s.factors, &identity, false); err != nil {
		return err
	}
	s.scaling.keep(s.t+1, forget, &w.raw, f.spec.Steps)
	if err := s.scaling.compute(f.spec, s.design); err != nil {
		return err
	}
	s.scaling.scaled(&w.replay)
	f.view.stale = true // the constants have changed
	fresh, err := newEngine(f.spec, s.design)
	if err != nil {
		return err
	}
	lo := 0
	for _, k := range s.scaling.kept {
		w.replay.shard(&w.shard, lo, lo+k.rows)
		lo += k.rows
		if err := fresh.model.Check(&w.shard); err != nil {
			return as(ErrShard, err)
		}
		if err := f.step(fresh, k.t, k.forget); err != nil {
			return err
		}
	}
	f.engine = fresh
	s.scaling.freeze()
	return nil
}

// step takes a model through the shard of the workspace: Algorithm 1 of
// arXiv:1401.3632, the newest estimates of the blocks before being used.
func (f *Filter) step(e *engine, t int64, forget float64) error {
	w := f.ws
	w.step = Step{
		Shard:  &w.shard,
		T:      t,
		Forget: forget,
		RNG:    w.stream.at(f.spec.Seed, f.key, t, purposeUpdate),
	}
	for i, b := range e.blocks {
		b.Absorb(&w.step)
		if i == 0 {
			f.settle(e)
		}
		if err := b.Sample(&w.step); err != nil {
			return as(ErrNumeric, err)
		}
	}
	f.drawn = w.step.Draws != nil
	return nil
}

// settle lets groups go, selects what is described of the others and makes
// room for the draws, once the parameters of the shard are known.
func (f *Filter) settle(e *engine) {
	w, enrolled := f.ws, f.now.factors
	// Kept rows name their groups by index: nobody leaves while there are any.
	if e.retirer != nil && f.now.scaling.frozen {
		if gone := e.retirer.Retire(); len(gone) > 0 {
			f.retire(gone)
		}
	}
	w.selected.choose(&f.spec.Publish, enrolled, f.now.factors, &w.frame)
	w.selected.named = e.chains > 0
	n := e.draws(f.spec)
	if n == 0 {
		return
	}
	params := e.model.Params()
	if e.stateSummarizer != nil {
		f.view.refresh(f.spec, &f.now, params, &w.selected)
		w.draws.shapeFor(f.view.functionals, count(params), n, max(e.chains, 1))
	} else {
		w.draws.shape(count(params), n, max(e.chains, 1))
	}
	w.step.Draws = &w.draws
}

// retire takes the levels of the first factor out that the model let go. The
// factors are replaced, not changed: Update may have to go back to them.
func (f *Filter) retire(gone []int32) {
	f.now.factors = slices.Clone(f.now.factors)
	f.now.factors[0] = f.now.factors[0].without(gone)
	f.view.stale = true // as many may have joined
}

// errNoSummary says that a summary is not part of the snapshot.
var errNoSummary = fmt.Errorf("the summary of a sampled model is not part of its snapshot: %w", errors.ErrUnsupported)
