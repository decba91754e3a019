package live

import (
	"container/list"

	"github.com/credence-stream/credence/pipeline"
)

// Point is a posterior as of a shard, with what was known of its key's
// calibration then.
type Point struct {
	*pipeline.Point
	inside inside
}

// Flags returns the flags that held then.
func (p Point) Flags() []string { return flags(p.Point, p.inside) }

// level says what is left of an entry: entries of the lowest go first when
// there is too much.
type level int

const (
	hasHistory level = iota
	hasNewest
	hasSums
	levels
)

// entry is what is remembered of a key.
type entry struct {
	key, kind string
	partition int32
	t         int64 // of the newest shard
	complete  bool  // the points reach back to the first shard
	crowded   bool  // points had to go for other keys, or it was forgotten for them
	points    []Point
	bytes     int64 // of the points
	sums      Sums
	inside    inside
	level     level
	place     *list.Element
}

// entryBytes is what an entry holds beside its points.
const entryBytes = 800

// History is the points of a key, oldest first.
type History struct {
	Owned    bool
	Complete bool // whether they reach back to the first shard
	Points   []Point
	// Crowded says that points of the key may be missing because pasts were dropped:
	// what would hold them is in it.
	Crowded *Crowd
}

// History returns the newest points of a key, at most limit. Known is false
// where the feed has nothing of the key, whatever partition it belongs to.
func (f *Feed) History(key string, limit int) (h History, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.keys[key]
	if e == nil {
		return History{Crowded: f.missing(nil)}, false
	}
	if !f.owned(e.partition) {
		return History{}, true
	}
	points := e.points[max(0, len(e.points)-limit):]
	return History{
		Owned: true, Complete: e.complete && len(points) == len(e.points),
		Points: append([]Point(nil), points...), Crowded: f.missing(e),
	}, true
}

// missing returns what there is where points of a key, which is nil where nothing is
// known of it, may be missing because there are so many keys, else nil.
func (f *Feed) missing(e *entry) *Crowd {
	if !f.crowded || e != nil && !e.crowded {
		return nil
	}
	c := f.crowd()
	return &c
}

// absorb takes in a shard's point.
func (f *Feed) absorb(o *pipeline.Point) {
	e := f.keys[o.Key]
	if e != nil && (o.T <= e.t || e.kind != o.Kind) {
		f.remove(e) // deleted and begun anew by another process
		e = nil
	}
	if e == nil {
		e = &entry{key: o.Key, kind: o.Kind, partition: o.Partition, complete: o.T == 1, crowded: o.T > 1 && f.crowded, level: hasSums}
		e.place = f.order[e.level].PushBack(e)
		f.keys[o.Key] = e
		f.sums += entryBytes + int64(len(e.key))
	} else if o.T != e.t+1 {
		e.complete = false
	}
	e.t, e.partition = o.T, o.Partition
	f.score(e, o)
	if o.Published {
		p := Point{o, e.inside}
		f.grow(e, p)
		f.log.add(record{point: o, inside: p.inside, size: o.Size() + o.NamesSize()})
	}
	f.settle(e)
}

// grow adds a point and lets the oldest go that a key has no room for.
func (f *Feed) grow(e *entry, p Point) {
	n := p.Size()
	if len(e.points) == 0 || !e.points[len(e.points)-1].SharesNames(p.Point) {
		n += p.NamesSize()
	}
	e.points = append(e.points, p)
	e.bytes += n
	f.points += n
	f.bare(e)
	for e.bytes > keyBytes && len(e.points) > 1 {
		f.shift(e)
	}
}

// shift forgets the oldest point of an entry. Names that the next one shares
// stay.
func (f *Feed) shift(e *entry) {
	first := e.points[0]
	n := first.Size()
	if len(e.points) == 1 || !first.SharesNames(e.points[1].Point) {
		n += first.NamesSize()
	}
	e.points[0] = Point{}
	e.points = e.points[1:]
	e.bytes -= n
	f.points -= n
	e.complete = false
}

// settle puts the entry last in the list where it belongs.
func (f *Feed) settle(e *entry) {
	at := hasHistory
	switch len(e.points) {
	case 0:
		at, e.points = hasSums, nil
	case 1:
		at = hasNewest
	}
	if at == e.level { // as of most shards: a list's element is not made anew
		f.order[at].MoveToBack(e.place)
		return
	}
	f.order[e.level].Remove(e.place)
	e.level, e.place = at, f.order[at].PushBack(e)
}

// remove forgets an entry, nil for none.
func (f *Feed) remove(e *entry) {
	if e == nil {
		return
	}
	for len(e.points) > 0 {
		f.shift(e)
	}
	if e.sums.Rows > 0 {
		f.kind(e.partition, e.kind).Keys--
	}
	f.order[e.level].Remove(e.place)
	f.sums -= entryBytes + int64(len(e.key))
	delete(f.keys, e.key)
}

// evict keeps within the limit: histories of the keys longest without change
// go first, then their newest points, and sums when they alone have more than
// three quarters of it.
func (f *Feed) evict() {
	for f.points > 0 && f.points+f.sums > f.limit {
		front, keep := f.order[hasHistory].Front(), 1
		if front == nil {
			front, keep = f.order[hasNewest].Front(), 0
		}
		e := front.Value.(*entry)
		f.crowded, e.crowded = true, true
		for len(e.points) > keep {
			f.shift(e)
		}
		e.points = append([]Point(nil), e.points...) // let the room go, too
		f.settle(e)
	}
	for f.sums > f.limit/4*3 {
		f.crowded = true
		for i := levels - 1; i >= 0; i-- {
			if front := f.order[i].Front(); front != nil {
				f.remove(front.Value.(*entry))
				break
			}
		}
	}
}
