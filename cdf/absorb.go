package cdf

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/credence-stream/credence/cdf/repeated"
)

// absorb is Update without the way back: a shard is admitted, scored by the
// posterior that has not seen it, and taken in.
func (f *Filter) absorb(b *Batch, back *undo) (*Summary, error) {
	observed, err := f.admit(b, nil)
	if err != nil {
		return nil, err
	}
	if err := f.scoreShard(observed); err != nil {
		return nil, err
	}
	f.foresaw(observed)
	if err := f.advance(b, observed, back); err != nil {
		return nil, err
	}
	return f.describeShard()
}

// admit checks the shard, fills the workspace with its rows in the units of the
// model, and returns how many of them have a response. The key's first shard
// settles the design. Before, where it is not nil, is of rows that were checked and come first.
func (f *Filter) admit(b *Batch, before *Before) (observed int, err error) {
	s, w := &f.now, f.ws
	if s.design == nil {
		if err := f.begin(b, false); err != nil {
			return 0, err
		}
	}
	raw := b
	if b, err = f.derived(b); err != nil {
		return 0, err
	}
	if err := f.bind(b, raw); err != nil {
		return 0, err
	}
	if err := w.intake.lay(&w.frame, f, &f.update, b, raw, true); err != nil {
		return 0, err
	}
	observed, w.drops = w.intake.count(), w.intake.drops(w.drops[:0])
	w.frame.shard(&w.shard, 0, w.frame.n)
	w.tick = s.tick(f.spec, b.Time)
	w.shard.Forget, w.shard.Serial = f.spec.discount(observed, w.tick.elapsed), serials.Add(1)
	if err := f.engine.check(&w.shard, before); err != nil {
		return 0, as(ErrShard, err)
	}
	return observed, nil
}

// serials are those of shards.
var serials atomic.Uint64

// begin makes the design and an empty model for the columns of a key's first
// shard. More says that rows may follow in it, with levels that these lack.
func (f *Filter) begin(b *Batch, more bool) error {
	if b.Rows == 0 {
		return fmt.Errorf("%w: no rows", ErrShard)
	}
	if known := f.ws.patterns.begun(f.spec, b); known != nil {
		return f.beginAs(known.design, known.layout)
	}
	d, err := newDesign(f.spec, b, more)
	if err == nil {
		err = d.namable()
	}
	if err != nil {
		return err
	}
	return f.beginAs(d, layout{})
}

// beginAs makes an empty model for a design, and says where batches have it.
func (f *Filter) beginAs(d *design, at layout) error {
	s, spare := &f.now, &f.ws.spare
	s.design, f.update, f.asked = d, at, layout{}
	s.factors, s.scaling = newFactors(len(f.spec.Columns.Groups)), newScaling(f.spec, s.design, spare.constants(s.design))
	s.scaling.raw = spare.kept()
	e, err := spare.begin(f.spec, s.design)
	f.engine = e
	return err
}

// advance takes the model through the checked shard of the workspace and
// counts it.
func (f *Filter) advance(b *Batch, observed int, back *undo) (err error) {
	s, w := &f.now, f.ws
	forget, before, stand := w.shard.Forget, s.scaling.y.Scale, f.constantsStand(observed)
	if stand {
		err = f.onward(forget, back)
		back.watched = append(w.watched[:0], s.scaling.watch.spreads...)
		w.watched = back.watched
		off := s.scaling.far(f.spec, s.design, &w.frame, s.account.outliers.T == s.t+1)
		s.account.far = min(float64(forget*s.account.far)+off, math.MaxFloat64)
		s.scaling.watch.add(f.spec, s.design, &w.frame, forget)
	} else {
		err = f.again(forget, back)
	}
	if err != nil {
		return err
	}
	f.compareEnds(stand)
	f.holdOut(observed, !stand)
	s.t++
	if s.dropped = int64(b.Rows - len(w.intake.rows)); s.dropped > 0 {
		s.drops = AddDrops(s.drops, w.drops)
	}
	s.clock, s.timeless = w.tick.clock, w.tick.ignored
	s.neff = forget*s.neff + float64(observed)
	s.account.repeats.Add(w.intake.print(f.foretold()), float64(observed), forget)
	f.compareRows(observed, forget)
	f.scoreEvidence(int64(observed), before)
	s.n += int64(observed)
	return nil
}

// constantsStand reports whether the shard leaves the constants of centring and
// scaling as they are: they are frozen, or it has nothing that they come from,
// no response and, where rows are steps of time, no row at all.
func (f *Filter) constantsStand(observed int) bool {
	idle := observed == 0 && (!f.spec.Steps || f.ws.shard.Rows == 0)
	return f.now.scaling.frozen || idle
}

// foretold returns the mean log density that was predicted of the shard, as of repeated.Bits. One that is no mass is twice
// as much: what is the same every time and rounded has that of an error of the rounding, which it is surprised by.
func (f *Filter) foretold() float64 {
	switch density := f.now.score.LogDensity; {
	case f.engine.predictor == nil:
		return math.Inf(-1)
	case !f.spec.RawResponse:
		return density + math.Ln2
	default:
		return density
	}
}

// tick is what the time of a record says, in milliseconds.
type tick struct {
	elapsed int64 // event time since the shard before, never negative
	clock   int64 // the greatest event time from now on
	ignored bool  // nothing is forgotten, where a time that could be believed would have had it
}

const (
	// NoTime is the greatest time of a record that says none: Kafka's is -1, many clients' 0,
	// and where Credence has none it writes 1.
	NoTime = 1
	// FurthestTime is how far a record may be from those before it, in milliseconds: ten years. What is farther
	// comes of a clock that was never set, or of another unit.
	FurthestTime = 3652 * 24 * 3600 * 1000
	// leastKept is the part of the weight of earlier rows below which all of it is forgotten.
	leastKept = 1e-3
)

// tick reads the time of a record. Where rows age with time, one record must not make all the
// earlier ones vanish because its clock is wrong, nor keep the later ones from aging: a time that
// is too far off is ignored, until the second in a row, which sets the clock and ages nothing.
func (s *state) tick(spec *Spec, now int64) tick {
	if !spec.ages() {
		return tick{clock: max(s.clock, now)}
	}
	switch gap := now - s.clock; {
	case now <= NoTime:
		return tick{clock: s.clock, ignored: true}
	case s.clock <= NoTime:
		return tick{clock: now}
	case gap > FurthestTime, gap < -FurthestTime:
		if s.timeless {
			return tick{clock: now, ignored: true}
		}
		return tick{clock: s.clock, ignored: true}
	case gap < 0:
		return tick{clock: s.clock, ignored: spec.discount(1, -gap) < leastKept}
	default:
		return tick{elapsed: gap, clock: now}
	}
}

// onward absorbs the checked shard of the workspace with the constants in force.
func (f *Filter) onward(forget float64, back *undo) error {
	w := f.ws
	if !f.now.scaling.frozen {
		f.now.scaling.pending = both(f.now.scaling.pending, forget)
	}
	var err error
	if w.undo, err = f.engine.model.AppendBinary(w.undo[:0]); err != nil {
		return as(ErrNumeric, err)
	}
	f.bytes = len(w.undo)
	// A model that the first shard made has nothing to go back to.
	back.touched = back.engine == f.engine
	return f.step(f.engine, f.now.t+1, forget, false)
}

// again keeps the shard's rows and processes all kept ones again.
func (f *Filter) again(forget float64, back *undo) error {
	s, w := &f.now, f.ws
	w.plain = slices.Grow(w.plain[:0], s.design.constants())[:s.design.constants()]
	identity := newScaling(&Spec{}, s.design, w.plain)
	for i := range identity.x {
		identity.x[i].Center, identity.x[i].Scale = 0, 1
	}
	if err := w.raw.fill(&w.intake, f.spec, s.design, s.factors, &identity, false); err != nil {
		return err
	}
	s.scaling.keep(s.t+1, forget, &w.raw, f.spec.Steps)
	if err := f.replay(); err != nil {
		return err
	}
	raw := s.scaling.raw
	if s.scaling.freeze(f.spec, s.design); s.scaling.frozen && back.state.design == nil {
		w.spare.keepRows(&raw) // what was before the key's first shard has no rows
	}
	return nil
}

// replay computes the constants from all kept rows and takes a fresh model
// through all kept shards.
func (f *Filter) replay() error {
	s, w := &f.now, f.ws
	if err := s.scaling.compute(f.spec, s.design, &w.ascending); err != nil {
		return err
	}
	s.scaling.scaled(s.design, &w.replay)
	f.outdated() // the constants have changed
	fresh := f.engine
	if s.t > 0 || fresh == nil { // else it is the one that this shard has made
		var err error
		if fresh, err = newEngine(f.spec, s.design); err != nil {
			return err
		}
	}
	s.account.unequal = nil // of rows in other units
	lo := 0
	for i, k := range s.scaling.kept {
		w.replay.shard(&w.shard, lo, lo+k.rows)
		lo += k.rows
		if err := fresh.model.Check(&w.shard); err != nil {
			return as(ErrShard, err)
		}
		if err := f.step(fresh, k.t, k.forget, i+1 < len(s.scaling.kept)); err != nil {
			return err
		}
	}
	f.engine = fresh
	s.scaling.watch.first(f.spec, s.design, s.scaling.kept, &w.replay)
	return nil
}

// step takes a model through the shard of the workspace: Algorithm 1 of
// arXiv:1401.3632, the newest estimates of the blocks before being used.
func (f *Filter) step(e *engine, t int64, forget float64, passing bool) error {
	w := f.ws
	rng, source := w.stream.of(e, f.spec.Seed, f.key, t, purposeUpdate)
	w.step = Step{
		Shard:   &w.shard,
		T:       t,
		Forget:  forget,
		RNG:     rng,
		Source:  source,
		Passing: passing,
	}
	f.compareGroups(e)
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

// compareGroups takes the rows of the shard of the workspace into what is known of groups that have one variance by the model. It is
// exact without a prediction: the rows of a key's first shard tell as much as later ones.
func (f *Filter) compareGroups(e *engine) {
	s, w := &f.now, f.ws
	if !e.oneVariance || s.account.unequal == nil && w.shard.Observed() == 0 {
		return
	}
	if s.account.unequal == nil {
		s.account.unequal = w.spare.groups()
	}
	s.account.unequal.Add(w.shard.Y, w.shard.Group[0], len(s.factors[0].levels), &w.unequal)
}

// compareEnds takes measurements into what is known of the least and the greatest of them, once their units stay: those of a shard
// that constants did not change for, else all kept ones.
func (f *Filter) compareEnds(stood bool) {
	s := &f.now
	if f.spec.RawResponse || !s.scaling.frozen {
		return
	}
	y := f.ws.frame.y
	if !stood {
		y = f.ws.replay.y
	}
	s.account.bound = s.account.bound.Add(y)
}

// compareRows takes the rows of a shard of measurements into what is known of those that come again in theirs. Steps of time that
// are the same are others, and those with a time come once.
func (f *Filter) compareRows(observed int, forget float64) {
	if observed == 0 || f.spec.RawResponse || f.spec.Steps {
		return
	}
	twice := &f.now.account.twice
	(*twice).Discount(forget)
	if shards := repeated.Looks(f.now.n, f.now.t); shards > 0 {
		f.ws.intake.table(&f.ws.table)
		*twice = (*twice).Add(&f.ws.table, shards, &f.ws.rows)
	}
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
	w.selected.named, w.selected.feeder = e.chains > 0, e.feeder
	n := e.draws(f.spec)
	if n == 0 {
		return
	}
	params := e.model.Params()
	if e.stateSummarizer != nil {
		f.view.refresh(f.spec, &f.now, params, &w.selected)
		w.draws.shapeFor(f.drawnOf(params), count(params), n, max(e.chains, 1))
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
	if a := f.now.account.unequal; a != nil {
		a.Retire(gone)
	}
	f.outdated() // as many may have joined
}
