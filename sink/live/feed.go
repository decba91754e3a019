package live

import (
	"container/list"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.Observer = (*Feed)(nil)

// Feed is what readers are fed by. It may be used by several goroutines and
// has none of its own. Nobody holds it up for longer than copying takes.
type Feed struct {
	mu    sync.Mutex
	limit int64 // bytes of points and sums of all keys
	clock func() time.Time

	keys   map[string]*entry
	order  [levels]*list.List // of entries, longest without change first
	points int64              // bytes of points
	sums   int64              // bytes of entries without their points
	// crowded: pasts had to be dropped, for all of them do not fit.
	crowded bool

	told   told
	states map[int32]pipeline.State
	kinds  map[int32]map[string]*Sums
	events []pipeline.Event
	dead   int64
	speed  speed
	log    journal
}

const (
	keyBytes   = 256 << 10 // of one key's points
	mostEvents = 200
)

// New returns a feed that holds about limit bytes of posteriors, of which an
// eighth is the log that readers follow, and at most as many bytes of
// calibration sums.
func New(limit int64) *Feed {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	f := &Feed{
		limit: limit - limit/8, clock: time.Now, keys: map[string]*entry{},
		told: told{}, states: map[int32]pipeline.State{}, kinds: map[int32]map[string]*Sums{},
		log: newJournal(hex.EncodeToString(b[:]), limit/8),
	}
	for i := range f.order {
		f.order[i] = list.New()
	}
	return f
}

// Saved implements pipeline.Observer. Points that were told before are passed
// over.
func (f *Feed) Saved(p pipeline.Partition, points []*pipeline.Point) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	for _, o := range f.told.fresh(p.ID, points) {
		switch {
		case o.Dead != "":
			f.dead++
		case o.Deleted:
			f.remove(f.keys[o.Key])
			f.log.add(record{point: o, size: o.Size()})
		default:
			f.speed.add(now, o.Rows)
			f.absorb(o)
		}
	}
	f.evict()
	f.log.wake()
}

// State implements pipeline.Observer.
func (f *Feed) State(p pipeline.Partition, s pipeline.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.Phase == pipeline.PhaseGone {
		delete(f.states, p.ID)
		return
	}
	f.states[p.ID] = s
}

// Event implements pipeline.Observer.
func (f *Feed) Event(e pipeline.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) == mostEvents {
		f.events = slices.Delete(f.events, 0, 1)
	}
	f.events = append(f.events, e)
}

// Owned reports whether this process works on the partition.
func (f *Feed) Owned(partition int32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.owned(partition)
}

func (f *Feed) owned(partition int32) bool {
	_, ok := f.states[partition]
	return ok
}

// Partitions returns where the partitions stand that this process works on.
func (f *Feed) Partitions() map[int32]pipeline.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.states)
}

// Events returns what happened to partitions, newest first.
func (f *Feed) Events() []pipeline.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.events)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b pipeline.Event) int { return b.Time.Compare(a.Time) })
	return out
}

// Totals is what all partitions of this process did.
type Totals struct {
	RowsPerSecond   float64 // absorbed, over the last 10 seconds
	ShardsPerSecond float64
	DeadLetters     int64 // since the process started
}

// Totals returns the totals as of now.
func (f *Feed) Totals() Totals {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows, shards := f.speed.over(f.clock())
	return Totals{RowsPerSecond: rows, ShardsPerSecond: shards, DeadLetters: f.dead}
}

// Bytes returns what the feed holds of keys: past posteriors and sums for calibration.
func (f *Feed) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.points + f.sums
}

// Now is what is known of a key.
type Now struct {
	Point *pipeline.Point // the newest one published
	Sums  Sums            // of all rows scored
	Flags []string
}

// Latest returns the newest posterior of a key in a partition that this
// process works on, if it has changed since the process started and is still
// remembered.
func (f *Feed) Latest(key string) (Now, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.keys[key]
	if e == nil || len(e.points) == 0 || !f.owned(e.partition) {
		return Now{}, false
	}
	return e.now(), true
}

// Flags returns the flags of a key, nil where Latest has nothing.
func (f *Feed) Flags(key string) []string {
	n, _ := f.Latest(key)
	return n.Flags
}

// each calls visit for the entries of owned partitions, some at a time: the
// worker waits for none of it long.
func (f *Feed) each(visit func(key string, e *entry)) {
	f.mu.Lock()
	keys := slices.AppendSeq(make([]string, 0, len(f.keys)), maps.Keys(f.keys))
	f.mu.Unlock()
	for part := range slices.Chunk(keys, 500) {
		f.mu.Lock()
		for _, key := range part {
			if e := f.keys[key]; e != nil && f.owned(e.partition) {
				visit(key, e)
			}
		}
		f.mu.Unlock()
	}
}
