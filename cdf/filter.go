package cdf

import (
	"errors"
	"fmt"

	"github.com/credence-stream/credence/cdf/fault"
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
	// answers are the quantities that are published, nil where there are none.
	answers *answers
	told    *told // nil where the state tells it, or nothing was told yet
	kept    int   // index of the summary of the present state in told
	// drawn says that the workspace holds the draws of the present state.
	drawn bool
	// transforms are those of the rows that the last Update scored, each of which counts
	// for weight.
	transforms Transforms
	weight     float64
	summed     bool // the summary that is kept describes the present state
	broken     error
	bytes      int // of the model's snapshot, when it was made last
	wanted     int // rows of a shard that Observed tells of
	ws         *Workspace
}

// told holds the summaries of a filter whose state does not tell them again.
type told struct {
	sum  [2]Summary
	sent Summary // what is published of the present one, where that is less
}

// keptSummary returns the summary of the present state of a filter that is not
// SelfDescribing.
func (f *Filter) keptSummary() *Summary { return &f.ownTold().sum[f.kept] }

func (f *Filter) ownTold() *told {
	if f.told == nil {
		f.told = new(told)
	}
	return f.told
}

// nextSummary returns where the next summary is made. A refused shard must leave
// the one that is kept alone; one that the state tells again is the workspace's,
// so that a key at rest has none.
func (f *Filter) nextSummary() (sum *Summary, at int) {
	if f.SelfDescribing() {
		return &f.ws.told, f.kept
	}
	return &f.ownTold().sum[1-f.kept], 1 - f.kept
}

// state is what a snapshot holds beside the model.
type state struct {
	t, n     int64
	neff     float64
	clock    int64   // greatest event time of a shard, milliseconds
	timeless bool    // the last shard's time was ignored, see tick
	dropped  int64   // rows of the last shard
	drops    []Drop  // of all shards, never changed in place
	score    Score   // of the last shard, original units
	scaled   Score   // same, in the model's units
	evidence float64 // log p of all absorbed rows, model's units
	amended  bool    // in a snapshot: see partAmended
	account  account // of the scores of all shards
	design   *design // nil before the first shard
	factors  []factor
	scaling  scaling
}

// NewFilter returns the filter of a key that has seen no shard. The spec must
// not change while the filter lives.
func NewFilter(spec *Spec, key string) *Filter { return NewWorkspace().NewFilter(spec, key) }

func (f *Filter) reset() {
	f.engine = nil
	if f.ws.last == f {
		f.ws.last = nil
	}
	f.now = state{score: NoScore(), scaled: NoScore()}
	f.drawn, f.summed = false, false
}

// T returns the number of shards absorbed.
func (f *Filter) T() int64 { return f.now.t }

// N returns the number of rows absorbed.
func (f *Filter) N() int64 { return f.now.n }

// Settled reports whether centre and scale of the columns are fixed: no later
// shard changes them. It is false before the first shard.
func (f *Filter) Settled() bool { return f.now.scaling.frozen }

// SelfDescribing reports whether Summary can be told from a snapshot alone,
// as for closed forms. Where it is false the summary of the last shard is
// stored beside the snapshot (AppendSummary); without it (RestoreSummary)
// Summary fails after UnmarshalBinary until the next shard, and that shard
// cannot tell what mixes weakly. It is true before the first shard.
func (f *Filter) SelfDescribing() bool { return f.engine == nil || f.engine.chains == 0 }

// Update absorbs a shard and returns the summary of the new state. It is
// atomic: on ErrSchema, ErrShard, ErrNumeric and a fault.Error, which a panic of the
// model is, wrapped, the filter is as it was before. Any other error, and any that
// wraps ErrLost, means that the state is lost; every later call returns it. See Faulted, too.
func (f *Filter) Update(b *Batch) (*Summary, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	w := f.ws
	w.last, w.back, w.faulted = f, f.save(), nil
	f.drawn, f.transforms, w.seen = false, Transforms{}, w.seen[:0]
	sum, err := f.attempt(b, &w.back)
	if err == nil {
		return sum, nil
	}
	if lost := f.Revert(); lost != nil {
		return nil, lostFor(lost, err)
	}
	return nil, fmt.Errorf("shard %d: %w", f.now.t+1, err)
}

// attempt is absorb, whose panics cost the shard alone.
func (f *Filter) attempt(b *Batch, back *undo) (sum *Summary, err error) {
	defer fault.Catch(&err)
	return f.absorb(b, back)
}

// Faulted returns the first panic of the last Update that did not cost its shard, as of a
// quantity that has no answer then; nil: there was none. The model and the workspace may
// be left in the middle of something that is no part of the state: what goes on with the
// filter's snapshot and another workspace is sure not to meet it.
func (f *Filter) Faulted() *fault.Error { return f.ws.faulted }

// Revert takes the last Update back, once: the filter is as it was before it.
// No filter that shares the workspace may have been used since; where one was, or
// nothing was updated yet, nothing changes and the error says so. Any other
// error means that the state is lost, as for Update.
func (f *Filter) Revert() error {
	if f.broken != nil {
		return f.broken
	}
	if f.ws.last != f {
		return errNothingToRevert
	}
	f.ws.last = nil
	if lost := attempted(func() error { return f.restore(&f.ws.back) }); lost != nil {
		f.broken = fmt.Errorf("state of key %q at shard %d is %w: %w", f.key, f.now.t, ErrLost, lost)
		return f.broken
	}
	return nil
}

// lostFor is what is lost, with the fault that it was lost for. Another reason says nothing
// any more, and would be taken for one that changed nothing.
func lostFor(lost, err error) error {
	if fault.In(err) == nil {
		return lost
	}
	return fmt.Errorf("%w, for %w", lost, err)
}

var errNothingToRevert = errors.New("the workspace does not hold what was before the last update of this filter")

// undo is what Update needs to go back; the workspace holds what is changed in place.
type undo struct {
	state   state
	engine  *engine
	kept    int
	levels  int   // of the first factor
	more    []int // of the other factors
	summed  bool
	watched []spread // in the workspace, where the state's have changed
	touched bool     // the model's bytes are in the workspace, the model may differ
}

func (f *Filter) save() undo {
	back := undo{state: f.now, engine: f.engine, kept: f.kept, summed: f.summed}
	if r := f.now.account.reliability; r != nil {
		r.CopyTo(&f.ws.relied)
	}
	if c := f.now.account.curved; c != nil {
		c.CopyTo(&f.ws.curvedBefore)
	}
	if a := f.now.account.season; a != nil {
		a.CopyTo(&f.ws.seasoned)
	}
	if a := f.now.account.unequal; a != nil {
		a.CopyTo(&f.ws.unequalBefore)
	}
	if b := f.now.account.bound; b != nil {
		f.ws.boundBefore = *b
	}
	if a := f.now.account.twice; a != nil {
		f.ws.twiceBefore = *a
	}
	for i := range f.now.factors {
		if n := len(f.now.factors[i].levels); i == 0 {
			back.levels = n
		} else {
			back.more = append(back.more, n)
		}
	}
	return back
}

// levelsOf returns how many levels a factor had.
func (u *undo) levelsOf(factor int) int {
	if factor == 0 {
		return u.levels
	}
	return u.more[factor-1]
}

func (f *Filter) restore(back *undo) error {
	f.now, f.engine, f.kept = back.state, back.engine, back.kept
	f.drawn, f.transforms = false, Transforms{}
	for i := range f.now.factors {
		f.now.factors[i].truncate(back.levelsOf(i))
	}
	copy(f.now.scaling.watch.spreads, back.watched)
	if r := f.now.account.reliability; r != nil {
		f.ws.relied.CopyTo(r)
	}
	if c := f.now.account.curved; c != nil {
		f.ws.curvedBefore.CopyTo(c)
	}
	if a := f.now.account.season; a != nil {
		f.ws.seasoned.CopyTo(a)
	}
	if a := f.now.account.unequal; a != nil {
		f.ws.unequalBefore.CopyTo(a)
	}
	if b := f.now.account.bound; b != nil {
		*b = f.ws.boundBefore
	}
	if a := f.now.account.twice; a != nil {
		*a = f.ws.twiceBefore
	}
	f.outdated()
	f.summed = back.summed && !f.SelfDescribing()
	if !back.touched {
		return nil
	}
	return f.engine.model.UnmarshalBinary(f.ws.undo)
}

// errNoSummary says that a summary is not part of the snapshot.
var errNoSummary = fmt.Errorf("the summary of a sampled model is not part of its snapshot: %w", errors.ErrUnsupported)
