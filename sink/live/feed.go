package live

import (
	"crypto/rand"
	"encoding/hex"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.Observer = (*Feed)(nil)

// Feed is what readers are fed by. It may be used by several goroutines and
// has none of its own. Nobody holds it up for longer than copying takes.
type Feed struct {
	mu    sync.Mutex
	limit int64 // bytes of slots that entries have, with their points
	aside int64 // bytes of what finds entries, and of words
	clock func() time.Time

	// pool has entries, and all bytes that queues of entries and of the log have.
	pool    *offheap.Pool
	words   words
	hash    func(key string) uint32
	index   index
	entries []offheap.ID // all of them
	born    uint64       // entries so far
	order   [levels]line // of entries
	sums    int64        // bytes of entries without their points
	// crowded: pasts had to be dropped, for all of them do not fit.
	crowded bool
	// For what is at hand:
	buf, about []byte
	numbers    []float64
	head       Point

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

// New returns a feed that has at most limit bytes. An eighth is for the log that readers
// follow, another for what finds keys and for words, and two slabs for what the pool has beside slots
// in use and for a point that comes before another goes. The rest is for keys, sums for calibration
// at most three quarters of it. None borrows from another: the pool does not shrink at once.
func New(limit int64) *Feed {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	pool, seed := offheap.NewPool(limit/64), maphash.MakeSeed()
	return &Feed{
		limit: max(0, limit/4*3-2*pool.Slab()), aside: limit / 8, clock: time.Now,
		pool: pool, words: newWords(), index: newIndex(), head: Point{Point: new(pipeline.Point)},
		hash: func(key string) uint32 { return uint32(maphash.String(seed, key)) },
		told: told{}, states: map[int32]pipeline.State{}, kinds: map[int32]map[string]*Sums{},
		log: newJournal(hex.EncodeToString(b[:]), limit/8),
	}
}

// Saved implements pipeline.Observer. Points that were told before are passed
// over.
func (f *Feed) Saved(p pipeline.Partition, points []*pipeline.Point) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	f.listen(now)
	for _, o := range f.told.fresh(p.ID, points) {
		switch {
		case o.Dead != "":
			f.dead++
		case o.Deleted:
			if id, e := f.find(o.Key); e != nil {
				f.remove(id, e)
			}
			f.buf = f.appendPoint(f.buf[:0], Point{Point: o})
			f.note(f.buf, o.Key)
		default:
			f.speed.add(now, o.Rows)
			f.absorb(o)
			f.evict()
		}
	}
	f.log.wake(now)
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

// Bytes returns the memory that the feed has for past posteriors, sums for calibration and the
// log, within the limit of New.
func (f *Feed) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pool.Bytes() + f.places() + f.words.bytes + f.log.places()
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
	_, e := f.find(key)
	if e == nil || e.points.Len() == 0 || !f.owned(e.partition) {
		return Now{}, false
	}
	p := Point{Point: &pipeline.Point{Key: key}}
	return f.now(e, &p), true
}

// now returns what is known of an entry that has a point, and fills the point with the newest one.
func (f *Feed) now(e *entry, p *Point) Now {
	f.buf, _ = f.pool.Read(f.buf[:0], e.newest)
	f.readPoint(f.buf, p, true)
	_, sums, in := f.sumsOf(e)
	return Now{Point: p.Point, Sums: sums, Flags: flags(p.Point, in)}
}

// Flags returns the flags of a key, nil where Latest has nothing.
func (f *Feed) Flags(key string) []string {
	n, _ := f.Latest(key)
	return n.Flags
}
