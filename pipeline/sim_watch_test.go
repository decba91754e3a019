package pipeline

import (
	"errors"
	"slices"
	"time"
)

// simWatch checks one worker at every step: what it holds in memory, how soon
// it asks again for what failed, what it sends twice, and how long it takes.
type simWatch struct {
	fails    [waitKinds]simFails
	limit    int64           // of the cache, as last told
	reported int64           // bytes of outputs that lanes have reported since the barrier
	sending  []Output        // with the publisher
	acked    map[simSent]int // of this claim
	claimed  *facts          // of the claim that has fetched nothing yet
	due      bool            // a tick since the last barrier
	pausing  time.Duration   // since when
	revoked  time.Duration
	saves    bool // it was running when it was told to stop
	state    simAcknowledged
}

// simAcknowledged is what the store has acknowledged to a claim, from its own answers.
type simAcknowledged struct {
	at, origin int64 // where the state ends, -1 there is none, and where it began
	saving     int64 // where it ends when the save under way is acknowledged
}

type simFails struct {
	n  int // running
	at time.Duration
}

type simSent struct {
	topic  string
	offset int64
}

// heard notes an event before the machine has it.
func (w *simWorker) heard(ev event) {
	if e, ok := ev.(late); ok && e.of() != w.m.epoch {
		return
	}
	switch e := ev.(type) {
	case evStart:
		w.watch.limit = e.cache
	case evTick:
		w.watch.limit, w.watch.due = e.cache, true
	case evClaimed:
		w.failed(waitClaim, e.err)
		w.watch.claimed = &e.facts
	case evFetched:
		w.failed(waitFetch, e.err)
	case evLoaded:
		w.failed(waitLoad, e.err)
	case evSaved:
		w.failed(waitSave, e.err)
		if e.err == nil {
			w.watch.state.at = w.watch.state.saving
		}
	case evMeta:
		if e.err != nil {
			w.failed(waitSave, e.err)
		} else if x := &w.watch.state; e.meta.Owner == w.m.lease.Token && x.saved(e.meta) {
			x.at = x.saving
		}
	case evPublished:
		w.published(e)
	case evApplied:
		for i := range e.tasks {
			if e.tasks[i].cut == w.m.open.seq {
				w.watch.reported += e.tasks[i].outBytes
			}
		}
	}
}

func (w *simWorker) failed(k waitKind, err error) {
	var refused *RefusedError
	switch f := &w.watch.fails[k]; {
	case err == nil, errors.Is(err, ErrFenced), errors.Is(err, ErrDamaged), errors.As(err, &refused),
		errors.Is(err, ErrOutOfRange), errors.Is(err, ErrAnotherLog):
		*f = simFails{}
	default:
		*f = simFails{f.n + 1, w.sim.clock.now}
	}
}

func (w *simWorker) published(e evPublished) {
	w.failed(waitPublish, e.err)
	if e.err != nil {
		w.sim.failures++
	}
	if w.watch.acked == nil {
		w.watch.acked = map[simSent]int{}
	}
	for i := range w.watch.sending {
		w.watch.acked[simSent{w.watch.sending[i].Topic, w.watch.sending[i].Offset}]++
	}
	for i := range e.rest {
		w.watch.acked[simSent{e.rest[i].Topic, e.rest[i].Offset}]--
	}
	w.watch.sending = nil
}

// asked checks what the machine asks for.
func (w *simWorker) asked(ev event, fx effect) {
	s := w.sim
	switch fx := fx.(type) {
	case fxClaim:
		w.again(waitClaim)
	case fxFetch:
		w.again(waitFetch)
		w.begins(fx.from.Offset)
	case fxLoad:
		w.again(waitLoad)
		w.more(ev)
	case fxResolve:
		w.again(waitSave)
	case fxPublish:
		w.again(waitPublish)
		w.watch.sending = fx.outputs
		for i := range fx.outputs {
			if w.watch.acked[simSent{fx.outputs[i].Topic, fx.outputs[i].Offset}] > 0 {
				s.violate("amplification", "the output of offset %d was acknowledged to this claim and is sent again", fx.outputs[i].Offset)
			}
		}
	case fxOpen:
		s.claims++
		w.opened()
	case fxSave:
		w.watch.state.saving = fx.c.To
	case fxNote:
		w.told(fx.at)
	case fxWait:
		if fx.wait == waitPause {
			w.watch.pausing = s.clock.now
		}
	case fxBarrier:
		w.early()
		w.watch.reported, w.watch.due = 0, false
	case fxApply:
		w.more(ev)
	case fxCommit:
		w.watch.fails[waitSave] = simFails{}
		w.told(fx.at)
		if fx.at.Offset > s.truth.highest && s.Decoder == nil {
			s.violate("order", "the group offset moves to %d, no store ever was above %d", fx.at.Offset, s.truth.highest)
		}
	case fxDrop:
		w.watch.fails, w.watch.acked, w.watch.reported = [waitKinds]simFails{}, nil, 0
	}
}

// opened notes what a claim finds in the store.
func (w *simWorker) opened() {
	f := w.watch.claimed
	x := simAcknowledged{at: watermark(f.meta), origin: f.log.Start, saving: -1}
	switch {
	case f.meta.Exists:
		x.origin = f.meta.Origin
	case f.past.Told:
		x.origin = f.past.Origin
	}
	w.watch.state = x
}

// told checks what the group is told: where the state ends that the store has acknowledged to this
// claim, and where it began. Whoever loses the store goes by that.
func (w *simWorker) told(at GroupOffset) {
	if x := &w.watch.state; at.Offset != x.at || at.Origin != x.origin {
		w.sim.violate("note", "the group is told of a state from %d to %d, the store has acknowledged one from %d to %d", at.Origin, at.Offset, x.origin, x.at)
	}
}

// saved reports whether the save under way has happened.
func (x *simAcknowledged) saved(meta Meta) bool { return meta.Exists && meta.Watermark == x.saving }

// early checks that a checkpoint that is not due comes after a pause and holds
// nothing up.
func (w *simWorker) early() {
	s, m := w.sim, w.m
	full := m.flight.records >= s.Plan.Records || m.flight.bytes >= s.Plan.Bytes
	if full || w.watch.due || m.phase == phaseClosing {
		return
	}
	if d := s.clock.now - w.watch.pausing; d < s.Plan.MinPause {
		s.violate("amplification", "a checkpoint that is not due comes after a pause of %v, want %v", d, s.Plan.MinPause)
	}
	if n := m.queue.n + m.running; n > 0 {
		s.violate("amplification", "a checkpoint that is not due comes while %d records or messages wait", n)
	}
}

// begins checks that a claim reads on where the store's state ends, where the
// group was told to begin, or where the log begins.
func (w *simWorker) begins(at int64) {
	f := w.watch.claimed
	w.watch.claimed = nil
	if f == nil {
		return
	}
	want := f.log.Start
	if f.meta.Exists {
		want = max(want, f.meta.Watermark)
	} else if f.past.Told {
		want = f.past.Origin
	}
	if at != want {
		w.sim.violate("order", "a claim reads from offset %d, the store's state ends at %d and the log begins at %d", at, f.meta.Watermark, f.log.Start)
	}
}

// more checks that records are chosen for a cut only while there is room in it.
// Those that waited for their states were chosen before.
func (w *simWorker) more(ev event) {
	switch ev.(type) {
	case evLoaded, evTimer:
		return
	}
	if w.watch.reported >= w.sim.Plan.Bytes {
		w.sim.violate("memory", "records are added to a cut that has %d bytes of %d", w.watch.reported, w.sim.Plan.Bytes)
	}
}

// again checks that what failed is not asked for again at once, nor late. A load may not be
// wanted any more, and a process that stands still asks for nothing.
func (w *simWorker) again(k waitKind) {
	f := w.watch.fails[k]
	if f.n == 0 {
		return
	}
	least := min(100*time.Millisecond<<min(f.n-1, 10), 2*time.Second)
	if d := w.sim.clock.now - f.at; d < least {
		w.sim.violate("retry", "what failed %d times (%d) is asked for again after %v, want %v", f.n, k, d, least)
	} else if d > 2*time.Second && k != waitLoad && !w.sim.stood(f.at) {
		w.sim.violate("retry", "what failed %d times (%d) is asked for again after %v, want 2s at most", f.n, k, d)
	}
}

// simHalts are the faults that may halt a partition, by reason.
var simHalts = map[string][]FaultKind{
	"damaged":    {StoreDamaged, StoreForgets},
	"gap":        {Trim},
	"output":     {OutRefuses},
	"partitions": {Rescaling, Grown, StatesBack},
	"recreated":  {Recreate, Truncate},
	"store_lost": {Trim, Rescaling},
	"truncated":  {Recreate, Truncate, LogBehind, LogStale},
}

// halts checks that a partition that halts, also for a while, has the reason that it says. A log
// whose end is not known for a moment is none.
func (w *simWorker) halts() {
	s, reason := w.sim, w.m.halted
	behind := time.Duration(0)
	for i := range s.Plan.Faults {
		f := &s.Plan.Faults[i]
		switch {
		case f.From > s.clock.now || !slices.Contains(simHalts[reason], f.Kind):
		case f.Kind != LogBehind && f.Kind != LogStale:
			return
		default:
			if behind += min(f.To, s.clock.now) - f.From; behind >= 10*time.Second {
				return
			}
		}
	}
	s.violate("halt", "a partition halts as %s (%s)", reason, w.m.why)
}

// stood reports whether a process stood still after a time.
func (s *Sim) stood(since time.Duration) bool {
	return slices.ContainsFunc(s.Plan.Faults, func(f Fault) bool { return f.Kind == Freeze && f.To >= since && f.From <= s.clock.now })
}

// settled checks what is held after a step.
func (w *simWorker) settled() {
	s, m := w.sim, w.m
	if m.halted != "" {
		w.halts()
	}
	held := int64(0)
	for r := range m.queue.all {
		held += r.Size()
	}
	for _, l := range w.lanes {
		for i := range l.tasks {
			held += l.tasks[i].record.Size()
		}
	}
	if most := s.Plan.Backlog + int64(s.Plan.Fetch)*s.largest; held > most {
		s.violate("memory", "%d bytes of records are held, want at most %d", held, most)
	}
	clean := int64(0)
	for _, e := range m.cache.entries {
		if e.cut == 0 && e.pending == 0 {
			size := e.state.size(e.key)
			if clean += size; size != e.size {
				s.violate("memory", "key %q is counted with %d bytes and holds %d", e.key, e.size, size)
			}
		}
	}
	if clean > w.watch.limit && m.phase != phaseDone {
		s.violate("memory", "the cache holds %d bytes of saved states, its limit is %d", clean, w.watch.limit)
	}
}

// calm reports whether nothing failed since, and for long enough before that.
func (s *Sim) calm(since time.Duration) bool {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind != StoreSlow && f.From <= s.clock.now && f.To+s.patience() > since {
			return false
		}
	}
	return true
}

// pause is the longest that a checkpoint may take that nothing disturbs: what
// lanes have takes about an interval, or the slowest record, and the outputs
// go a batch after the other.
func (s *Sim) pause(since time.Duration) time.Duration {
	p := &s.Plan
	batches := min(len(p.Log), p.Records)/simBatch + 20
	return simPoll + 3*p.Interval + 4*p.Cost + time.Duration(2*batches)*p.Delay + 12*2*s.slowest(since)
}

// saveInTime checks the distance of two checkpoints.
func (s *Sim) saveInTime() {
	t := &s.truth
	if since := max(t.savedAt, s.workAt); s.clock.now-since > s.pause(since) && s.calm(since) {
		s.violate("progress", "a checkpoint comes after %v in calm, want %v", s.clock.now-since, s.pause(since))
	}
	t.savedAt = s.clock.now
}

// revoke notes that the worker is told to stop.
func (x *simWatch) revoke(w *simWorker) {
	x.revoked, x.saves = w.sim.clock.now, w.m.phase == phaseRunning && w.m.halted == ""
}

// ended checks that a worker that was told to stop in calm has saved what it
// began.
func (x *simWatch) ended(w *simWorker) {
	s := w.sim
	if !x.saves || !s.calm(x.revoked) {
		return
	}
	if w.m.acked != w.m.dispatched || s.clock.now-x.revoked > s.pause(x.revoked) {
		s.violate("progress", "told to stop, a worker saved %d of %d and took %v, want %v", w.m.acked, w.m.dispatched, s.clock.now-x.revoked, s.pause(x.revoked))
	}
}

// amplified checks how often things were done. Every claim may do once more
// what the one before had begun, two cuts; a store that went back in time costs
// all of the log; and every send that failed costs a cut.
func (s *Sim) amplified() {
	n := len(s.Plan.Log)
	for i := range s.Plan.Faults {
		if s.Plan.Faults[i].Kind == Recreate {
			n += s.Plan.Faults[i].N
		}
	}
	cut := min(s.Plan.Records, n)
	most := n*(1+s.restores) + 2*cut*s.claims
	if s.updates > most {
		s.violate("amplification", "%d updates of %d records, %d claims, %d times back: want at most %d", s.updates, n, s.claims, s.restores, most)
	}
	if most += cut * s.failures; len(s.Sent) > most {
		s.violate("amplification", "%d outputs of %d records, %d claims, %d times back, %d failures: want at most %d", len(s.Sent), n, s.claims, s.restores, s.failures, most)
	}
}
