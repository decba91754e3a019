package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

// decoder reads values of one message type. It is used by one goroutine at a time.
type decoder struct {
	schema  Schema
	limits  events.Limits
	wanted  events.Wanted
	payload []string

	way   []step
	row   protoreflect.MessageDescriptor
	why   error // why there are no rows
	width int   // values of a row

	sheet  *events.Sheet
	plan   planner
	top    *message
	stamp  uint64 // of the message that was begun last
	record uint64 // the record at hand
	fields int    // of the messages that it has
	room   []byte // of a map's key
}

const (
	times = 16 // bytes that a byte of a record may be laid out in, beside values that are not there
	// maxPieces bounds the pieces of one message.
	maxPieces = 1000
)

func newDecoder(s Schema, limits events.Limits, wanted events.Wanted, payload []string) *decoder {
	d := &decoder{schema: s, limits: limits, wanted: wanted, payload: payload, sheet: events.NewSheet(limits, wanted, payload)}
	d.limits = d.sheet.Limits()
	d.plan.wanted = wanted
	if d.way, d.row, d.why = s.steps(payload); d.why == nil {
		d.width = d.plan.width(d.row, "", map[protoreflect.FullName]bool{}, d.limits.Columns)
	}
	return d
}

// Decode reads one record. pipeline.ErrDecode, wrapped, reports what is no message of
// the type, or not a row; a fault.Error is a
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
	if d.why != nil {
		return nil, fmt.Errorf("%w: %w", pipeline.ErrDecode, d.why)
	}
	if len(value) > d.limits.Record {
		return nil, d.sheet.Begin(len(value), times) // which says so
	}
	pieces, err := d.find(value)
	if err != nil {
		return nil, err
	}
	rows := 1
	if list := d.list(); list != nil {
		rows = 0
		if err := d.each(pieces, list, func([]byte) error { rows++; return nil }); err != nil {
			return nil, err
		}
	}
	more := 0 // zeros take no bytes
	if rows > 1 && len(value) > 0 {
		more = min(rows, d.limits.Rows) * d.width * events.CellBytes / len(value)
	}
	if err := d.sheet.Begin(len(value), times+more); err != nil {
		return nil, err
	}
	d.begin()
	if err := d.rows(pieces); err != nil {
		return nil, err
	}
	return d.sheet.Batch()
}

// Release implements pipeline.Decoder.
func (d *decoder) Release() (large bool) { return d.sheet.Release() }

// begin starts with a record, and lets go of a plan that has grown too large.
func (d *decoder) begin() {
	d.record++
	d.fields = 0
	if d.top == nil || d.plan.made > 4*d.limits.Columns {
		d.plan.made = 0
		d.top = d.plan.message(d.row, "", false)
	}
}

// list returns the last step, if its fields are rows.
func (d *decoder) list() *step {
	if n := len(d.way); n > 0 && d.way[n-1].list {
		return &d.way[n-1]
	}
	return nil
}

// rows reads the rows.
func (d *decoder) rows(pieces [][]byte) error {
	list := d.list()
	if list == nil {
		return d.read(pieces)
	}
	d.sheet.Items = true
	var one [1][]byte
	return d.each(pieces, list, func(row []byte) error {
		one[0] = row
		return d.read(one[:])
	})
}

// read reads a row.
func (d *decoder) read(pieces [][]byte) error {
	if err := d.sheet.Row(); err != nil {
		return err
	}
	if err := d.open(d.top); err != nil {
		return err
	}
	for _, b := range pieces {
		if err := d.parse(d.top, b, 1); err != nil {
			return err
		}
	}
	return d.emit(d.top, events.Root)
}

// find returns the pieces of the message that is the row or has the rows.
func (d *decoder) find(value []byte) ([][]byte, error) {
	pieces := [][]byte{value}
	for i := range d.way {
		t := &d.way[i]
		if t.list {
			return pieces, nil
		}
		var inner [][]byte
		for _, b := range pieces {
			err := walk(b, func(num protowire.Number, typ protowire.Type, content []byte) error {
				switch {
				case t.is(num, typ):
					if inner = append(inner, content); len(inner) > maxPieces {
						return fmt.Errorf("more than %d pieces of one message", maxPieces)
					}
				case slices.Contains(t.others, num):
					inner = inner[:0]
				}
				return nil
			})
			if err != nil {
				return nil, d.damaged(i, "%v", err)
			}
		}
		if len(inner) == 0 {
			if i == len(d.way)-1 {
				return nil, d.damaged(i+1, "not there, as of a row that was deleted: there is nothing to learn from")
			}
			return nil, d.damaged(i, "there is no %q, where input.payload has the rows", t.name)
		}
		pieces = inner
	}
	return pieces, nil
}

// is reports whether a field of the wire is the step's.
func (t *step) is(num protowire.Number, typ protowire.Type) bool {
	want := protowire.BytesType
	if t.group {
		want = protowire.StartGroupType
	}
	return num == t.number && typ == want
}

// each visits the messages of a repeated field.
func (d *decoder) each(pieces [][]byte, t *step, visit func([]byte) error) error {
	for _, b := range pieces {
		var refused error
		err := walk(b, func(num protowire.Number, typ protowire.Type, content []byte) error {
			if t.is(num, typ) {
				refused = visit(content)
			}
			return refused
		})
		if refused != nil {
			return refused
		}
		if err != nil {
			return d.damaged(len(d.way)-1, "%v", err)
		}
	}
	return nil
}

// walk visits the fields of a message. Content is that of a field that has a length,
// or of a group.
func walk(b []byte, visit func(num protowire.Number, typ protowire.Type, content []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return wrong(n)
		}
		b = b[n:]
		var content []byte
		switch typ {
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(b)
		case protowire.StartGroupType:
			content, n = protowire.ConsumeGroup(num, b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return wrong(n)
		}
		b = b[n:]
		if err := visit(num, typ, content); err != nil {
			return err
		}
	}
	return nil
}

// wrong is an error of the wire format.
func wrong(code int) error {
	text := strings.TrimPrefix(strings.Map(plain, protowire.ParseError(code).Error()), "proto: ")
	if text == "unexpected EOF" {
		text = "it ends too early"
	}
	return fmt.Errorf("%s: is it a message of this type?", text)
}

// plain undoes the spaces that the library's errors have at random.
func plain(r rune) rune {
	if r == '\u00a0' {
		return ' '
	}
	return r
}

// damaged returns pipeline.ErrDecode on the way to the rows, after some of its names.
func (d *decoder) damaged(steps int, format string, args ...any) error {
	path := strings.Join(append([]string{"$"}, d.payload[:max(steps, 0)]...), ".")
	return fmt.Errorf("%w: %s: %s", pipeline.ErrDecode, path, fmt.Sprintf(format, args...))
}
