package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/credence-stream/credence/pipeline/quota"
)

// simProcess is a process that may be given the partition.
type simProcess struct {
	dead, frozen bool
	worker       *simWorker // its newest
	waiting      []func()   // what a frozen process finds when it wakes
	left         memory     // what its last worker left
}

// simWorker stands for a shell: it does in simulated time what the machine asks
// for.
type simWorker struct {
	sim     *Sim
	id      int
	proc    *simProcess
	m       *machine
	lanes   []*simLane
	timers  map[waitKind]*simTimer
	revoked bool
	// rebalanced says who gets the partition when the worker has ended.
	rebalanced func() *simProcess
	done       bool
	watch      simWatch
}

type simTimer struct {
	epoch   epoch
	stopped bool
}

// The times of a worker that are settings of the product.
const (
	simHeartbeat = 500 * time.Millisecond
	simFlush     = 10 * time.Second
	simPoll      = 500 * time.Millisecond
)

var simPartition = Partition{"in", 0}

// start begins the work of an assignment.
func (s *Sim) start(p *simProcess) {
	pl := &s.Plan
	lanes := 1 + (pl.Lanes+len(s.workers))%3 // a process may have others than the one before
	cfg := machineConfig{lanes: lanes, records: pl.Records, bytes: pl.Bytes, backlog: func() int64 { return max(1, s.share(pl.Backlog)) }, interval: pl.Interval.Seconds(),
		probe: 1, onGapSkip: pl.SkipGap, rules: s.Rules}
	w := &simWorker{sim: s, id: len(s.workers), proc: p, timers: map[waitKind]*simTimer{},
		m: newMachine(cfg, simPartition, p.left.keep, p.left.known)}
	p.left = memory{known: -1}
	s.workers, s.owner, p.worker = append(s.workers, w), w, w
	w.post(evStart{committed: s.committed, cache: s.share(pl.Cache)})
	w.tick()
}

func (w *simWorker) tick() {
	w.sim.clock.after(w.sim.Plan.Interval, func() {
		if !w.done && !w.proc.dead {
			if !w.proc.frozen {
				w.feed(evTick{cache: w.sim.share(w.sim.Plan.Cache)})
			}
			w.tick()
		}
	})
}

// post hands the worker an event, when its process lives and is awake.
func (w *simWorker) post(ev event) {
	switch p := w.proc; {
	case p.dead:
	case p.frozen:
		p.waiting = append(p.waiting, func() { w.post(ev) })
	default:
		w.feed(ev)
	}
}

// feed runs the machine and begins what it asks for.
func (w *simWorker) feed(ev event) {
	if w.done || w.sim.Violation != nil {
		return
	}
	w.sim.tracef("%d <- %T%+v", w.id, ev, ev)
	w.heard(ev)
	for _, fx := range w.m.step(ev) {
		w.sim.tracef("%d    -> %T%+v", w.id, fx, fx)
		w.asked(ev, fx)
		w.begin(fx)
	}
	w.settled()
}

func (w *simWorker) begin(fx effect) {
	s, ctx := w.sim, context.Background()
	switch fx := fx.(type) {
	case fxClaim:
		w.claim()
	case fxOpen:
		w.open(fx)
	case fxApply:
		w.lanes[fx.lane].take(laneMessage{tasks: fx.tasks})
	case fxBarrier:
		for _, l := range w.lanes {
			l.take(laneMessage{pack: fx.pack})
		}
	case fxFetch:
		w.fetch(fx)
	case fxLoad:
		var values []Stored
		some := fx.keys[:1+s.net.IntN(len(fx.keys))]
		w.call(ioTimeout, func(err error) event { return evLoaded{fx.epoch, values, err} }, simStep{serverStore, func() (err error) {
			values, err = s.store.Load(ctx, fx.lease, fx.watermarks, some, fx.bytes)
			return err
		}})
	case fxPublish:
		w.publish(fx)
	case fxSave:
		w.save(fx)
	case fxResolve:
		var meta Meta
		w.call(ioTimeout, func(err error) event { return evMeta{fx.epoch, meta, err} }, simStep{serverStore, func() (err error) {
			meta, err = s.store.Meta(ctx, simPartition)
			return err
		}})
	case fxLook:
		var end int64
		w.call(ioTimeout, func(err error) event { return evLooked{fx.epoch, end, err} },
			simStep{serverLog, func() (err error) { _, end, err = s.leader().Bounds(context.Background(), simPartition); return err }})
	case fxProbe:
		w.call(ioTimeout, func(err error) event { return evProbed{fx.epoch, err} }, w.look(fx.lease, fx.watermarks))
	case fxCommit:
		w.weigh()
		s.request(serverGroup, func() error { s.note(fx.at); return nil }, func(error) {})
		if s.Observe != nil && len(fx.points) > 0 {
			s.Observe(w.id, fx.points)
		}
	case fxNote:
		s.request(serverGroup, func() error { s.note(fx.at); return nil }, func(error) {})
	case fxTell:
		s.Observe(w.id, fx.points)
	case fxDrop:
		for k := range waitKinds {
			w.stop(k)
		}
		w.lanes = nil
	case fxWait:
		w.wait(fx)
	case fxCount:
		if fx.metric == countFenced {
			w.fenced()
		}
	case fxShed:
	case fxDone:
		w.done = true
		w.proc.left = memory{keep: w.m.keep, known: w.m.known}
		s.ended(w)
	default:
		panic(fmt.Sprintf("the simulator does nothing for %T", fx))
	}
}

// fenced finds a claim that is given up while nobody else has it and the store is where it left it, if
// that never was elsewhere.
func (w *simWorker) fenced() {
	meta, err := w.sim.store.Meta(context.Background(), simPartition)
	if err == nil && w.sim.restores == 0 && meta.Owner == w.m.lease.Token && watermark(meta) == w.m.acked {
		w.sim.violate("progress", "the claim %s is given up at offset %d, and nobody else has it", w.m.lease.Token, w.m.acked)
	}
}

// Weighed returns how often what states take was compared with the store, and how many claims knew
// it from the last checkpoint.
func (s *Sim) Weighed() (compared, known int) { return s.weighed, s.known }

// weigh compares what the machine says of the bytes of its tenants' states with the store, unless
// that has gone on, or back, meanwhile.
func (w *simWorker) weigh() {
	s, ctx := w.sim, context.Background()
	meta, err := s.store.Meta(ctx, simPartition)
	if s.damaged || err != nil || meta.Owner != w.m.lease.Token || watermark(meta) != w.m.acked {
		return
	}
	for _, a := range w.m.quotas {
		if held, err := s.store.Weigh(ctx, simPartition, a.Limit.Prefix, mostWeighed); err == nil && held.Bytes != a.Bytes {
			s.violate("weight", "at offset %d the states of %q have %d bytes, and the machine says %d", w.m.acked, a.Limit.Prefix, held.Bytes, a.Bytes)
		}
		s.weighed++
	}
}

// errElsewhere ends a claim early: states are not made for the partitions that there are.
var errElsewhere = errors.New("another number of partitions")

func (w *simWorker) claim() {
	s, ctx := w.sim, context.Background()
	s.tokens++
	var f facts
	var counted []simStep
	if limits := s.Rules.limits.Prefixes; len(limits) > 0 {
		counted = []simStep{{serverStore, func() error {
			f.held = make([]quota.Sum, len(limits))
			for i := range limits {
				f.held[i], _ = heldOf(ctx, s.store, simPartition, f.meta, limits[i].Prefix, mostWeighed)
				if _, known := f.meta.Weights.Of(f.meta.Owner, f.meta.Watermark, limits[i].Prefix); known {
					s.known++
				}
			}
			return nil
		}}, {serverStore, func() error {
			if !f.meta.Exists {
				return nil
			}
			_, err := s.store.Load(ctx, f.lease, []int64{f.meta.Watermark}, nil, 0)
			return err
		}}}
	}
	f.lease = Lease{Partition: simPartition, Token: fmt.Sprintf("t%04d", s.tokens)}
	pin := simStep{serverPin, func() (err error) {
		defer s.counted()
		if f.layout, err = pinned(ctx, s.store, simPartition.Topic, f.partitions); err == nil && f.layout.Partitions != f.partitions {
			err = errElsewhere
		}
		return err
	}}
	steps := []simStep{
		{serverLog, func() error { f.partitions = s.grown(); return nil }},
		pin,
		{serverStore, func() (err error) {
			if err = s.full(); err == nil {
				f.meta, err = s.store.Claim(ctx, f.lease)
			}
			return err
		}},
		pin,
		{serverGroup, func() error {
			if !f.meta.Exists {
				f.past = Note{Told: s.noted >= 0, Origin: s.noted}
			}
			return nil
		}},
	}
	steps = append(append(steps, counted...),
		simStep{serverLog, func() (err error) { f.log, err = ReadLogState(ctx, s.leader(), simPartition, f.meta.Last); return err }})
	w.call(ioTimeout, func(err error) event {
		if errors.Is(err, errElsewhere) { // the machine decides what that means
			err = nil
		}
		return evClaimed{f, err}
	}, steps...)
}

// look checks the claim.
func (w *simWorker) look(lease Lease, watermarks []int64) simStep {
	return simStep{serverStore, func() error {
		_, err := w.sim.store.Load(context.Background(), lease, watermarks, nil, 0)
		return err
	}}
}

// fetch waits a while where nothing is new.
func (w *simWorker) fetch(fx fxFetch) {
	s := w.sim
	var got Fetched
	w.call(stallAfter, func(err error) event {
		ev := evFetched{epoch: fx.epoch, got: got, err: err}
		if err == nil && got.Next == fx.from.Offset {
			s.clock.after(simPoll, func() { w.post(ev) })
			return nil
		}
		return ev
	}, simStep{serverLog, func() (err error) {
		got, err = s.leader().Follow(context.Background(), simPartition, fx.from, fetchBytes, nil)
		return err
	}})
}

// save announces, writes and then moves the watermark: the store may fail before
// each.
func (w *simWorker) save(fx fxSave) {
	s := w.sim
	steps := []simStep{}
	if len(fx.c.Changes) > 0 && s.net.IntN(2) == 0 {
		steps = append(steps, w.look(fx.lease, []int64{fx.c.From}), simStep{serverStore, func() error { return nil }})
	}
	steps = append(steps, simStep{serverStore, func() error {
		err := s.full()
		if err == nil {
			err = s.store.Save(context.Background(), fx.lease, fx.c)
		}
		if err == nil {
			s.saved(&fx.c)
		}
		return err
	}})
	w.call(saveTimeout(&fx.c), func(err error) event { return evSaved{fx.epoch, err} }, steps...)
}

func (w *simWorker) wait(fx fxWait) {
	d := time.Duration(fx.steps) * 100 * time.Millisecond
	switch fx.wait {
	case waitFence:
		d = 2 * simHeartbeat
	case waitHalt:
		d = 10 * time.Second
	case waitFlush:
		d = simFlush
	case waitPause:
		d = w.sim.Plan.MinPause
	}
	w.stop(fx.wait)
	t := &simTimer{epoch: fx.epoch}
	w.timers[fx.wait] = t
	w.sim.clock.after(d, func() {
		if !t.stopped {
			delete(w.timers, fx.wait)
			w.post(evTimer{fx.epoch, fx.wait})
		}
	})
}

// stop ends a timer, which may have run off already.
func (w *simWorker) stop(k waitKind) {
	t := w.timers[k]
	if t == nil {
		return
	}
	t.stopped = true
	delete(w.timers, k)
	if w.sim.net.IntN(4) == 0 {
		w.sim.clock.after(w.sim.delay(), func() { w.post(evTimer{t.epoch, k}) })
	}
}
