package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/quota"
)

// The I/O of a partition. Each function is called in a goroutine of its own
// and touches nothing of the shell that changes.

// stallAfter is how long a fetch may take before it is given up and asked
// again: the group's heartbeats go on without it, so nobody else would notice.
const stallAfter = 20 * time.Second

// ioTimeout bounds every other call, but for one of many parts: bytes, keys or partitions.
const ioTimeout = 30 * time.Second

// partTimeout is as long as the answers may take by which a store says whether one more partition has states.
const partTimeout = 10 * time.Second

// countTimeout bounds the count of what tenants have, for which mostWeighed keys may be weighed.
const countTimeout = 10 * time.Minute

// saveTimeout bounds a save. A store takes it in several calls, each of which has a limit of its own:
// one that is slow with each of them must not keep a large checkpoint from ever coming to its end.
func saveTimeout(c *Checkpoint) time.Duration {
	bytes := 0
	for i := range c.Changes {
		bytes += len(c.Changes[i].Key) + len(c.Changes[i].Value)
	}
	return ioTimeout + time.Duration(bytes>>20)*megabyteTimeout
}

// loadTimeout bounds a load, of a megabyte or of one value, whose length nobody knows before: twice as long after each
// attempt that failed, up to a quarter of an hour, so that a large value comes to its end.
func loadTimeout(failed int) time.Duration { return ioTimeout << min(failed, 5) }

// megabyteTimeout is as long as the calls may take in which a store takes a megabyte: four at most.
const megabyteTimeout = 40 * time.Second

// call runs one piece of I/O and delivers what came of it.
func (s *shell) call(f func() event) {
	s.calls.Go(func() {
		ev := f()
		select {
		case s.events <- ev:
		case <-s.io.Done():
			if e, ok := ev.(evFetched); ok {
				s.w.budget.Add(-e.size)
			}
		}
	})
}

// bounded is call with what must end by itself: whatever a dependency does, what
// was asked of it is given up and asked again.
func (s *shell) bounded(ctx context.Context, f func(context.Context) event) {
	s.within(ctx, ioTimeout, f)
}

// within is bounded with another limit.
func (s *shell) within(ctx context.Context, limit time.Duration, f func(context.Context) event) {
	s.call(func() event {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return f(ctx)
	})
}

// claimInTurn claims once there is a turn for it.
func (s *shell) claimInTurn() event {
	if err := s.w.turns.Take(s.io); err != nil {
		return evClaimed{err: err}
	}
	c, begun := claiming{shell: s}, time.Now()
	f, err := c.claim()
	if err == nil {
		s.saving.claim.Store(int64(time.Since(begun)))
	}
	s.w.turns.Done(err == nil, err != nil && c.late)
	return evClaimed{f, err}
}

// claiming is one attempt to claim. Each of its calls has a limit of its own, so that a store that is slow with
// each is waited for.
type claiming struct {
	*shell
	late bool // a call ran out of its time
}

// question is what a claim waits for the answer to.
type question struct {
	text  string
	since time.Time
}

// String is empty where nobody has waited for long.
func (q *question) String() string {
	if q == nil || time.Since(q.since) < time.Second {
		return ""
	}
	return fmt.Sprintf(": waits for %s, for %v", q.text, time.Since(q.since).Truncate(time.Second))
}

// ask makes a call and notes what it is for.
func (c *claiming) ask(text string, limit time.Duration, f func(context.Context) error) error {
	c.asked.Store(&question{text, time.Now()})
	defer c.asked.Store(nil)
	ctx, cancel := context.WithTimeout(c.io, limit)
	defer cancel()
	err := f(ctx)
	c.late = c.late || err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
	return err
}

// probe looks whether the claim of an idle partition holds, after those that look already.
func (s *shell) probe(fx fxProbe) {
	epoch := s.epoch
	s.call(func() event {
		select {
		case s.w.probes <- struct{}{}:
		case <-epoch.Done():
			return evProbed{fx.epoch, epoch.Err()}
		}
		defer func() { <-s.w.probes }()
		ctx, cancel := context.WithTimeout(epoch, ioTimeout)
		defer cancel()
		_, err := s.w.opt.Store.Load(ctx, fx.lease, fx.watermarks, nil, 0)
		return evProbed{fx.epoch, err}
	})
}

// claim takes the partition over and gathers what the machine decides on.
func (c *claiming) claim() (f facts, err error) {
	opt, p := &c.w.opt, c.a.Partition
	f.lease = Lease{Partition: p, Token: newToken(), Generation: c.a.Generation}
	if err = c.ask("Kafka, which is asked how many partitions the topic has", ioTimeout, func(ctx context.Context) (err error) {
		f.partitions, err = opt.Log.Partitions(ctx, p.Topic)
		return err
	}); err != nil {
		return f, fmt.Errorf("partitions of %s: %w", p.Topic, err)
	}
	// A broker that does not know of new partitions yet would have the states of one of
	// them begun, as those of keys that have theirs elsewhere, and an old count pinned.
	if int(p.ID) >= f.partitions {
		return f, fmt.Errorf("partition %s was assigned, and the broker that was asked knows %d partitions of the topic", p, f.partitions)
	}
	// Before the claim: a worker that is to halt does not take the partition from who
	// moves its states.
	if f.layout, err = c.pin(f.partitions); err != nil {
		return f, err
	}
	if f.layout.Partitions != f.partitions {
		if was := f.layout.Partitions; was > 0 {
			err = c.ask("Kafka and Redis, which are asked whether the topic is another one", ioTimeout, func(ctx context.Context) (err error) {
				f.another, f.why, err = f.layout.Another(ctx, opt.Store, opt.Log, p.Topic, f.partitions, p.ID%int32(was))
				return err
			})
		}
		return f, err
	}
	if err = c.ask("Redis, which is asked for the claim", ioTimeout, func(ctx context.Context) (err error) {
		f.meta, err = opt.Store.Claim(ctx, f.lease)
		return err
	}); err != nil {
		return f, ofStore(fmt.Errorf("claim %s: %w", p, err))
	}
	// And after it: whoever began to move states in between has claimed before us, so
	// that we see it, or after us, so that we are fenced.
	if f.layout, err = c.pin(f.partitions); err != nil || f.layout.Partitions != f.partitions {
		return f, err
	}
	if !f.meta.Exists {
		if err = c.ask("Kafka, which is asked what the group has noted", ioTimeout, func(ctx context.Context) (err error) {
			f.past, err = opt.Group.Note(ctx, p)
			return err
		}); err != nil {
			return f, err
		}
	}
	if err = c.ask("Redis, which is asked what tenants have", countTimeout, func(ctx context.Context) (err error) {
		f.held, err = countHeld(ctx, opt.Store, f.lease, f.meta, opt.Rules.tenants)
		return err
	}); err != nil {
		return f, ofStore(fmt.Errorf("claim %s: %w", p, err))
	}
	err = c.ask("Kafka, which is asked for the ends of the log", ioTimeout, func(ctx context.Context) (err error) {
		f.log, err = ReadLogState(ctx, opt.Log, p, f.meta.Last)
		return err
	})
	return f, err
}

// countHeld returns what each tenant has as of the claim. The lease is looked at
// afterwards: if it holds, nobody has written in between.
func countHeld(ctx context.Context, store Store, lease Lease, meta Meta, tenants []quota.Limit) ([]quota.Sum, error) {
	held := make([]quota.Sum, len(tenants))
	if !meta.Exists || meta.Format != StateFormat || len(tenants) == 0 {
		return held, nil
	}
	for i := range tenants {
		var err error
		if held[i], err = heldOf(ctx, store, lease.Partition, meta, tenants[i].Prefix, mostWeighed/len(tenants)); err != nil {
			return nil, err
		}
	}
	_, err := store.Load(ctx, lease, []int64{meta.Watermark}, nil, 0)
	return held, err
}

// mostWeighed is how many keys a claim weighs of all tenants: more of them must not keep it from
// coming to its end.
const mostWeighed = 200_000

// heldOf returns what a tenant has. The states are weighed only where the last checkpoint does not
// say what they weigh, and where there are more than most, they are taken to be as those.
func heldOf(ctx context.Context, store Store, p Partition, meta Meta, prefix string, most int) (sum quota.Sum, err error) {
	if sum.Keys, err = store.Count(ctx, p, prefix); err != nil {
		return sum, err
	}
	var known bool
	if sum.Bytes, known = meta.Weights.Of(meta.Owner, meta.Watermark, prefix); known {
		return sum, nil
	}
	some, err := store.Weigh(ctx, p, prefix, most)
	sum.Bytes = some.Bytes
	if some.Keys > 0 && some.Keys < sum.Keys {
		sum.Bytes = int64(float64(some.Bytes) / float64(some.Keys) * float64(sum.Keys))
	}
	return sum, err
}

// pin returns the layout of the topic, and pins its partitions where none is stored. That asks for all of them: one
// claim of a process does it, and the others find what it has pinned.
func (c *claiming) pin(partitions int) (l Layout, err error) {
	store, topic := c.w.opt.Store, c.a.Topic
	for again := true; again && err == nil; {
		again = false
		err = c.ask("Redis, which is asked for the partition count", ioTimeout, func(ctx context.Context) (err error) {
			l, err = store.Layout(ctx, topic)
			return err
		})
		if err != nil || l.Partitions != Unbegun {
			break
		}
		limit := ioTimeout + time.Duration(partitions)*partTimeout
		err = c.ask("Redis, which is asked whether partitions have states", limit, func(ctx context.Context) (err error) {
			select {
			case c.w.pins <- struct{}{}:
				defer func() { <-c.w.pins }()
				l, err = pinned(ctx, store, topic, partitions)
				return err
			default:
			}
			select {
			case c.w.pins <- struct{}{}:
				<-c.w.pins
				again = true
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}
	if err != nil {
		err = ofStore(fmt.Errorf("partition count of %s: %w", topic, err))
	}
	return l, err
}

// ofStore tells an outage of the store from one of the log, where both are asked.
func ofStore(err error) error {
	if errors.Is(err, ErrFenced) || errors.Is(err, ErrDamaged) {
		return err
	}
	return &OutageError{Of: depend.Redis, Err: err}
}

// newToken returns the random name of a claim.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// fetch waits for records, and where there is no memory for them, for that. A
// partition without records holds nothing. One that finds the common half of the
// budget in use asks for what it lacks of its share, or one batch.
func (s *shell) fetch(ctx context.Context, fx fxFetch, lacks int64) event {
	var got Fetched
	ask := func(bytes int64) func(*Room) error {
		return func(r *Room) (err error) {
			got, err = s.follow(ctx, fx.from, bytes, r)
			return err
		}
	}
	room, err := s.w.budget.Common(ask(fetchBytes))
	if short := new(ShortError); errors.As(err, &short) {
		room, err = s.w.budget.Within(ctx, ask(min(max(1, lacks), fetchBytes)))
	}
	if err != nil {
		return evFetched{epoch: fx.epoch, err: err}
	}
	size := int64(0)
	for i := range got.Records {
		size += got.Records[i].Size()
	}
	room.Settle(size)
	return evFetched{epoch: fx.epoch, got: got, size: size}
}

// follow is one fetch, given up after stallAfter.
func (s *shell) follow(ctx context.Context, from Position, bytes int64, r *Room) (Fetched, error) {
	start := time.Now()
	bounded, cancel := context.WithTimeout(ctx, stallAfter)
	defer cancel()
	got, err := s.w.opt.Log.Follow(bounded, s.a.Partition, from, int(bytes), r)
	if err != nil && ctx.Err() == nil && errors.Is(bounded.Err(), context.DeadlineExceeded) {
		s.w.opt.Metrics.stalls.Inc()
	}
	s.w.opt.Traces.received(s.a.Partition, start, &got)
	return got, err
}

// publish looks whether the claim still holds, so that a zombie that wakes up
// is mostly silent, and sends.
func (s *shell) publish(ctx context.Context, fx fxPublish) (rest []Output, err error) {
	if _, err := s.w.opt.Store.Load(ctx, fx.lease, fx.watermarks, nil, 0); err != nil {
		return fx.outputs, ofStore(err)
	}
	rest, err = s.w.opt.Publisher.Publish(ctx, fx.outputs)
	s.w.opt.Metrics.acknowledged(fx.outputs, rest)
	return rest, err
}

func (s *shell) save(ctx context.Context, fx fxSave) error {
	start := time.Now()
	if err := s.w.opt.Store.Save(ctx, fx.lease, fx.c); err != nil {
		return err
	}
	n := 0
	for i := range fx.c.Changes {
		c := &fx.c.Changes[i]
		n += len(c.Value)
		s.w.opt.Metrics.tenants.Wrote(c.Key, len(c.Value))
	}
	s.w.opt.Metrics.written.Add(float64(n))
	s.w.opt.Metrics.checkpoint.Observe(time.Since(start).Seconds())
	return nil
}

// saving measures how long checkpoints take that no outage holds up: the end of
// an assignment waits for its last one as long as it may be expected to take.
type saving struct {
	since   time.Time // of the checkpoint under way
	last    time.Duration
	slowest time.Duration
	claim   atomic.Int64 // nanoseconds that the claim took, which asks about as often: as long the first checkpoint may take
}

// expected is how long the last checkpoint may be expected to take at most.
func (s *saving) expected() time.Duration { return 2 * max(s.slowest, time.Duration(s.claim.Load())) }

// flushGrace is what the last checkpoint of an assignment has beside twice the
// time of the slowest one, or of the claim, and an interval for what waits at the lanes.
const flushGrace = 2 * time.Second

func (s *saving) begin() { s.since = time.Now() }

// held says that something holds up the checkpoint under way.
func (s *saving) held() { s.since = time.Time{} }

func (s *saving) done() {
	if !s.since.IsZero() {
		s.last = time.Since(s.since)
		s.slowest = max(s.slowest, s.last)
	}
	s.since = time.Time{}
}
