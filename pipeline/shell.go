package pipeline

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/credence-stream/credence/pipeline/quota"
)

// shell does what a partition's machine asks for and tells it what came of
// it. Its goroutine is the only one that touches the machine.
type shell struct {
	w      *Worker
	a      Assignment
	m      *machine
	events chan event
	timers map[waitKind]*time.Timer

	io      context.Context // ends when the assignment's work does
	stop    context.CancelFunc
	epoch   context.Context // ends with the claim
	drop    context.CancelFunc
	lanes   []*station
	calls   sync.WaitGroup // I/O under way
	acks    *committer
	saving  saving
	held    int64 // bytes of the budget
	outs    int64 // of these, outputs being published
	said    status
	newest  int64       // time of the newest applied record
	cached  [2]int64    // bytes and keys last added to the gauges
	tenants []quota.Sum // of each, as the metrics have them
	flags   *flagLog
	waits   map[string]string // why, by the dependency that is away; nil mostly
	seen    seen              // what the observer was told
	txn     openTransaction
	lacks   bool // it was told that the log was compacted
	traces  checkpoints
	asked   atomic.Pointer[question] // by a claim
}

const (
	fetchBytes   = 1 << 20
	backlogBytes = 8 << 20
)

func newShell(w *Worker, a Assignment, m memory) *shell {
	probe := max(1, int(time.Second/w.opt.Interval))
	cfg := machineConfig{
		lanes: w.opt.Lanes, records: w.opt.Records, bytes: w.opt.Bytes,
		interval: w.opt.Interval.Seconds(), probe: probe, onGapSkip: w.opt.SkipGaps, rules: w.opt.Rules,
	}
	s := &shell{
		w: w, a: a, events: make(chan event, 16), timers: map[waitKind]*time.Timer{}, flags: m.flags,
		traces: checkpoints{Traces: &w.opt.Traces, part: a.Partition},
	}
	s.acks = newCommitter(s.traces.committing(a.Commit), w.opt.Interval)
	cfg.backlog = s.backlog
	w.opt.Metrics.consumed.WithLabelValues(a.Topic, strconv.Itoa(int(a.ID)))
	s.m = newMachine(cfg, a.Partition, m.keep, m.known)
	return s
}

// run works on the assignment and returns when ctx has ended and what was
// applied is saved, or the time for that is over.
func (s *shell) run(ctx context.Context) {
	s.io, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.epoch, s.drop = context.WithCancel(s.io)
	defer s.end()
	interval := time.NewTicker(s.w.opt.Interval)
	defer interval.Stop()
	revoked := ctx.Done()
	ev := event(evStart{committed: s.a.Committed, cache: s.cacheShare()})
	for {
		s.account(ev)
		for _, fx := range s.m.step(ev) {
			if _, done := fx.(fxDone); done {
				return
			}
			fx.start(s)
		}
		s.report()
		select {
		case ev = <-s.events:
		case <-interval.C:
			ev = evTick{cache: s.cacheShare()}
		case <-revoked:
			ev, revoked = evRevoked{}, nil
		}
	}
}

// end leaves nothing running but a lane in the middle of an update, whose
// result nobody will read.
func (s *shell) end() {
	s.acks.wait()
	s.stop()
	for _, t := range s.timers {
		t.Stop()
	}
	s.await()
	for len(s.events) > 0 {
		if e, ok := (<-s.events).(evFetched); ok {
			s.w.budget.Add(-e.size)
		}
	}
	s.w.budget.Add(-s.held)
	s.held = 0
	if s.said.halted != "" {
		s.w.opt.Metrics.halted.WithLabelValues(s.said.halted).Dec()
	}
	if s.waits != nil {
		s.w.opt.Depend.Gone(s.a.String())
	}
	s.gauges(0, 0, newCache())
	s.tenants = s.w.opt.Metrics.tenants.Counted(s.tenants, nil)
	s.w.opt.Metrics.eventLag.DeleteLabelValues(s.a.Topic, strconv.Itoa(int(s.a.ID))) // it is another process's from now on
	s.w.opt.Metrics.open.WithLabelValues(s.a.Topic, strconv.Itoa(int(s.a.ID))).Set(0)
	s.gone()
}

// await returns when no I/O of the assignment is under way: what it sends could
// come between what its successor does. At the end of the process a call that does
// not heed its context is not waited for, as it would not be after a crash.
func (s *shell) await() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.calls.Wait()
	}()
	select {
	case <-done:
		return
	case <-s.w.ending:
	}
	select {
	case <-done:
	case <-time.After(lastWord):
	}
}

// cacheShare is this partition's part of the cache.
func (s *shell) cacheShare() int64 { return s.w.opt.Cache / int64(max(1, s.w.board.assigned())) }

// budgetShare is what the records of the partition may hold of the budget whatever
// others do.
func (s *shell) budgetShare() int64 { return s.w.budget.share(s.w.board.expected()) }

// backlog is how many bytes of records the partition may fetch ahead.
func (s *shell) backlog() int64 {
	if s.w.budget.common() {
		return backlogBytes
	}
	return min(s.budgetShare(), backlogBytes)
}

// The effects. None of them waits here.

func (fxClaim) start(s *shell) { s.call(s.claimInTurn) }

func (fx fxOpen) start(s *shell) { s.open(fx) }

func (fx fxFetch) start(s *shell) {
	ctx, lacks := s.epoch, s.budgetShare()-s.m.waiting()
	s.call(func() event { return s.fetch(ctx, fx, lacks) })
}

func (fx fxShed) start(s *shell) { s.hold(-fx.bytes) }

func (fx fxLoad) start(s *shell) {
	s.within(s.epoch, loadTimeout(fx.failed), func(ctx context.Context) event {
		values, err := s.w.opt.Store.Load(ctx, fx.lease, fx.watermarks, fx.keys, fx.bytes)
		return evLoaded{fx.epoch, values, err}
	})
}

func (fx fxApply) start(s *shell) { s.put(fx.epoch, s.lanes[fx.lane], laneMessage{tasks: fx.tasks}) }

func (fx fxBarrier) start(s *shell) {
	s.saving.begin()
	s.traces.begin(s.m.flight.seq)
	for _, l := range s.lanes {
		s.put(fx.epoch, l, laneMessage{pack: fx.pack})
	}
}

func (fx fxPublish) start(s *shell) {
	s.outs = sizeOfAll(fx.outputs)
	traced := s.traces.sending(fx.outputs)
	s.bounded(s.epoch, func(ctx context.Context) event {
		traced.begin()
		rest, err := s.publish(ctx, fx)
		traced.end(err)
		return evPublished{fx.epoch, rest, err}
	})
}

func (fx fxSave) start(s *shell) {
	traced := s.traces.saving(len(fx.c.Changes))
	s.within(s.epoch, saveTimeout(&fx.c), func(ctx context.Context) event {
		traced.begin()
		err := s.save(ctx, fx)
		traced.end(err)
		return evSaved{fx.epoch, err}
	})
}

func (fx fxResolve) start(s *shell) {
	s.bounded(s.epoch, func(ctx context.Context) event {
		meta, err := s.w.opt.Store.Meta(ctx, s.a.Partition)
		return evMeta{fx.epoch, meta, err}
	})
}

func (fx fxLook) start(s *shell) {
	s.bounded(s.epoch, func(ctx context.Context) event {
		_, end, err := s.w.opt.Log.Bounds(ctx, s.a.Partition)
		return evLooked{fx.epoch, end, err}
	})
}

func (fx fxProbe) start(s *shell) { s.probe(fx) }

func (fx fxCommit) start(s *shell) {
	s.saving.done()
	s.traces.end("")
	s.acknowledged(fx.points)
	s.acks.to(s.io, fx.at)
}

func (fx fxNote) start(s *shell) { s.acks.to(s.io, fx.at) }

func (fxDrop) start(s *shell)     { s.dropEpoch() }
func (fx fxTell) start(s *shell)  { s.w.opt.Observer.Saved(s.a.Partition, fx.points) }
func (fx fxWait) start(s *shell)  { s.wait(fx) }
func (fx fxCount) start(s *shell) { s.count(fx) }

// start ends nothing by itself: run returns when it sees fxDone.
func (fxDone) start(*shell) {}

// open makes the lanes of a claim.
func (s *shell) open(fx fxOpen) {
	s.claimed()
	s.epoch, s.drop = context.WithCancel(s.io)
	s.lanes = make([]*station, s.w.opt.Lanes)
	for i := range s.lanes {
		s.lanes[i] = &station{lane: s.w.newLane(s.a.Partition, fx.gaps, s.epoch.Done())}
	}
}

// put gives a lane work, and a goroutine if it has none.
func (s *shell) put(epoch epoch, l *station, m laneMessage) {
	if !l.put(m) {
		return
	}
	ctx := s.epoch
	s.w.lanes.Go(func() {
		l.run(ctx, epoch, s.w.pool, func(ev event) {
			select {
			case s.events <- ev:
			case <-ctx.Done():
			}
		})
	})
}

func (s *shell) dropEpoch() {
	s.drop()
	s.traces.dropped()
	for k, t := range s.timers {
		t.Stop()
		delete(s.timers, k)
	}
	s.w.budget.Add(-s.held)
	s.held, s.outs = 0, 0
	s.epoch, s.drop = context.WithCancel(s.io)
}

func (s *shell) wait(fx fxWait) {
	d := time.Duration(fx.steps) * 100 * time.Millisecond
	switch fx.wait {
	case waitFence:
		d = 2 * s.w.opt.Heartbeat
	case waitHalt:
		d = 10 * time.Second
	case waitFlush:
		d = min(s.w.opt.Flush, s.w.opt.Interval+flushGrace+s.saving.expected())
	case waitPause:
		d = max(s.w.opt.MinPause*time.Duration(s.w.board.assigned()), s.saving.last)
	case waitPublish, waitSave:
		s.saving.held()
	}
	if t := s.timers[fx.wait]; t != nil {
		t.Stop()
	}
	s.timers[fx.wait] = time.AfterFunc(d, func() {
		select {
		case s.events <- evTimer{fx.epoch, fx.wait}:
		case <-s.io.Done():
		}
	})
}

// account keeps the budget and the metrics in step with the events.
func (s *shell) account(ev event) {
	switch e := ev.(type) {
	case evFetched:
		if e.epoch != s.m.epoch {
			s.w.budget.Add(-e.size)
			return
		}
		s.held += e.size
		s.blocked(e)
		s.compacted(e)
	case evApplied:
		if e.epoch != s.m.epoch {
			return
		}
		s.w.opt.Metrics.observe(s.a.Partition, e.tasks)
		s.traces.applied(e.tasks)
		s.flags.report(s.w.opt.Logger, s.a.Partition, e.tasks)
		s.w.faults.report(s.w.opt.Logger, s.a.Partition, e.tasks)
		n := int64(0)
		for i := range e.tasks {
			n += e.tasks[i].outBytes + e.tasks[i].noted - e.tasks[i].record.Size()
			s.newest = max(s.newest, e.tasks[i].record.Time)
		}
		s.hold(n)
	case evPublished:
		if e.epoch == s.m.epoch {
			s.hold(sizeOfAll(e.rest) - s.outs)
			s.outs = 0
		}
	}
}

func (s *shell) hold(n int64) {
	s.held += n
	s.w.budget.Add(n)
}

// report tells the board and the metrics where the partition stands.
func (s *shell) report() {
	m := s.m
	var st status
	switch {
	case m.halted != "":
		st = status{halted: m.halted, why: m.why}
	case m.waitsFor() != "":
		st = status{why: m.waitsFor()}
	case m.phase != phaseRunning || m.opening:
		st = status{why: "claiming" + s.asked.Load().String()}
	default:
		st = status{ready: true, told: m.acked}
	}
	s.gauges(max(0, m.high-m.acked), s.newest, m.cache)
	s.tenants = s.w.opt.Metrics.tenants.Counted(s.tenants, m.quotas)
	s.depend(m.blocked())
	s.observe(st)
	if st == s.said {
		return
	}
	if st.halted != s.said.halted {
		s.turned(st)
	}
	s.said = st
	s.w.board.set(s.a.Partition, st)
}

// turned logs a halt once, and its end.
func (s *shell) turned(st status) {
	log := s.w.opt.Logger.With("topic", s.a.Topic, "partition", s.a.ID)
	if s.said.halted != "" {
		s.w.opt.Metrics.halted.WithLabelValues(s.said.halted).Dec()
		log.Info("partition goes on")
	}
	if st.halted != "" {
		s.w.opt.Metrics.halted.WithLabelValues(st.halted).Inc()
		log.Error("partition halted", "reason", st.halted, "why", st.why)
	}
}
