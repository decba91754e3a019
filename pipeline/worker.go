package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/depend"
)

// Options is what a worker is made of.
type Options struct {
	Topic     string // input
	Group     Group
	Log       Log
	Publisher Publisher
	Store     Store
	Roster    Roster // of the group's members; nil: silent ones are the group's business
	Rules     *Rules

	Interval time.Duration // between two checkpoints of a partition under load
	MinPause time.Duration // times the partitions: from a checkpoint of a partition to one because it has nothing else to do
	Records  int           // of one checkpoint
	Bytes    int64         // of one checkpoint: changed states and outputs

	Inflight int64 // bytes of records and outputs in memory
	Cache    int64 // bytes of states in memory, without those not yet saved

	SkipGaps  bool          // on_gap: skip
	Heartbeat time.Duration // of the group; a fenced worker waits two
	Peer      time.Duration // without a beat in the roster until a member is expelled
	Session   time.Duration // until the group gives up a member that it does not hear; with a roster
	// Arithmetic is the same for processes whose floating-point numbers have the same bits, and Topics for those that publish to the same
	// ones; neither has a space. The roster shows them to the others.
	Arithmetic, Topics string
	Flush              time.Duration // the longest that a revoked assignment saves its work, if it takes as long
	Lanes              int           // at work at the same time, of a partition and in all; 0: one per core

	NewDecoder func() Decoder // Lanes of them
	NewOutputs func() Outputs // as many

	Observer Observer // nil: none
	Traces   Traces

	Metrics *Metrics
	Depend  *depend.Watch // that somebody runs; nil: one of the worker's own
	Logger  *slog.Logger
}

// GroupMember is who waits for Kafka when this process cannot become a member of its group.
const GroupMember = "the group"

// Worker folds the partitions that a consumer group hands to this process
// into models.
type Worker struct {
	opt    Options
	budget *Budget
	board  *board
	pool   pool
	pages  pagePool
	turns  depend.Turns  // of claims, which take several requests each
	pins   chan struct{} // holds one for a claim that pins the partition count
	probes chan struct{} // holds one for each look of an idle partition that is under way
	faults faultLog
	lanes  sync.WaitGroup // goroutines of lanes, also abandoned ones
	watch  func(context.Context)
	start  time.Time
	ending <-chan struct{} // closed when the process is to end
}

// mostProbes is how many idle partitions look after their claims at once: where the store is slow, the looks of many
// must not have those wait that have work.
const mostProbes = 4

// New checks the options and returns a worker.
func New(opt Options) (*Worker, error) {
	switch {
	case opt.Interval <= 0 || opt.Records < 1 || opt.Bytes < 1:
		return nil, fmt.Errorf("checkpoint: interval %v, records %d and bytes %d must be positive", opt.Interval, opt.Records, opt.Bytes)
	case opt.MinPause < 0:
		return nil, fmt.Errorf("checkpoint: min_pause %v must not be negative", opt.MinPause)
	case opt.Inflight < 1 || opt.Cache < 0:
		return nil, fmt.Errorf("memory: inflight %d must be positive and cache %d not negative", opt.Inflight, opt.Cache)
	case opt.Heartbeat <= 0 || opt.Flush <= 0 || opt.Roster != nil && (opt.Peer <= 0 || opt.Session <= 0):
		return nil, errors.New("heartbeat, flush and, with a roster, peer and session must be positive")
	}
	if opt.Lanes < 1 {
		opt.Lanes = runtime.GOMAXPROCS(0)
	}
	watch := func(context.Context) {}
	if opt.Depend == nil {
		opt.Depend = depend.New(opt.Metrics.registry, opt.Logger, depend.Kafka, depend.Redis)
		watch = opt.Depend.Run
	}
	w := &Worker{opt: opt, watch: watch, budget: NewBudget(opt.Inflight), pages: pagePool{size: pageBytes, own: pageBytes}, start: time.Now(), pins: make(chan struct{}, 1), probes: make(chan struct{}, mostProbes)}
	w.board = newBoard(opt.Metrics.hold)
	opt.Metrics.watch(w.budget)
	return w, nil
}

// Run works until ctx ends, then saves what was applied and returns. It
// waits out outages of Kafka and of the store.
func (w *Worker) Run(ctx context.Context) error {
	w.opt.Metrics.expectTenants(w.opt.Rules)
	w.ending, w.pool = ctx.Done(), newPool(w.opt.Lanes, &w.opt)
	p := &peers{
		roster: w.opt.Roster, reach: w.opt.Group.Reach, expel: w.opt.Group.Expel, members: w.opt.Group.Members,
		timeout: w.opt.Peer, session: w.opt.Session, log: w.opt.Logger, arithmetic: w.opt.Arithmetic, topics: w.opt.Topics,
	}
	if p.roster != nil {
		// It lives until the last checkpoint is saved.
		defer p.start(context.WithoutCancel(ctx))()
	}
	defer (&waits{log: w.opt.Logger, away: w.opt.Depend.Away}).watch(ctx, w.board)()
	defer beside(ctx, w.watch)()
	member := func(id string, partitions int) {
		if partitions >= 0 {
			w.opt.Depend.Answered(depend.Kafka, GroupMember)
		}
		p.join(id)
		w.board.join(partitions)
	}
	err := w.opt.Group.Run(ctx, member, func(ctx context.Context, a Assignment) {
		m := w.board.enter(a)
		s := newShell(w, a, m)
		s.run(ctx)
		w.board.leave(a, memory{s.m.keep, s.m.known, s.flags})
	})
	w.lanes.Wait()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// Ready reports whether every assigned partition makes progress, and if not
// what stands in the way.
func (w *Worker) Ready() (bool, string) {
	ok, why := w.board.ready()
	if ok {
		return true, ""
	}
	return false, strings.Join(append([]string{why}, w.opt.Depend.Why(GroupMember)...), "; ")
}

// UntilEnd waits until the stored watermarks of all partitions of the input,
// whoever owns them, have reached the ends that the log has now, and the
// observer has been told of those that this process saved. It waits out outages, and
// returns an error as soon as a partition of this process halts.
func (w *Worker) UntilEnd(ctx context.Context) error {
	ends, err := w.ends(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for p := 0; ; {
		settled := w.board.settled(ends) // before the look at what halted
		for part, s := range w.board.halted() {
			return fmt.Errorf("partition %s halted (%s): %s", part, s.halted, s.why)
		}
		if p < len(ends) {
			bounded, cancel := context.WithTimeout(ctx, ioTimeout)
			meta, err := w.opt.Store.Meta(bounded, Partition{w.opt.Topic, int32(p)})
			cancel()
			if err == nil && meta.Exists && meta.Watermark >= ends[p] {
				p++
				continue
			}
		} else if settled {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// theEnd is who waits for Kafka when the ends of the log cannot be asked for.
const theEnd = "the end of the log"

// unknownFor is how long brokers may not know a topic that is new.
const unknownFor = 10 * time.Second

// ends returns the ends that the partitions have now, or will have once an outage is over. A
// topic that is not there is none.
func (w *Worker) ends(ctx context.Context) ([]int64, error) {
	defer w.opt.Depend.Gone(theEnd)
	begun := time.Now()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		ends, err := w.endsNow(ctx)
		if err == nil {
			w.opt.Depend.Answered(depend.Kafka, theEnd)
			return ends, nil
		}
		if errors.Is(err, ErrNoTopic) && time.Since(begun) > unknownFor {
			return nil, err
		}
		w.opt.Depend.Blocked(depend.Kafka, theEnd, err.Error())
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (w *Worker) endsNow(ctx context.Context) ([]int64, error) {
	n, err := w.opt.Log.Partitions(ctx, w.opt.Topic)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", w.opt.Topic, err)
	}
	ends := make([]int64, n)
	for p := range ends {
		if _, ends[p], err = w.opt.Log.Bounds(ctx, Partition{w.opt.Topic, int32(p)}); err != nil {
			return nil, fmt.Errorf("topic %s, partition %d: %w", w.opt.Topic, p, err)
		}
	}
	return ends, nil
}

// newLane returns a lane, which is given its tools when it has work.
func (w *Worker) newLane(p Partition, gaps int, stopped <-chan struct{}) *lane {
	return &lane{
		part: p, rules: w.opt.Rules, gaps: gaps, watched: w.opt.Observer != nil, stopped: stopped,
		pages: Pages{pool: &w.pages}, traces: &w.opt.Traces,
		clock: func() float64 { return time.Since(w.start).Seconds() },
	}
}

// diagnose finds the worst diagnostics of a summary that has draws.
func diagnose(rows []cdf.Row) (minESS, maxRHat float64) {
	for i := range rows {
		if e := rows[i].ESSBulk; !math.IsNaN(e) && (minESS == 0 || e < minESS) {
			minESS = e
		}
		if h := rows[i].RHat; !math.IsNaN(h) && h > maxRHat {
			maxRHat = h
		}
	}
	return minESS, maxRHat
}
