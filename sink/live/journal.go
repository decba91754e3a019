package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

// journal is the newest events within a number of bytes, numbered from 1.
// Readers come with the number of the last one that they have seen; nobody
// waits for them. While nobody reads, events are counted and not kept.
type journal struct {
	boot    string // names this life of the process
	limit   int64
	queue   offheap.Queue // of points, each with its key behind it
	records []record      // of the queue, oldest first
	named   int64         // bytes of words
	names   wordsID       // of the newest
	last    uint64        // number of the newest
	changed chan struct{} // closed by wake
	dirty   bool
	heard   time.Time // when a reader last asked, or was woken
	waited  bool      // for changed
}

// listened is how long events are kept after a reader asked last: who comes back
// later reads anew.
const listened = time.Minute

// record is where an event is, and what its words have if the one before had others.
type record struct {
	at    offheap.Mark
	named uint32
}

// recordBytes is what a record has of a list that is at most half full.
const recordBytes = 2 * int64(unsafe.Sizeof(record{}))

func newJournal(boot string, limit int64) journal {
	return journal{boot: boot, limit: limit, changed: make(chan struct{})}
}

func (j *journal) places() int64 { return recordBytes * int64(len(j.records)) }

// note appends an event to the log: the bytes of a point of a key.
func (f *Feed) note(point []byte, key string) {
	j := &f.log
	j.last++
	j.dirty = true
	if j.heard.IsZero() {
		return
	}
	kind, names := f.againPoint(point)
	r := record{}
	if names != j.names {
		r.named = uint32(f.words.size(kind) + f.words.size(names))
	}
	f.about = append(append(f.about[:0], point...), key...)
	r.at = f.pool.Push(&j.queue, f.about)
	j.records = append(j.records, r)
	j.named += int64(r.named)
	j.names = names
	for len(j.records) > 0 && (j.queue.Bytes() > j.limit/4*3 || j.places()+j.named > j.limit/4) {
		f.forgetEvent()
	}
	if len(j.records) == 0 {
		j.names = 0
	}
}

// forgetEvent lets the oldest event go.
func (f *Feed) forgetEvent() {
	j := &f.log
	j.named -= int64(j.records[0].named)
	j.records = j.records[1:]
	f.about = f.pool.Head(f.about[:0], j.queue.Oldest(), pointWords)
	f.leavePoint(f.about)
	f.pool.Pop(&j.queue)
}

// listen lets all events go once nobody has asked for them for long.
func (f *Feed) listen(now time.Time) {
	j := &f.log
	if j.waited || now.Sub(j.heard) < listened {
		return
	}
	for len(j.records) > 0 {
		f.forgetEvent()
	}
	j.records, j.names, j.heard = nil, 0, time.Time{}
}

// wake tells readers that there is more.
func (j *journal) wake(now time.Time) {
	if !j.dirty {
		return
	}
	j.dirty = false
	close(j.changed)
	j.changed = make(chan struct{})
	if j.waited {
		j.heard, j.waited = now, false
	}
}

// Position is a place between two events of a feed.
type Position struct {
	boot string
	last uint64 // the event before it
}

// String is what a reader comes back with.
func (p Position) String() string { return p.boot + "-" + strconv.FormatUint(p.last, 10) }

// ParsePosition reads what String writes. An error says that it is no
// position of any feed.
func ParsePosition(s string) (Position, error) {
	boot, number, ok := strings.Cut(s, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || boot == "" {
		return Position{}, fmt.Errorf("%q is no event id: it is of the form BOOT-NUMBER", s)
	}
	return Position{boot, n}, nil
}

// End returns the position after the newest event.
func (f *Feed) End() Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.heard = f.clock()
	return Position{f.log.boot, f.log.last}
}

// Read returns events after a position, oldest first, at most limit, and the
// position after them. Where there are none it returns a channel that is
// closed when there are. Lost says that events after the position are not
// kept any more, or that it is not of this feed: reading goes on at next.
func (f *Feed) Read(from Position, limit int) (events []Event, next Position, more <-chan struct{}, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := &f.log
	j.heard = f.clock()
	end := Position{j.boot, j.last}
	first := j.last - uint64(len(j.records)) // the number before the oldest kept
	if from.boot != j.boot || from.last > j.last || from.last < first {
		return nil, end, j.changed, true
	}
	list := j.records[from.last-first:]
	list = list[:min(len(list), limit)]
	j.waited = j.waited || len(list) == 0
	events = make([]Event, len(list))
	for i, r := range list {
		p := Point{Point: new(pipeline.Point)}
		f.buf, _ = f.pool.Read(f.buf[:0], r.at)
		p.Key = string(f.readPoint(f.buf, &p, true))
		events[i] = Event{Position{j.boot, from.last + uint64(i) + 1}, p}
	}
	return events, Position{j.boot, from.last + uint64(len(list))}, j.changed, false
}

// Event is one posterior, or with Deleted set one deletion.
type Event struct {
	At Position // after it
	Point
}
