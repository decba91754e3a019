package pipeline

import (
	"slices"
	"unsafe"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/shelf"
)

// entry is one key's place in a partition's cache. The machine owns it but
// for state, which belongs to the key's lane while tasks are pending.
type entry struct {
	key     string
	pending int32  // tasks at the lane
	stored  uint32 // bytes that the store has of it, by the cut that was encoded last
	cut     uint64 // the cut that will cover its last change; 0: clean
	size    int64
	state   *keyState
	tenant  quota.Key
	turn    uint64 // among those at rest

	older, newer *entry // in order of use, clean and idle entries only
	listed       *list  // that it is in
}

// keyState is a key's model and its place in the log. A key without either is
// absent: never seen, or deleted.
type keyState struct {
	spec   *cdf.Spec
	stored Stored // as the store has it, or will; nil: absent, or the model has changed since
	dirty  bool   // the store has another one
	model  *opened
}

// opened is a state at hand.
type opened struct {
	filter   *cdf.Filter
	env      Envelope
	used     int      // shards since the filter was made
	names    []string // of the newest point's variables
	observed float64  // when a point told of rows last, by the lane's clock
	// checked is what rows that wait leave for others to be checked against, nil: nothing
	// waits, or the state was loaded since.
	checked *cdf.Checked
}

// entryOverhead is what an entry takes beside its key and its state's bytes or model:
// two structures and its share of the map.
const entryOverhead = 192

// size is the memory that the state holds.
func (s *keyState) size(key string) int64 {
	n := int64(entryOverhead + len(key) + cap(s.stored))
	if s.model != nil {
		n += int64(unsafe.Sizeof(*s.model)) + s.model.filter.Size() + s.model.env.Waiting.Size() + s.model.checked.Size()
	}
	return n
}

// pack leaves of a state of this size, unchanged since it was encoded, those bytes,
// where they are half of it at most: a small model's memory is several times its
// snapshot.
// It returns the filter that nobody needs any more, if there is one.
func (s *keyState) pack(size int64) *cdf.Filter {
	n := int64(len(s.stored))
	if s.model == nil || n == 0 || n > size/2 {
		return nil
	}
	f := s.model.filter
	s.model = nil
	return f
}

// cache keeps the states of one partition within a number of bytes, as far
// as clean ones can be let go: an entry whose change is not yet covered by
// an acknowledged checkpoint stays. Models at hand take a sixteenth of it; those
// used less recently are packed. A packed state is no entry: its bytes are on the
// shelf, outside the heap, until its key is asked for.
type cache struct {
	entries map[string]*entry
	bytes   int64 // of these
	open    list
	whole   list // of models that packed would not be smaller
	packed  *shelf.Shelf
	specs   []*cdf.Spec // of packed states
	turn    uint64      // the last one given
}

// openShare is the part of a cache that models at hand may take.
const openShare = 16

func newCache() *cache { return &cache{entries: map[string]*entry{}, packed: shelf.New()} }

// size is the memory that the states take, without the gaps of the shelf.
func (c *cache) size() int64 { return c.bytes + c.packed.Size() }

// limited is the memory by which the states are limited: few gaps come on top, which a
// partition with a small share of memory.cache would otherwise have no states for.
func (c *cache) limited() int64 { return c.size() + c.packed.Excess() }

// held is the memory of the states and how many there are.
func (c *cache) held() (bytes, keys int64) {
	return c.size() + c.packed.Gaps(), int64(len(c.entries) + c.packed.Len())
}

// get returns the entry of a key, nil for none. A packed state becomes one.
func (c *cache) get(key string) *entry {
	if e := c.entries[key]; e != nil {
		return e
	}
	v, ok := c.packed.Take(key)
	if !ok {
		return nil
	}
	e := &entry{key: key, stored: uint32(len(v.Bytes)), state: &keyState{spec: c.specs[v.Tag>>32], stored: v.Bytes}}
	e.tenant.Place, e.tenant.Lives = int16(v.Tag), v.Tag&livesTag != 0
	e.size = e.state.size(key)
	c.add(e)
	return e
}

// has reports whether an entry is there: not once it was removed or packed.
func (c *cache) has(e *entry) bool { return c.entries[e.key] == e }

// livesTag is where a packed state has what its tenant knows of it: above the tenant's
// place and below the number of its model.
const livesTag = 1 << 16

// pack puts a packed state on the shelf. Its entry is no more.
func (c *cache) pack(e *entry) {
	tag := uint64(c.specOf(e.state.spec))<<32 | uint64(uint16(e.tenant.Place))
	if e.tenant.Lives {
		tag |= livesTag
	}
	c.turn++
	c.packed.Put(e.key, shelf.Value{Tag: tag, Turn: c.turn, Bytes: e.state.stored})
	delete(c.entries, e.key)
	c.bytes -= e.size
}

// specOf returns the number of a model.
func (c *cache) specOf(spec *cdf.Spec) int {
	i := slices.Index(c.specs, spec)
	if i < 0 {
		i = len(c.specs)
		c.specs = append(c.specs, spec)
	}
	return i
}

// add puts a new entry in; it is not yet listed for eviction.
func (c *cache) add(e *entry) {
	c.entries[e.key] = e
	c.bytes += e.size
}

// resize is told of the size of an entry that is not listed.
func (c *cache) resize(e *entry, size int64) {
	c.bytes += size - e.size
	e.size = size
}

// use takes an entry off its list: it has work to do.
func (c *cache) use(e *entry) {
	if e.listed != nil {
		e.listed.remove(e)
	}
}

// rest lists an entry for eviction if it is clean and idle, or packs it if its model is not
// at hand. What the store has of it counts from then on.
func (c *cache) rest(e *entry) {
	if e.listed == nil && e.cut == 0 && e.pending == 0 {
		if e.state.model == nil {
			c.pack(e)
			return
		}
		c.resize(e, e.state.size(e.key))
		c.open.add(e)
	}
}

func (c *cache) remove(e *entry) {
	c.use(e)
	delete(c.entries, e.key)
	c.bytes -= e.size
}

// evict packs and then lets go of clean states, least recently used first,
// until the cache holds at most limit bytes. Where the shelf has gaps it lets go of the
// rest of a segment, so that its memory is given back. It returns how many went.
func (c *cache) evict(limit int64) (n int64) {
	for c.open.bytes > limit/openShare {
		e := c.open.oldest
		c.use(e)
		if e.state.pack(e.size) != nil {
			c.pack(e)
			continue
		}
		c.turn++
		e.turn = c.turn
		c.whole.add(e)
	}
	for ; c.limited() > limit; n++ {
		turn, packed := c.packed.Oldest()
		switch e := c.whole.oldest; {
		case packed && (e == nil || turn < e.turn):
			c.packed.Drop()
		case e != nil:
			c.remove(e)
		case c.open.oldest != nil:
			c.remove(c.open.oldest)
		default:
			return n
		}
	}
	return n
}

// crowded reports whether models at hand take about all that they may.
func (c *cache) crowded(limit int64) bool { return c.open.bytes >= limit/openShare*3/4 }

// list is some entries in order of use.
type list struct {
	oldest, newest *entry
	bytes          int64
}

// add puts an entry at the end that was used last.
func (l *list) add(e *entry) {
	e.older, e.listed = l.newest, l
	if l.newest != nil {
		l.newest.newer = e
	} else {
		l.oldest = e
	}
	l.newest = e
	l.bytes += e.size
}

func (l *list) remove(e *entry) {
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.newest = e.older
	}
	e.older, e.newer, e.listed = nil, nil, nil
	l.bytes -= e.size
}
