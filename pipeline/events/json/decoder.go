// Package json reads events in JSON: an object is a row, an array of objects are
// rows, at the top of the record or at a path in it.
//
// Text must be UTF-8, and names unique within their object. A number that is written
// without fraction and exponent, and fits 64 bits, is whole; 2.0 and 1e3 are not.
// One beyond what a float64 holds is infinite, and refused where it is used. NaN and
// Infinity are no JSON.
package json

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

var _ pipeline.Decoder = (*Decoder)(nil)

// Decoder reads the values of records. It is used by one goroutine at a time.
type Decoder struct {
	limits  events.Limits
	wanted  events.Wanted
	payload []string // path of the rows in a record

	sheet *events.Sheet
	in    bytes.Buffer
	text  *jsontext.Decoder
	room  []byte // texts and names that are not written as they are
}

// times is how many bytes a byte of a record may be laid out in: the shortest
// field, as in [{"a":1},{"a":2}], takes six to eight.
const times = 16

var mark = []byte("\uFEFF")

// NewDecoder returns a decoder of rows at a path of their records, empty for the
// records themselves.
func NewDecoder(limits events.Limits, wanted events.Wanted, payload []string) *Decoder {
	return &Decoder{
		limits: limits, wanted: wanted, payload: payload,
		sheet: events.NewSheet(limits, wanted, payload), text: new(jsontext.Decoder),
	}
}

// Decode reads one record. pipeline.ErrDecode, wrapped, reports what is not JSON, or
// not a row; a fault.Error is a panic; the other errors are those of events.Sheet. The batch is valid until
// the next call, but its strings may be kept.
func (d *Decoder) Decode(value []byte) (b *cdf.Batch, err error) {
	defer func() {
		if p := recover(); p != nil {
			// It must not end the process; nothing of this decoder is reused.
			d.sheet.Release()
			*d = *NewDecoder(d.limits, d.wanted, d.payload)
			b, err = nil, fault.Of(p)
		}
	}()
	if err := d.sheet.Begin(len(value), times); err != nil {
		return nil, err
	}
	// A byte order mark says nothing in UTF-8, and a reader may pass over it: RFC 8259, 8.1.
	d.in = *bytes.NewBuffer(bytes.TrimPrefix(value, mark))
	d.text.Reset(&d.in)
	d.room = d.room[:0]
	if err := d.record(); err != nil {
		return nil, d.explain(value, err)
	}
	return d.sheet.Batch()
}

// Release implements pipeline.Decoder.
func (d *Decoder) Release() (large bool) {
	if large = d.sheet.Release(); large {
		d.room = nil
	}
	return large
}

// record reads the whole record.
func (d *Decoder) record() error {
	if err := d.find(d.payload); err != nil {
		return err
	}
	if _, err := d.text.ReadToken(); !errors.Is(err, io.EOF) {
		if err != nil {
			return err
		}
		return d.damaged("something follows it")
	}
	return nil
}

// find reads the rows at a path, and passes over what is beside them.
func (d *Decoder) find(path []string) error {
	if len(path) == 0 {
		return d.records()
	}
	if kind := d.text.PeekKind(); kind != '{' {
		return d.unexpected(kind, "where an object with "+strconv.Quote(path[0])+" belongs")
	}
	if _, err := d.text.ReadToken(); err != nil {
		return err
	}
	found := false
	for d.text.PeekKind() != '}' {
		name, err := d.name()
		if err != nil {
			return err
		}
		if string(name) == path[0] {
			found = true
			err = d.find(path[1:])
		} else {
			err = d.text.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.text.ReadToken(); err != nil {
		return err
	}
	if !found {
		return d.damaged("there is no %q, where input.payload has the rows", path[0])
	}
	return nil
}

// records reads the rows: an object, or an array of objects.
func (d *Decoder) records() error {
	if d.text.PeekKind() != '[' {
		return d.row()
	}
	if _, err := d.text.ReadToken(); err != nil {
		return err
	}
	d.sheet.Items = true
	for d.text.PeekKind() != ']' {
		if err := d.row(); err != nil {
			return err
		}
	}
	_, err := d.text.ReadToken()
	return err
}

// row reads a row.
func (d *Decoder) row() error {
	if kind := d.text.PeekKind(); kind == 'n' && len(d.payload) > 0 {
		if _, err := d.text.ReadToken(); err != nil {
			return err
		}
		return d.damaged("null, as of a row that was deleted: there is nothing to learn from")
	} else if kind != '{' {
		return d.unexpected(kind, "where a row, which is an object, belongs")
	}
	if err := d.sheet.Row(); err != nil {
		return err
	}
	return d.object(events.Root, 1)
}

// object reads an object, whose fields are those of a place.
func (d *Decoder) object(at events.Place, depth int) error {
	if depth > events.Depth {
		return d.damaged("more than %d objects in each other", events.Depth)
	}
	if _, err := d.text.ReadToken(); err != nil {
		return err
	}
	for d.text.PeekKind() != '}' {
		name, err := d.name()
		if err != nil {
			return err
		}
		field, used, err := d.sheet.Field(at, name)
		if err != nil {
			return err
		}
		if used {
			err = d.value(field, depth)
		} else {
			err = d.text.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := d.text.ReadToken()
	return err
}

// name reads the name of a field, which is valid until the next token is read.
func (d *Decoder) name() ([]byte, error) {
	raw, err := d.text.ReadValue()
	if err != nil {
		return nil, err
	}
	if len(raw) < 2 {
		return nil, d.damaged("a name that is no text")
	}
	return d.unquoted(raw)
}

// unquoted returns the text that is written so. It lies in the record, or in room.
func (d *Decoder) unquoted(raw []byte) ([]byte, error) {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	from := len(d.room)
	var err error
	d.room, err = jsontext.AppendUnquote(d.room, raw)
	return d.room[from:len(d.room):len(d.room)], err
}

// value reads the value of a field.
func (d *Decoder) value(at events.Place, depth int) error {
	switch kind := d.text.PeekKind(); kind {
	case '{':
		if err := d.sheet.Object(at); err != nil {
			return err
		}
		return d.object(at, depth+1)
	case '[':
		if err := d.text.SkipValue(); err != nil {
			return err
		}
		return d.sheet.Skip(at, "array")
	}
	raw, err := d.text.ReadValue()
	if err != nil {
		return err
	}
	switch raw[0] {
	case 'n':
		return d.sheet.Null(at)
	case 't', 'f':
		return d.sheet.Bool(at, raw[0] == 't')
	case '"':
		text, err := d.unquoted(raw)
		if err != nil {
			return err
		}
		return d.sheet.Text(at, text)
	}
	if v, ok := integer(raw); ok {
		return d.sheet.Integer(at, v, raw)
	}
	v, _ := strconv.ParseFloat(string(raw), 64) // out of range: infinite
	return d.sheet.Float(at, v, raw)
}

// integer returns the whole number that is written as one, if it fits.
func integer(raw []byte) (int64, bool) {
	if bytes.ContainsAny(raw, ".eE") {
		return 0, false
	}
	v, err := strconv.ParseInt(string(raw), 10, 64)
	return v, err == nil
}
