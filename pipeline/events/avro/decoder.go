package avro

import (
	stdbinary "encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

// decoder reads values of one schema. It is used by one goroutine at a time.
type decoder struct {
	schema  *Schema
	limits  events.Limits
	wanted  events.Wanted
	payload []string // path of the rows in a record
	times   int      // bytes that a byte of a record may be laid out in

	sheet *events.Sheet
	depth int // on the way to the rows, -1: there
	value []byte
	at    int // byte of the value that is read next
}

const (
	timesRow  = 16 // of one row, whose fields are bounded
	timesRows = 64 // of rows whose values may take a byte each
	// maxSkipped is how deep values may lie in each other that are passed over.
	maxSkipped = 1000
	// maxDecimal bounds the bytes of a decimal.
	maxDecimal = 256
)

func newDecoder(s *Schema, limits events.Limits, wanted events.Wanted, payload []string) *decoder {
	d := &decoder{schema: s, limits: limits, wanted: wanted, payload: payload, times: timesRow, sheet: events.NewSheet(limits, wanted, payload)}
	if s.many(payload) {
		d.times = timesRows
	}
	return d
}

// Decode reads one record. pipeline.ErrDecode, wrapped, reports what is no datum of
// the schema, or not a row; a fault.Error is a
// panic; the other errors are those of events.Sheet. The batch is
// valid until the next call, but its strings may be kept.
func (d *decoder) Decode(value []byte) (b *cdf.Batch, err error) {
	defer func() {
		if p := recover(); p != nil {
			// It must not end the process; nothing of this decoder is reused.
			d.sheet.Release()
			*d = *newDecoder(d.schema, d.limits, d.wanted, d.payload)
			b, err = nil, fault.Of(p)
		}
	}()
	if err := d.sheet.Begin(len(value), d.times); err != nil {
		return nil, err
	}
	d.value, d.at, d.depth = value, 0, 0
	defer func() { d.value = nil }()
	if err := d.find(d.schema.root, d.payload); err != nil {
		return nil, err
	}
	if d.at < len(value) {
		d.depth = 0
		return nil, d.damaged(events.Root, "%d bytes follow what the schema describes: is it written by this schema?", len(value)-d.at)
	}
	return d.sheet.Batch()
}

// Release implements pipeline.Decoder.
func (d *decoder) Release() (large bool) { return d.sheet.Release() }

// damaged returns pipeline.ErrDecode at a place of a row, or on the way to the rows.
func (d *decoder) damaged(at events.Place, format string, args ...any) error {
	what := fmt.Sprintf(format, args...) + ", at byte " + strconv.Itoa(d.at)
	if d.depth >= 0 {
		return fmt.Errorf("%w: %s: %s", pipeline.ErrDecode, strings.Join(append([]string{"$"}, d.payload[:d.depth]...), "."), what)
	}
	return d.sheet.Damaged(at, "%s", what)
}

func (d *decoder) tooEarly(at events.Place) error { return d.damaged(at, "it ends too early") }

func (d *decoder) deleted() error {
	return d.damaged(events.Root, "null, as of a row that was deleted: there is nothing to learn from")
}

// find reads the rows at a path, and passes over what is beside them.
func (d *decoder) find(n *node, path []string) error {
	n, err := d.chosen(n, events.Root)
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return d.records(n)
	}
	j := n.find(path[0])
	switch {
	case n.kind == null:
		return d.deleted()
	case j < 0:
		return d.damaged(events.Root, "there is no %q, where input.payload has the rows", path[0])
	}
	for i := range n.fields {
		if i != j {
			if err := d.skip(n.fields[i].node, events.Root, 0); err != nil {
				return err
			}
			continue
		}
		d.depth = len(d.payload) - len(path) + 1
		if err := d.find(n.fields[i].node, path[1:]); err != nil {
			return err
		}
		d.depth = len(d.payload) - len(path)
	}
	return nil
}

// records reads the rows: a record, or an array of them.
func (d *decoder) records(n *node) error {
	if n.kind != array {
		return d.row(n)
	}
	if n.items.least == 0 {
		return d.damaged(events.Root, "rows that take no bytes")
	}
	d.sheet.Items = true
	return d.blocks(n, events.Root, func() error {
		item, err := d.chosen(n.items, events.Root)
		if err != nil {
			return err
		}
		return d.row(item)
	})
}

// row reads a row.
func (d *decoder) row(n *node) error {
	switch {
	case n.kind == null && len(d.payload) > 0:
		return d.deleted()
	case !n.object():
		return d.damaged(events.Root, "%s where a row, which is a record, belongs", n.what)
	}
	if err := d.sheet.Row(); err != nil {
		return err
	}
	on := d.depth
	d.depth = -1
	err := d.object(n, events.Root, 1)
	if err == nil {
		d.depth = on
	}
	return err
}

// object reads a record or map, whose fields are those of a place.
func (d *decoder) object(n *node, at events.Place, depth int) error {
	if depth > events.Depth {
		return d.damaged(at, "more than %d records in each other", events.Depth)
	}
	if n.kind == mapping {
		return d.blocks(n, at, func() error {
			name, err := d.text(at)
			if err != nil {
				return err
			}
			return d.field(at, name, n.items, depth)
		})
	}
	for i := range n.fields {
		if err := d.field(at, n.fields[i].name, n.fields[i].node, depth); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) field(at events.Place, name []byte, n *node, depth int) error {
	place, used, err := d.sheet.Field(at, name)
	if err != nil {
		return err
	}
	if !used {
		return d.skip(n, place, 0)
	}
	return d.read(n, place, depth)
}

// read reads the value of a field.
func (d *decoder) read(n *node, at events.Place, depth int) error {
	if n.kind == union {
		b, err := d.chosen(n, at)
		if err != nil {
			return err
		}
		if b.kind == null && n.nested() {
			return nil // an object that is not there has no columns
		}
		n = b
	}
	if n.object() {
		if err := d.sheet.Object(at); err != nil {
			return err
		}
		return d.object(n, at, depth+1)
	}
	if n.skipped() {
		if err := d.skip(n, at, 0); err != nil {
			return err
		}
		return d.sheet.Skip(at, n.what)
	}
	return d.scalar(n, at)
}

// scalar reads a value that is a number, a label or null.
func (d *decoder) scalar(n *node, at events.Place) error {
	switch n.kind {
	case null:
		return d.sheet.Null(at)
	case boolean:
		b, err := d.take(1, at)
		if err != nil {
			return err
		}
		if b[0] > 1 {
			return d.damaged(at, "%d is no boolean", b[0])
		}
		return d.sheet.Bool(at, b[0] == 1)
	case float:
		b, err := d.take(4, at)
		if err != nil {
			return err
		}
		return d.sheet.Float(at, float64(math.Float32frombits(stdbinary.LittleEndian.Uint32(b))), nil)
	case double:
		b, err := d.take(8, at)
		if err != nil {
			return err
		}
		return d.sheet.Float(at, math.Float64frombits(stdbinary.LittleEndian.Uint64(b)), nil)
	case text:
		v, err := d.text(at)
		if err != nil {
			return err
		}
		return d.sheet.Text(at, v)
	case ratio:
		return d.decimal(n, at)
	}
	return d.counted(n, at)
}

// counted reads a value that is written as an int or long.
func (d *decoder) counted(n *node, at events.Place) error {
	var v int64
	var err error
	switch n.kind {
	case integer, day, enum:
		var i int32
		i, err = d.short(at)
		v = int64(i)
	default:
		v, err = d.number(at)
	}
	if err != nil {
		return err
	}
	switch n.kind {
	case enum:
		if v < 0 || v >= int64(len(n.symbols)) {
			return d.damaged(at, "symbol %d of an enum of %d", v, len(n.symbols))
		}
		return d.sheet.Text(at, n.symbols[v])
	case tick:
		return d.sheet.Time(at, events.Seconds(v, n.per))
	case nano:
		return d.sheet.Time(at, events.Instant(time.Unix(0, v)))
	case day:
		return d.sheet.Time(at, 86400*float64(v))
	}
	return d.sheet.Integer(at, v, nil)
}
