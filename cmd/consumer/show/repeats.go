package show

import (
	"strconv"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// repeats tells messages that were read before. After a crash a worker sends
// some again; a reader keeps the greatest offset per source and key and
// ignores what is not above it.
type repeats struct {
	newest map[origin]int64
}

// origin is a stream of messages whose offsets grow.
type origin struct{ source, key, part string }

func newRepeats() *repeats { return &repeats{newest: map[origin]int64{}} }

// fresh reports whether a message is not a repeat, and remembers it. What
// carries no identity is not known to be one.
func (r *repeats) fresh(m *pipeline.Record) bool {
	source, ok := m.Header("ce_source")
	id, has := m.Header("ce_id")
	if !ok || !has {
		return true
	}
	number, part, _ := strings.Cut(string(id), "/")
	offset, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return true
	}
	o := origin{string(source), string(m.Key), part}
	if last, seen := r.newest[o]; seen && offset <= last {
		return false
	}
	r.newest[o] = offset
	return true
}
