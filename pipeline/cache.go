package pipeline

import "github.com/credence-stream/credence/cdf"

// entry is one key's place in a partition's cache. The machine owns it but
// for state, which belongs to the key's lane while tasks are pending.
type entry struct {
	key     string
	pending int    // tasks at the lane
	cut     uint64 // the cut that will cover its last change; 0: clean
	size    int64
	state   *keyState

	older, newer *entry // in order of use, clean and idle entries only
	listed       bool
}

// keyState is a key's model and its place in the log. A key without a model
// is absent: never seen, or deleted.
type keyState struct {
	spec   *cdf.Spec
	stored Stored // as loaded, until its lane first needs it
	env    Envelope
	filter *cdf.Filter // nil: absent
	dirty  bool
	names  []string // of the newest point's variables
}

// entryOverhead is what an entry costs beside its state.
const entryOverhead = 320

// size is the memory that the state holds.
func (s *keyState) size(key string) int64 {
	n := int64(entryOverhead + len(key) + len(s.stored))
	if s.filter != nil {
		n += s.filter.Size()
	}
	return n
}

// cache keeps the entries of one partition within a number of bytes, as far
// as clean entries can be let go: an entry whose change is not yet covered by
// an acknowledged checkpoint stays.
type cache struct {
	entries        map[string]*entry
	bytes          int64
	oldest, newest *entry
}

func newCache() *cache { return &cache{entries: map[string]*entry{}} }

func (c *cache) get(key string) *entry { return c.entries[key] }

// add puts a new entry in; it is not yet listed for eviction.
func (c *cache) add(e *entry) {
	c.entries[e.key] = e
	c.bytes += e.size
}

func (c *cache) resize(e *entry, size int64) {
	c.bytes += size - e.size
	e.size = size
}

// use takes an entry off the eviction list: it has work to do.
func (c *cache) use(e *entry) {
	if !e.listed {
		return
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
	e.older, e.newer, e.listed = nil, nil, false
}

// rest lists an entry for eviction if it is clean and idle.
func (c *cache) rest(e *entry) {
	if e.listed || e.cut != 0 || e.pending > 0 {
		return
	}
	e.older, e.listed = c.newest, true
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
}

func (c *cache) remove(e *entry) {
	c.use(e)
	delete(c.entries, e.key)
	c.bytes -= e.size
}

// evict lets clean entries go, least recently used first, until the cache
// holds at most limit bytes. It returns how many went.
func (c *cache) evict(limit int64) int64 {
	n := int64(0)
	for c.bytes > limit && c.oldest != nil {
		c.remove(c.oldest)
		n++
	}
	return n
}
