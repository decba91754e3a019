package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Why a record is skipped.
const (
	skippedApplied = "applied"
	skippedRepeat  = "repeat"
)

// Outputs gives results their bytes. It is used by one lane at a time. Those of a
// record are written over once it is applied: none but a dead letter may share them.
type Outputs interface {
	// Posterior appends the records to send for a posterior, whose bytes may lie in the pages.
	Posterior(dst []Output, in *Pages, p *Posterior, f *cdf.Filter, r *Record) ([]Output, error)
	// Predictions returns the records to send for rows that were predicted.
	// The rows are valid until it returns.
	Predictions(p *Predictions, r *Record) ([]Output, error)
	// Alert returns the record that tells that an alert rises or falls.
	Alert(a *Alert, r *Record) (Output, error)
	// Tombstone returns the record that tells readers that a key is deleted.
	Tombstone(p Partition, r *Record) Output
	// Dead returns the dead letter of a record: its bytes and the reason.
	Dead(p Partition, r *Record, stage Stage, reason string) Output
}

// task is one record on its way through a lane.
type task struct {
	record   *Record
	lane     int
	entry    *entry // nil: the record has no valid key
	spec     *cdf.Spec
	poison   bool         // it failed before: a dead letter, not to be applied
	fault    *fault.Error // of the program, that it failed for then
	over     quota.Over   // why no key may be made of it
	pass     quota.Pass   // by the account of its tenant
	cut      uint64
	expected int64 // what its outputs count in the cut until they are made
	// filled by the lane
	size     int64 // of the entry afterwards
	lives    bool  // the key has a state afterwards
	outBytes int64
	seconds  float64 // that an update took, and waited for the tools; 0: there was none
	noted    int64   // bytes of the point for the observer
	result   result
}

// result counts what became of a record.
type result struct {
	Kind     string
	Rows     int64
	Unheard  int64 // rows without a response
	Dropped  int64
	Drops    []cdf.Drop
	Skipped  string // applied | repeat
	Dead     Stage
	Fault    *fault.Error // of the program, also one that did not cost the record
	Scored   int64        // rows
	Density  float64
	Coverage float64
	Waiting  int64   // rows that were put to those that wait for a shard
	Seconds  float64 // of an update, 0: there was none
	MinESS   float64 // 0 without draws
	MaxRHat  float64
	Flags    []string // of the model, see cdf.Flagger
	Together []string // columns that determine each other, where a flag says so
	Repeats  Repeats  // where a flag says that there are some
	Again    float64  // part of the rows that came before in their shards, likewise
	Curved   string   // the column with a curve that the model lacks, likewise
	Uneven   string   // the column far from whose mean errors vary more, likewise
	Season   float64  // steps after which errors return, where SeasonFlag says that they do
	Moved    float64  // steps since the mean of a level is another, where LevelMovedFlag says so
	Bound    float64  // at which many responses are, where BoundFlag says so,
	AtBound  float64  // and their part of all
	Alerts   []alert.Event
}

// cutPart is one lane's share of a cut.
type cutPart struct {
	changes []Change
	outputs []Output // in offset order
	points  []*Point // same
	pages   Pages    // of the outputs
}

// failure is a record that made its lane stop.
type failure struct {
	offset int64
	key    string
	err    error
}

// lane applies records to the models of its keys, in the order given. It
// waits for nothing and reads no clock but the one that measures.
type lane struct {
	part    Partition
	rules   *Rules
	gaps    int
	watched bool // there is an observer
	*tools
	clock   func() float64  // seconds, for metrics, pace and the observer only
	stopped <-chan struct{} // closed when nobody reads the results any more
	waited  float64         // seconds for the tools
	// risk, where it is not nil, is told of a state before a shard that may cost it.
	risk func(*entry) error

	said   Posterior // of the shard at hand
	dirty  []*entry
	outs   []Output
	pages  Pages
	notes  []*Point
	points pointRoom       // for the next of notes
	asked  []cdf.Input     // of the newest point with rows
	usual  int             // outputs of the cut before
	names  []string        // of the newest point's variables: another key's are often the same
	given  []string        // same, of what its rows had beside their response
	rows   []RowPrediction // of the shard at hand

	traces *Traces     // nil: none
	span   *recordSpan // of the record at hand
}

// apply works on the tasks until the turn is over and returns what is left, and
// the failure that ended it, if one did.
func (l *lane) apply(tasks []task, turn float64) (rest []task, failed *failure) {
	begin := l.clock()
	for i, start := 0, begin; i < len(tasks); i++ {
		select {
		case <-l.stopped:
			return nil, nil
		default:
		}
		if start-begin > turn {
			return tasks[i:], nil
		}
		if err := l.one(&tasks[i]); err != nil {
			key := ""
			if tasks[i].entry != nil {
				key = tasks[i].entry.key
			}
			return nil, &failure{tasks[i].record.Offset, key, err}
		}
		if t := &tasks[i]; t.result.Seconds > 0 {
			t.seconds = t.result.Seconds + l.waited/float64(len(tasks))
		}
		start = l.clock()
	}
	return nil, nil
}

// route decides what a record is.
func (l *lane) route(t *task) error {
	r := t.record
	switch reason := checkKey(r.Key); {
	case t.poison:
		return l.condemn(t)
	case r.Refused != nil:
		return l.dead(t, StageDecode, r.Refused.Error())
	case reason != "":
		return l.dead(t, StageCheck, reason)
	case t.spec == nil:
		return l.dead(t, StageCheck, fmt.Sprintf("no model is configured for key %q", r.Key))
	}
	switch err := l.open(t.entry); {
	case fault.In(err) != nil:
		return l.refuse(t, err)
	case err != nil:
		return err
	}
	s := t.entry.state
	if s.model != nil && s.model.env.applied(r.Offset) {
		t.result.Skipped = skippedApplied
		return nil
	}
	if r.Value == nil {
		if err := l.withdraw(t); err != nil {
			return err
		}
		s.model = nil
		l.touch(t.entry)
		l.outs = append(l.outs, l.outputs.Tombstone(l.part, r))
		l.note(t, func() *Point {
			return &Point{Key: t.entry.key, Partition: l.part.ID, Offset: r.Offset, Time: r.Time, Deleted: true}
		})
		return nil
	}
	if t.over.Limit != "" {
		return l.dead(t, StageLimit, t.over.Reason)
	}
	var id string
	var n uint64
	var numbered bool
	if v, ok := r.Header(ShardHeader); ok {
		if id, n, numbered = parseShard(v); numbered && s.model != nil && s.model.env.repeated(id, n) {
			t.result.Skipped = skippedRepeat
			return nil
		}
	}
	if size := int64(len(r.Value)); size > l.rules.limits.Record {
		return l.dead(t, StageCheck, fmt.Sprintf("the record has %d bytes; limits.record allows %d", size, l.rules.limits.Record))
	}
	return l.update(t, func(e *Envelope) {
		if numbered {
			e.remember(id, n)
		}
	})
}

// update folds the shard, or the one that the record ends, into the key's model.
func (l *lane) update(t *task, note func(*Envelope)) error {
	start := l.clock()
	defer func() { t.result.Seconds = l.clock() - start }() // also of a shard that is refused
	r, s := t.record, t.entry.state
	defer l.tidy()
	decoded := l.span.step("decode")
	batch, err := guarded(func() (*cdf.Batch, error) { return Decode(l.decoder, r) })
	decoded(err)
	if err != nil {
		return l.refuse(t, err)
	}
	batch.Time = r.Time
	model := s.model
	if model == nil {
		model = &opened{filter: l.work.NewFilter(s.spec, t.entry.key)}
	}
	model.filter.Share(l.work)
	whole, err := l.gather(t, model, batch)
	switch {
	case err != nil:
		return l.refuse(t, err)
	case whole == nil:
		l.wait(t, model, batch.Rows, note)
		return nil
	}
	if l.risk != nil {
		if err := l.risk(t.entry); err != nil {
			return err
		}
	}
	folded := l.span.step("fold")
	err = l.absorb(t, model, whole, note)
	if folded(err); err != nil {
		return l.refuseShard(t, model, err)
	}
	return nil
}

// absorb takes a key's model through a shard. An error leaves the state as it was, but
// one that is not the record's fault.
func (l *lane) absorb(t *task, model *opened, batch *cdf.Batch, note func(*Envelope)) error {
	r, s := t.record, t.entry.state
	filter, env := model.filter, &model.env
	if l.watched {
		now := l.clock()
		rows := rowsObserved(filter.T(), now-model.observed)
		if filter.Observe(rows); rows > 0 {
			model.observed = now
		}
	}
	predicted, err := guarded(func() ([]Output, error) { return l.predict(t, filter, batch) })
	if err != nil {
		return err
	}
	n, settled := filter.N(), filter.Settled()
	summary, err := filter.Update(batch)
	if err != nil {
		return err
	}
	before := *env
	undo := func(err error) error {
		*env = before
		if lost := filter.Revert(); lost != nil {
			return fmt.Errorf("%w: %w, for %w", cdf.ErrLost, lost, err)
		}
		return err
	}
	if err := l.fits(t.entry.key, filter, len(r.Value)); err != nil {
		return undo(err)
	}
	env.end(r)
	env.Gaps = l.gaps
	if summary.Outliers.T == summary.T {
		env.Outlier = r.Offset + 1
	}
	events := l.step(s.spec, env, summary)
	l.said = posterior(t.entry.key, s.spec, env, l.part, l.rules.Config(), summary)
	message := &l.said
	message.Settled = settled && len(summary.Scaling) > 0 && repeats(s.spec, summary.T)
	l.begin()
	outs := l.outs
	publish := s.spec.Publish.Every <= 1 || summary.T%s.spec.Publish.Every == 0
	if publish {
		outs, err = guarded(func() ([]Output, error) { return l.outputs.Posterior(l.outs, &l.pages, message, filter, r) })
	}
	if publish && err == nil {
		outs[len(l.outs)].Kind = s.spec.Kind
	}
	if err == nil && len(events) > 0 {
		outs, err = guarded(func() ([]Output, error) { return l.announce(outs, t, summary.T, events) })
	}
	switch {
	case fault.In(err) != nil:
		return undo(err)
	case err != nil:
		return undo(fmt.Errorf("%w: encode the summary: %w", cdf.ErrNumeric, err))
	}
	s.model, model.checked = model, nil
	model.used++
	note(env)
	l.touch(t.entry)
	t.result = result{Kind: s.spec.Kind, Rows: summary.N - n, Unheard: int64(batch.Rows) - (summary.N - n) - summary.Dropped, Dropped: summary.Dropped, Drops: slices.Clone(filter.LastDrops()), Fault: filter.Faulted()}
	t.result.Scored, t.result.Density, t.result.Coverage = summary.Score.Rows, summary.Score.LogDensity, summary.Score.Coverage95
	t.result.MinESS, t.result.MaxRHat = diagnose(summary.Rows)
	t.result.flagged(summary.Flags, filter)
	t.result.Alerts = events
	l.outs = append(outs, predicted...)
	l.note(t, func() *Point { return l.point(t, model, batch, publish) })
	if summary.T == 1 {
		return l.packNew(t.entry)
	}
	return nil
}

// begin makes room for the outputs of a cut, which are likely as many as the one before had.
func (l *lane) begin() {
	if l.outs == nil {
		n := l.usual + l.usual/8
		l.outs, l.notes = make([]Output, 0, n), make([]*Point, 0, n)
	}
}

// tidy lets go of what was said of the shard, and of what a large one took: a lane
// has no use for it until the next one.
func (l *lane) tidy() {
	l.said = Posterior{}
	if l.decoder.Release() {
		l.work.Trim()
	}
}

// note makes a point for the observer, if there is one.
func (l *lane) note(t *task, point func() *Point) {
	if !l.watched {
		return
	}
	p := point()
	t.noted = p.Size() + p.NamesSize()
	l.notes = append(l.notes, p)
}

// cut hands over what changed since the last one. With pack, models that were used
// once are let go: their keys are likely many, and come again late.
func (l *lane) cut(pack bool) (cutPart, *failure) {
	part := cutPart{outputs: l.outs, points: l.notes, pages: l.pages.cut(), changes: make([]Change, 0, len(l.dirty))}
	for _, e := range l.dirty {
		value, err := guarded(func() (Stored, error) { return e.state.encode(&l.room) })
		if fault.In(err) != nil {
			l.renew()
		}
		if err != nil {
			return cutPart{}, &failure{e.state.model.env.ended().Offset, e.key, err}
		}
		part.changes = append(part.changes, Change{e.key, value})
		e.state.dirty = false
		if m := e.state.model; pack && m != nil && m.used == 1 {
			l.pack(e)
		}
	}
	slices.SortFunc(part.changes, func(a, b Change) int { return strings.Compare(a.Key, b.Key) })
	clear(l.dirty) // else it would keep states that are at rest by then
	l.dirty, l.outs, l.notes, l.usual = l.dirty[:0], nil, nil, len(l.outs)
	return part, nil
}
