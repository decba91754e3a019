package live

import (
	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

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
	_, e := f.find(key)
	if e == nil {
		return History{Crowded: f.missing(nil)}, false
	}
	if !f.owned(e.partition) {
		return History{}, true
	}
	n := e.points.Len()
	h = History{Owned: true, Complete: e.complete && n <= limit, Crowded: f.missing(e)}
	if n > 0 && limit > 0 {
		h.Points = make([]Point, 0, min(n, limit))
	}
	at := e.points.Oldest()
	for i := range n {
		if i < n-limit {
			at = f.pool.Skip(at)
			continue
		}
		p := Point{Point: &pipeline.Point{Key: key}}
		f.buf, at = f.pool.Read(f.buf[:0], at)
		f.readPoint(f.buf, &p, true)
		h.Points = append(h.Points, p)
	}
	return h, true
}

// heads calls visit for the points of an entry, oldest first, until it returns false. They have no
// numbers of variables and no key, and each is valid until visit returns.
func (f *Feed) heads(e *entry, visit func(p *Point) bool) {
	at := e.points.Oldest()
	for range e.points.Len() {
		f.buf, at = f.pool.Read(f.buf[:0], at)
		f.readPoint(f.buf, &f.head, false)
		if !visit(&f.head) {
			return
		}
	}
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
	id, e := f.find(o.Key)
	if e != nil && (o.T <= e.t || f.words.get(e.kind)[0] != o.Kind) {
		f.remove(id, e) // deleted and begun anew by another process
		e = nil
	}
	if e == nil {
		id, e = f.add(o)
		f.keyOf(e)
	} else if o.T != e.t+1 {
		e.complete = false
	}
	e.t, e.partition = o.T, o.Partition
	in := f.score(e, o, f.about)
	if o.Published {
		p := Point{o, in}
		f.buf = f.appendPoint(f.buf[:0], p)
		f.note(f.buf, o.Key)
		f.grow(e, o, f.buf)
	}
	f.settle(id, e)
}

// grow adds the bytes of a point and lets the oldest go that a key has no room for.
func (f *Feed) grow(e *entry, o *pipeline.Point, point []byte) {
	e.newest = f.pool.Push(&e.points, point)
	f.keepRows(e, o)
	for e.bytes() > keyBytes && e.points.Len() > 1 {
		f.shift(e)
	}
}

// shift forgets the oldest point of an entry.
func (f *Feed) shift(e *entry) {
	f.buf = f.pool.Head(f.buf[:0], e.points.Oldest(), pointWords)
	f.leavePoint(f.buf)
	f.pool.Pop(&e.points)
	f.bare(e)
	e.complete = false
}

// settle puts the entry last in the order where it belongs.
func (f *Feed) settle(id offheap.ID, e *entry) {
	at := hasHistory
	switch e.points.Len() {
	case 0:
		at = hasSums
	case 1:
		at = hasNewest
	}
	f.order[e.level].remove(f, e)
	e.level = at
	f.order[at].add(f, id, e)
}

// held returns the bytes of points and of rows beside their predictions.
func (f *Feed) held() int64 {
	return f.pool.Used()*offheap.SlotBytes - f.sums - f.log.queue.Bytes()
}

// places returns the bytes by which entries are found.
func (f *Feed) places() int64 { return placeBytes * int64(len(f.entries)) }

// evict keeps within the limit: histories of the keys longest without change
// go first, then their newest points, and sums when they alone have more than
// three quarters of it.
func (f *Feed) evict() {
	for f.held() > 0 && (f.held()+f.sums > f.limit || f.places()+f.words.bytes > f.aside) {
		id, keep := f.order[hasHistory].oldest, 1
		if id == 0 {
			id, keep = f.order[hasNewest].oldest, 0
		}
		e := f.entry(id)
		f.crowded, e.crowded = true, true
		for e.points.Len() > keep {
			f.shift(e)
		}
		f.settle(id, e)
	}
	for f.sums > f.limit/4*3 { // places are a sixth of them or less
		f.crowded = true
		for i := levels - 1; ; i-- {
			if id := f.order[i].oldest; id != 0 {
				f.remove(id, f.entry(id))
				break
			}
		}
	}
}
