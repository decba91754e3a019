package events

import (
	"cmp"
	"context"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Limits bound what one record may ask for. Zero stands for the default.
type Limits struct {
	Record  int // bytes of a value; 32 MiB
	Rows    int // rows of a shard; 1,000,000
	Columns int // fields of a record; 5,000
	// Memory bounds what large records are laid out in by all sheets that share
	// it, each until its Release. Its holders must not wait for anything else. Nil:
	// nothing is shared.
	Memory *pipeline.Budget
}

// expansion is how many times limits.record the columns of a record may take.
const expansion = 4

// Sheet gathers the values of a record, field by field and row by row, and makes
// columns of them. It is for one goroutine; its buffers are kept from record to
// record.
type Sheet struct {
	// Items says that the rows of the record at hand are items of an array.
	Items bool

	limits Limits
	wanted Wanted
	base   string // path of the rows in the record, for messages
	tree   tree
	stamp  uint64 // of the record at hand

	rows    int
	fields  int // met in this record
	columns []column
	count   int   // columns of this record
	left    int   // bytes that it may still be laid out in
	share   int   // the same before anything was
	held    int64 // that the record at hand takes, where it is a large one

	labels labels
	batch  cdf.Batch
	out    []cdf.Column
}

// NewSheet returns a sheet for rows that lie at a path of their records, nil for
// the records themselves.
func NewSheet(limits Limits, wanted Wanted, payload []string) *Sheet {
	s := &Sheet{wanted: wanted, base: "$", limits: Limits{
		Record: cmp.Or(limits.Record, 32<<20), Rows: cmp.Or(limits.Rows, 1_000_000), Columns: cmp.Or(limits.Columns, 5000),
		Memory: limits.Memory,
	}}
	for _, name := range payload {
		s.base += "." + name
	}
	return s
}

// Limits returns the limits in force.
func (s *Sheet) Limits() Limits { return s.limits }

// Begin starts with a record of size bytes, each of which may be laid out in times
// bytes. cdf.ErrShard reports one that is too large. It waits for the memory that a
// large one takes.
func (s *Sheet) Begin(size, times int) error {
	s.Release()
	s.stamp++
	s.Items, s.rows, s.fields, s.count = false, 0, 0, 0
	s.tree.reset(s.limits.Columns)
	s.labels.reset()
	if size > s.limits.Record {
		return fmt.Errorf("%w: %d bytes, more than limits.record (%d)", cdf.ErrShard, size, s.limits.Record)
	}
	s.left = min(max(keptBytes, times*size), expansion*s.limits.Record)
	s.share = s.left
	if s.left <= keptBytes {
		return nil
	}
	s.held = 2 * int64(s.left) // a model may copy it
	if s.limits.Memory != nil {
		_ = s.limits.Memory.Acquire(context.Background(), s.held) // fails with its context alone
	}
	return nil
}

// Release gives the batch up and reports whether it was a large one: its buffers go
// with it.
func (s *Sheet) Release() (large bool) {
	if s.held == 0 {
		return false
	}
	s.columns, s.out, s.batch.Columns = nil, nil, nil
	s.labels = labels{}
	if s.limits.Memory != nil {
		s.limits.Memory.Add(-s.held)
	}
	s.held = 0
	return true
}

// charge takes bytes from what the record may be laid out in.
func (s *Sheet) charge(n int) error {
	if s.left -= n; s.left < 0 {
		return fmt.Errorf("%w: its columns take more than %d bytes, which is what a record of its size may: "+
			"send fewer rows in a record, or the same fields in all of them", cdf.ErrShard, s.share)
	}
	return nil
}

// Row begins the next row.
func (s *Sheet) Row() error {
	if s.rows == s.limits.Rows {
		return fmt.Errorf("%w: more rows than limits.rows (%d)", cdf.ErrShard, s.limits.Rows)
	}
	s.rows++
	s.tree.nodes[Root].next = 0
	return nil
}

// fieldBytes is what a field of a record takes beside its values, about.
const fieldBytes = 128

// Field returns the place of a field of the object at a place, and whether it or
// anything below it is used: what is not may be passed over.
func (s *Sheet) Field(object Place, name []byte) (at Place, used bool, err error) {
	if at, err = s.child(object, name); err != nil {
		return 0, false, err
	}
	n := &s.tree.nodes[at]
	if n.met != s.stamp {
		n.met, n.column = s.stamp, -1
		if s.fields++; s.fields > s.limits.Columns {
			return 0, false, fmt.Errorf("%w: more fields than limits.columns (%d)", cdf.ErrSchema, s.limits.Columns)
		}
		if err := s.charge(fieldBytes + len(n.path)); err != nil {
			return 0, false, err
		}
	}
	n.next = 0
	return at, n.used, nil
}

// Damaged returns pipeline.ErrDecode at a place of the record.
func (s *Sheet) Damaged(at Place, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", pipeline.ErrDecode, s.Path(at), fmt.Sprintf(format, args...))
}
