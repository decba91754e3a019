package live

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// journal is the newest events within a number of bytes, numbered from 1.
// Readers come with the number of the last one that they have seen; nobody
// waits for them.
type journal struct {
	boot    string // names this life of the process
	limit   int64
	bytes   int64
	records []record
	last    uint64        // number of the newest
	changed chan struct{} // closed by wake
	dirty   bool
}

// record is one event: a posterior, or a deletion.
type record struct {
	point  *pipeline.Point
	inside inside
	size   int64
}

func newJournal(boot string, limit int64) journal {
	return journal{boot: boot, limit: limit, changed: make(chan struct{})}
}

func (j *journal) add(r record) {
	j.records = append(j.records, r)
	j.bytes += r.size
	j.last++
	j.dirty = true
	for j.bytes > j.limit && len(j.records) > 0 {
		j.bytes -= j.records[0].size
		j.records[0] = record{}
		j.records = j.records[1:]
	}
}

// wake tells readers that there is more.
func (j *journal) wake() {
	if j.dirty {
		j.dirty = false
		close(j.changed)
		j.changed = make(chan struct{})
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
	end := Position{j.boot, j.last}
	first := j.last - uint64(len(j.records)) // the number before the oldest kept
	if from.boot != j.boot || from.last > j.last || from.last < first {
		return nil, end, j.changed, true
	}
	list := j.records[from.last-first:]
	list = list[:min(len(list), limit)]
	events = make([]Event, len(list))
	for i, r := range list {
		at := Position{j.boot, from.last + uint64(i) + 1}
		events[i] = Event{at, Point{r.point, r.inside}}
	}
	return events, Position{j.boot, from.last + uint64(len(list))}, j.changed, false
}

// Event is one posterior, or with Deleted set one deletion.
type Event struct {
	At Position // after it
	Point
}
