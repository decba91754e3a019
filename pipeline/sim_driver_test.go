package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Sim drives machines through every kind of trouble in an order taken from a
// seed: the real rules, lanes run inline, a log and an output topic in
// memory. It is exported to the external tests of this package only.
type Sim struct {
	RNG     *rand.Rand
	Store   Store
	Rules   *Rules
	Log     []Record // offset = index
	Start   int64    // of the log, after trimming
	Sent    []Output
	Decoder func() Decoder
	Outputs func() Outputs
	Cache   int64
	Lanes   int
	Records int
	Bytes   int64
	SkipGap bool
	Trouble bool // failures are injected
	Counts  map[string]int
	Observe func(worker int, points []*Point) // told of what a checkpoint covers; nil: nobody is

	workers   []*simWorker
	committed int64
	tokens    int
}

type simWorker struct {
	sim      *Sim
	m        *machine
	alive    bool
	done     bool
	lanes    []*lane
	inbox    [][]laneMessage
	epoch    epoch
	calls    []effect
	results  []event
	laneOut  [][]event // results of one lane are delivered in order
	timers   map[waitKind]epoch
	revoking bool
}

var errSim = errors.New("injected failure")

// NewSim returns a simulation of one partition.
func NewSim(seed uint64, store Store, rules *Rules, log []Record) *Sim {
	return &Sim{RNG: rand.New(rand.NewPCG(seed, 1)), Store: store, Rules: rules, Log: log,
		Cache: 1 << 40, Lanes: 2, Records: 7, Bytes: 1 << 20, Trouble: true, Counts: map[string]int{}, committed: -1}
}

// Assign hands the partition to a new worker. The old one learns of it only
// when Revoke is called: until then it is a zombie.
func (s *Sim) Assign(keep bool) {
	mem := memory{known: -1}
	if keep {
		for _, w := range s.workers {
			if w.done {
				mem = memory{keep: w.m.keep, known: w.m.known}
				w.m.keep = retained{}
			}
		}
	}
	cfg := machineConfig{lanes: s.Lanes, records: s.Records, bytes: s.Bytes, backlog: 2000, probe: 1, onGapSkip: s.SkipGap, rules: s.Rules}
	w := &simWorker{sim: s, alive: true, timers: map[waitKind]epoch{}, m: newMachine(cfg, Partition{"in", 0}, mem.keep, mem.known)}
	s.workers = append(s.workers, w)
	w.feed(evStart{committed: s.committed, cache: s.Cache})
}

// Crash ends a live worker without a word.
func (s *Sim) Crash() {
	if w := s.pick(); w != nil {
		w.alive = false
	}
}

// Revoke tells all workers but the newest that their assignment is over.
func (s *Sim) Revoke() {
	for _, w := range s.workers[:len(s.workers)-1] {
		if w.alive && !w.revoking {
			w.revoking = true
			w.feed(evRevoked{})
		}
	}
}

// RevokeAll tells every worker that its assignment is over.
func (s *Sim) RevokeAll() {
	for _, w := range s.workers {
		if w.alive && !w.revoking {
			w.revoking = true
			w.feed(evRevoked{})
		}
	}
}

// Halted returns the reason for which the newest worker waits, and its words.
func (s *Sim) Halted() (string, string) {
	w := s.workers[len(s.workers)-1]
	return w.m.halted, w.m.why
}

// Acked returns the newest worker's acknowledged watermark.
func (s *Sim) Acked() int64 { return s.workers[len(s.workers)-1].m.acked }

func (s *Sim) pick() *simWorker {
	var live []*simWorker
	for _, w := range s.workers {
		if w.alive && !w.done {
			live = append(live, w)
		}
	}
	if len(live) == 0 {
		return nil
	}
	return live[s.RNG.IntN(len(live))]
}

// Step lets one thing happen to one worker. It reports false when nothing
// can.
func (s *Sim) Step() bool {
	w := s.pick()
	if w == nil {
		return false
	}
	type action func()
	var can []action
	for i := range w.calls {
		can = append(can, func() { w.call(i) })
	}
	for i := range w.inbox {
		if len(w.inbox[i]) > 0 {
			can = append(can, func() { w.lane(i) })
		}
	}
	for i := range w.laneOut {
		if len(w.laneOut[i]) > 0 {
			can = append(can, func() {
				ev := w.laneOut[i][0]
				w.laneOut[i] = w.laneOut[i][1:]
				w.feed(ev)
			})
		}
	}
	for i := range w.results {
		can = append(can, func() {
			ev := w.results[i]
			w.results = append(w.results[:i:i], w.results[i+1:]...)
			w.feed(ev)
		})
	}
	for k := waitClaim; k <= waitFlush; k++ {
		if epoch, ok := w.timers[k]; ok && (k != waitFlush || s.RNG.IntN(20) == 0) {
			can = append(can, func() { delete(w.timers, k); w.feed(evTimer{epoch, k}) })
		}
	}
	can = append(can, func() { w.feed(evTick{cache: s.Cache}) })
	can[s.RNG.IntN(len(can))]()
	return true
}

// stop ends a timer, which may have run off already.
func (w *simWorker) stop(k waitKind) {
	epoch, ok := w.timers[k]
	delete(w.timers, k)
	if ok && w.sim.RNG.IntN(2) == 0 {
		w.results = append(w.results, evTimer{epoch, k})
	}
}

// feed runs the machine and files what it asks for.
func (w *simWorker) feed(ev event) {
	for _, fx := range w.m.step(ev) {
		switch fx := fx.(type) {
		case fxOpen:
			w.open(fx)
		case fxApply:
			w.inbox[fx.lane] = append(w.inbox[fx.lane], laneMessage{fx.tasks})
		case fxBarrier:
			for i := range w.inbox {
				w.inbox[i] = append(w.inbox[i], laneMessage{})
			}
		case fxDrop:
			for k := range waitKinds {
				w.stop(k)
			}
			w.inbox, w.lanes = nil, nil
		case fxWait:
			w.stop(fx.wait)
			w.timers[fx.wait] = fx.epoch
		case fxCommit:
			w.sim.committed = fx.offset
			if w.sim.Observe != nil && len(fx.points) > 0 {
				w.sim.Observe(slices.Index(w.sim.workers, w), fx.points)
			}
		case fxTell:
			w.sim.Observe(slices.Index(w.sim.workers, w), fx.points)
		case fxShed:
			w.sim.Counts["shed"]++
		case fxCount:
			w.sim.Counts[fmt.Sprint(fx.metric)] += int(fx.n)
		case fxDone:
			w.done = true
		default:
			w.calls = append(w.calls, fx)
		}
	}
}

func (w *simWorker) open(fx fxOpen) {
	s := w.sim
	w.epoch = fx.epoch
	w.lanes, w.inbox, w.laneOut = nil, make([][]laneMessage, s.Lanes), make([][]event, s.Lanes)
	for range s.Lanes {
		w.lanes = append(w.lanes, &lane{part: w.m.part, rules: s.Rules, gaps: fx.gaps, watched: s.Observe != nil,
			tools: &tools{s.Decoder(), s.Outputs(), cdf.NewWorkspace()}, clock: func() float64 { return 0 }})
	}
}

func (w *simWorker) lane(i int) {
	msg, l := w.inbox[i][0], w.lanes[i]
	w.inbox[i] = w.inbox[i][1:]
	var ev event
	var failed *failure
	if msg.tasks != nil {
		_, failed = l.apply(msg.tasks, 1)
		ev = evApplied{w.epoch, msg.tasks}
	} else {
		var part cutPart
		part, failed = l.cut()
		ev = evCut{w.epoch, part}
	}
	if failed != nil {
		ev = evFailed{w.epoch, failed.offset, failed.key, failed.err}
		w.inbox[i] = nil
	}
	w.laneOut[i] = append(w.laneOut[i], ev)
}

// call does the I/O of one effect, which may fail before or after it took
// effect.
func (w *simWorker) call(i int) {
	fx, s, ctx := w.calls[i], w.sim, context.Background()
	w.calls = append(w.calls[:i:i], w.calls[i+1:]...)
	early := s.Trouble && s.RNG.IntN(12) == 0
	late := s.Trouble && s.RNG.IntN(12) == 0
	fail := func(err error) error {
		if late && err == nil {
			return errSim
		}
		return err
	}
	var ev event
	switch fx := fx.(type) {
	case fxClaim:
		f, err := s.facts(early)
		ev = evClaimed{f, fail(err)}
	case fxFetch:
		ev = s.fetch(fx, early)
	case fxLoad:
		if early {
			ev = evLoaded{fx.epoch, nil, errSim}
			break
		}
		some := fx.keys[:1+s.RNG.IntN(len(fx.keys))]
		values, err := s.Store.Load(ctx, fx.lease, fx.watermarks, some, fx.bytes)
		ev = evLoaded{fx.epoch, values, err}
	case fxPublish:
		rest, err := s.publish(fx, early)
		if err = fail(err); err != nil && rest == nil {
			rest = fx.outputs // the answer was lost
		}
		ev = evPublished{fx.epoch, rest, err}
	case fxSave:
		if early {
			ev = evSaved{fx.epoch, errSim}
			break
		}
		ev = evSaved{fx.epoch, fail(s.Store.Save(ctx, fx.lease, fx.c))}
	case fxResolve:
		if early {
			ev = evMeta{fx.epoch, Meta{}, errSim}
			break
		}
		meta, err := s.Store.Meta(ctx, w.m.part)
		ev = evMeta{fx.epoch, meta, err}
	case fxProbe:
		_, err := s.Store.Load(ctx, fx.lease, fx.watermarks, nil, 0)
		ev = evProbed{fx.epoch, err}
	default:
		panic(fmt.Sprintf("the simulator does nothing for %T", fx))
	}
	w.results = append(w.results, ev)
}

func (s *Sim) facts(early bool) (facts, error) {
	if early {
		return facts{}, errSim
	}
	s.tokens++
	ctx, p := context.Background(), Partition{"in", 0}
	f := facts{lease: Lease{Partition: p, Token: fmt.Sprintf("t%04d", s.tokens)}, log: s.logState(), partitions: 1}
	var err error
	if f.pinned, err = s.Store.Pin(ctx, p.Topic, 1); err != nil {
		return f, err
	}
	if f.meta, err = s.Store.Claim(ctx, f.lease); err != nil {
		return f, err
	}
	if at := f.meta.Last.Offset; f.meta.Exists && at >= s.Start && at < f.log.End {
		f.log.Last = &s.Log[at]
	}
	return f, nil
}

func (s *Sim) logState() LogState {
	end := int64(len(s.Log))
	return LogState{Start: s.Start, End: end, Identity: Identity{Topic: "id", EpochEnd: end}}
}

func (s *Sim) fetch(fx fxFetch, early bool) event {
	end := int64(len(s.Log))
	switch {
	case early:
		return evFetched{epoch: fx.epoch, err: errSim}
	case fx.from.Offset < s.Start || fx.from.Offset > end:
		return evFetched{epoch: fx.epoch, err: ErrOutOfRange}
	}
	to := min(end, fx.from.Offset+1+s.RNG.Int64N(9))
	if fx.from.Offset == end {
		to = end
	}
	return evFetched{epoch: fx.epoch, got: Fetched{Records: s.Log[fx.from.Offset:to], Next: to, End: end}}
}

// publish may be cut off in the middle, which leaves a prefix in the topic.
func (s *Sim) publish(fx fxPublish, cut bool) (rest []Output, err error) {
	if _, err := s.Store.Load(context.Background(), fx.lease, fx.watermarks, nil, 0); err != nil {
		return fx.outputs, err
	}
	if !cut {
		s.Sent = append(s.Sent, fx.outputs...)
		return nil, nil
	}
	n := s.RNG.IntN(len(fx.outputs))
	s.Sent = append(s.Sent, fx.outputs[:n]...)
	if s.RNG.IntN(3) == 0 {
		return fx.outputs[n:], &RefusedError{Topic: fx.outputs[n].Topic, Err: errSim}
	}
	return fx.outputs[n:], errSim
}

// Same reports whether two outputs are one message.
func Same(a, b Output) bool {
	if a.Offset != b.Offset || a.Topic != b.Topic || a.Time != b.Time || !bytes.Equal(a.Key, b.Key) ||
		!bytes.Equal(a.Value, b.Value) || len(a.Headers) != len(b.Headers) {
		return false
	}
	for i := range a.Headers {
		if a.Headers[i].Key != b.Headers[i].Key || !bytes.Equal(a.Headers[i].Value, b.Headers[i].Value) {
			return false
		}
	}
	return true
}
