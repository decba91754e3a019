package registry

import (
	"container/list"
	"sync"
)

// What is known of schemas is bounded in number and in bytes: those that were used
// least recently go first. A record keeps its own schema until it is applied.
const (
	keptSchemas = 1000
	keptBytes   = 64 << 20
	// perByte is what a byte of a schema's text takes when it is compiled, about.
	perByte     = 16
	schemaBytes = 4 << 10 // the least
)

// Schema is what the registry has under an id.
type Schema struct {
	id   uint32
	form form  // nil: it cannot be used
	err  error // why
	size int64 // in memory, about
}

// cache is what is known of schemas. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	known map[uint32]*list.Element
	order *list.List // the most recently used is in front
	bytes int64
}

func newCache() *cache { return &cache{known: map[uint32]*list.Element{}, order: list.New()} }

// get returns a schema, nil for one that is not known.
func (c *cache) get(id uint32) *Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[id]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*Schema)
}

// put notes a schema and lets others go.
func (c *cache) put(s *Schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[s.id]; ok {
		return
	}
	c.known[s.id] = c.order.PushFront(s)
	c.bytes += s.size
	for c.order.Len() > 1 && (c.order.Len() > keptSchemas || c.bytes > keptBytes) {
		last := c.order.Remove(c.order.Back()).(*Schema)
		delete(c.known, last.id)
		c.bytes -= last.size
	}
}
