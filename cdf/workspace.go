package cdf

import (
	"github.com/credence-stream/credence/cdf/bound"
	"github.com/credence-stream/credence/cdf/curved"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/cdf/reliability"
	"github.com/credence-stream/credence/cdf/repeated"
	"github.com/credence-stream/credence/cdf/season"
	"github.com/credence-stream/credence/cdf/unequal"
)

// Workspace holds the buffers of an update. Filters that one goroutine uses
// may share one, so that a key at rest costs its state and little more.
type Workspace struct {
	intake   intake
	shard    Shard
	tick     tick // of its record
	frame    rows // the shard as the model sees it
	raw      rows // unscaled, while constants are not fixed
	replay   rows // all kept rows with the constants of the moment
	step     Step
	stream   stream
	selected selection
	whole    view     // of what is summarized and too large for a key at rest
	drops    []Drop   // of the shard
	undo     []byte   // the model before the shard
	watched  []spread // the running spreads before the shard
	back     undo
	last     *Filter // that back and undo are of, nil: of none
	draws    Draws
	// A shard of which one half judges what the other half says, that half, and its draws.
	halves    rows
	half      Shard
	heldDraws Draws
	sent      Draws // draws of the published variables
	told      Summary
	patterns  patterns
	derived   any // room for the columns that formulas make
	diag      mcmc.Diagnostics
	spare     spare
	plain     []Constant   // that change nothing
	ascending ascending    // of a column, while constants are not fixed
	one       []float64    // draws of one variable
	prior     [3][]float64 // sd, sensitivity and share of the variance by variable
	loose     []Functional // of those the ones whose share is wanted
	together  inseparable  // columns that determine each other, while a summary is made
	arrivals  []Arrivals   // while predictions are judged
	narrowed  []Narrowed   // while the scaling is
	// mixedWeakly are variables of the shard before, while one is described.
	mixedWeakly map[string]bool
	preds       []Prediction
	found       []Prediction
	first       Shard // of the first rows of the shard
	foreseen    []Prediction
	seen        []Observed
	// What the shard's rows are to their predictions, and what was known of these before.
	reliability reliability.Shard
	relied      reliability.Account
	// What it tells of curves, the columns that may lack one, and what was known of these before.
	curved       curved.Shard
	curvable     []curved.Run
	dummies      []curved.Run
	curvedBefore curved.Account
	season       season.Shard
	seasoned     season.Account
	faulted      *fault.Error // of the last update, which it did not cost its shard
	// Room for what a shard tells of groups, and what was known of these before.
	unequal       unequal.Room
	unequalBefore unequal.Account
	boundBefore   bound.Account // what was known of the ends of responses
	// The rows of a shard to be compared with each other, and what was known of those that come again.
	table       repeated.Table
	rows        repeated.Room
	twiceBefore repeated.Twice
}

// NewWorkspace returns an empty workspace.
func NewWorkspace() *Workspace { return new(Workspace) }

// Trim lets the buffers go. What filters that share w returned is no longer
// valid, and no update can be reverted any more.
func (w *Workspace) Trim() { *w = Workspace{} }

// NewFilter is the function of that name, of a filter that shares w from the start.
func (w *Workspace) NewFilter(spec *Spec, key string) *Filter {
	f := w.spare.filter
	if w.spare.filter = nil; f == nil {
		f = new(Filter)
	}
	*f = Filter{spec: spec, key: key, print: spec.Fingerprint(), ws: w, view: f.view.room()}
	f.reset()
	return f
}

// Reclaim takes in the memory of a filter that nobody uses any more, nor one that
// was converted from it, for the next one. What it returned last stays valid until
// the next call of any filter that shares w.
func (w *Workspace) Reclaim(f *Filter) {
	f.Share(w)
	if w.last == f {
		w.last = nil
	}
	if f.broken == nil {
		w.spare.take(&f.now, f.engine)
		w.spare.filter = f
		w.spare.keepRows(&f.now.scaling.raw)
	}
}

// Share makes the filter use w instead of a workspace of its own. What the
// filter returned before is no longer valid, and what it returns from now on
// is valid until the next call of any filter that shares w.
func (f *Filter) Share(w *Workspace) {
	if w != f.ws && w.last == f {
		w.last = nil // what w would revert is from before the filter left it, whose workspace may be another's by now
	}
	f.ws = w
}

// spare is what a filter with the design had and has no longer, nil: nothing.
// Loading a snapshot takes it, and costs little more than reading the numbers; so
// does a key that begins.
type spare struct {
	of      *design
	engine  *engine
	half    *engine // of a shard, in any state: a key that begins has the other
	x       []Constant
	spreads []spread
	curved  *curved.Account
	unequal *unequal.Account
	rows    rows // room for y and x
	filter  *Filter
	// The bytes of a model of the design that has seen nothing.
	blankOf *design
	blank   []byte
}

// begin returns an engine for the design that has seen nothing.
func (s *spare) begin(spec *Spec, d *design) (*engine, error) {
	if e := s.engine; e != nil && d == s.of && d == s.blankOf {
		s.engine, s.half = s.half, nil
		if e.model.UnmarshalBinary(s.blank) == nil {
			return e, nil
		}
	}
	e, err := newEngine(spec, d)
	if err != nil {
		return nil, err
	}
	if d != s.blankOf {
		s.blankOf = nil
		if s.blank, err = e.model.AppendBinary(s.blank[:0]); err == nil {
			s.blankOf = d
		}
	}
	return e, nil
}

// keep takes in an engine for the design in any state.
func (s *spare) keep(d *design, e *engine) {
	if d == s.of {
		s.engine = e
	}
}

// model returns an engine for the design in any state, to be loaded.
func (s *spare) model(spec *Spec, d *design) (*engine, error) {
	if e := s.engine; e != nil && d == s.of {
		s.engine, s.half = s.half, nil // if loading it fails it must not be used
		return e, nil
	}
	return newEngine(spec, d)
}

// constants returns room for those of the design's columns.
func (s *spare) constants(d *design) []Constant {
	if x := s.x; d == s.of {
		s.x = nil
		return x
	}
	return nil
}

// watched returns room for the spreads of the design's columns.
func (s *spare) watched(d *design) []spread {
	if v := s.spreads; d == s.of {
		s.spreads = nil
		return v
	}
	return nil
}

// curves returns an account of curves that has seen nothing.
func (s *spare) curves() *curved.Account {
	a := s.curved
	if s.curved = nil; a == nil {
		return new(curved.Account)
	}
	clear(a.Columns)
	*a = curved.Account{Columns: a.Columns[:0], Uneven: curved.Uneven{Columns: a.Uneven.Columns[:0]}}
	return a
}

// groups returns an account of groups that has seen nothing.
func (s *spare) groups() *unequal.Account {
	a := s.unequal
	if s.unequal = nil; a == nil {
		return new(unequal.Account)
	}
	*a = unequal.Account{Groups: a.Groups[:0]}
	return a
}

// kept returns room for the first rows of a key.
func (s *spare) kept() rows {
	r := s.rows
	s.rows = rows{}
	return r
}

// keepRows takes in the memory of first rows that nothing else refers to.
func (s *spare) keepRows(r *rows) {
	if r.y != nil {
		s.rows = rows{y: r.y[:0], x: r.x[:0]}
	}
}

// take takes in what a filter will use no more. Nothing else may refer to it.
func (s *spare) take(was *state, e *engine) {
	if e == nil {
		return
	}
	if was.design != s.of {
		s.of, s.spreads, s.engine = was.design, nil, nil
	}
	s.engine, s.half, s.x = e, s.engine, was.scaling.x
	if v := was.scaling.watch.spreads; v != nil {
		s.spreads = v
	}
	if c := was.account.curved; c != nil {
		s.curved = c
	}
	if a := was.account.unequal; a != nil {
		s.unequal = a
	}
}
