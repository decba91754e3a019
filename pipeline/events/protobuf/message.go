package protobuf

import (
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

// open begins a message, in which nothing is set.
func (d *decoder) open(m *message) error {
	d.stamp++
	m.stamp = d.stamp
	if m.record != d.record {
		m.record = d.record
		if d.fields += len(m.fields); d.fields > d.limits.Columns {
			return fmt.Errorf("%w: more fields than limits.columns (%d)", cdf.ErrSchema, d.limits.Columns)
		}
	}
	return nil
}

// wrong returns pipeline.ErrDecode in a message of the row.
func (d *decoder) wrong(m *message, format string, args ...any) error {
	path := d.sheet.Path(events.Root)
	if m.path != "" {
		path += "." + m.path
	}
	return fmt.Errorf("%w: %s: %s", pipeline.ErrDecode, path, fmt.Sprintf(format, args...))
}

// parse takes a piece of a message in: the last of several values counts, and the
// pieces of a message are put together.
func (d *decoder) parse(m *message, b []byte, depth int) error {
	if depth > events.Depth {
		return d.wrong(m, "more than %d messages in each other", events.Depth)
	}
	next := 0
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return d.wrong(m, "%v", wrong(n))
		}
		b = b[n:]
		f := m.find(num, &next)
		if f == nil || f.list || f.wire != typ {
			if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
				return d.wrong(m, "%v", wrong(n))
			}
			b = b[n:]
			continue
		}
		var bits uint64
		var content []byte
		switch typ {
		case protowire.VarintType:
			bits, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			bits = uint64(v)
		case protowire.Fixed64Type:
			bits, n = protowire.ConsumeFixed64(b)
		case protowire.StartGroupType:
			content, n = protowire.ConsumeGroup(num, b)
		default:
			content, n = protowire.ConsumeBytes(b)
		}
		if n < 0 {
			return d.wrong(m, "%v", wrong(n))
		}
		b = b[n:]
		if err := d.set(m, f, bits, content, depth); err != nil {
			return err
		}
	}
	return nil
}

// find returns the field of a number. Next is the one that is likely to come.
func (m *message) find(num protowire.Number, next *int) *field {
	if i := *next; i < len(m.fields) && m.fields[i].desc.Number() == num {
		*next = i + 1
		return m.fields[i]
	}
	i, ok := m.index[num]
	if !ok {
		return nil
	}
	*next = i + 1
	return m.fields[i]
}

// set takes a value of a field.
func (d *decoder) set(m *message, f *field, bits uint64, content []byte, depth int) error {
	fresh := f.met != m.stamp
	f.met = m.stamp
	for _, o := range f.others {
		o.met = 0
	}
	switch {
	case f.mute:
	case f.mapping:
		if fresh {
			f.entries = f.entries[:0]
		}
		if len(f.entries) == d.limits.Columns {
			return fmt.Errorf("%w: a map of more entries than limits.columns (%d)", cdf.ErrSchema, d.limits.Columns)
		}
		f.entries = append(f.entries, content)
	case f.desc.Message() != nil:
		inner := d.plan.into(m, f)
		if fresh {
			if err := d.open(inner); err != nil {
				return err
			}
		}
		return d.parse(inner, content, depth+1)
	case f.kind == protoreflect.StringKind && !utf8.Valid(content):
		return d.wrong(m, "field %s: text that is not UTF-8", f.name)
	default:
		f.bits, f.text = bits, content
	}
	return nil
}

// emit gives the fields of a message to the sheet, in the order of their definition.
func (d *decoder) emit(m *message, at events.Place) error {
	for _, f := range m.fields {
		there := f.met == m.stamp
		if f.mute || f.desc.Message() != nil && !f.list && !there {
			continue // a message that is not there has no columns
		}
		place, used, err := d.sheet.Field(at, f.name)
		if err == nil && used {
			err = d.field(f, place, there)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) field(f *field, at events.Place, there bool) error {
	switch {
	case f.list:
		return d.sheet.Skip(at, "array")
	case f.mapping:
		return d.mapping(f, at)
	case f.known == "Timestamp":
		return d.timestamp(f.below, at)
	case f.known != "":
		value := f.below.fields[0]
		return d.scalar(value, at, value.met == f.below.stamp)
	case f.desc.Message() != nil:
		if err := d.sheet.Object(at); err != nil {
			return err
		}
		return d.emit(f.below, at)
	case there || f.implicit:
		return d.scalar(f, at, there)
	}
	return d.sheet.Null(at)
}

// timestamp reads a google.protobuf.Timestamp, which is within the years 1 to 9999.
func (d *decoder) timestamp(m *message, at events.Place) error {
	var parts [2]int64
	for i, f := range m.fields {
		if f.met == m.stamp && i < len(parts) {
			parts[i], _ = f.whole()
		}
	}
	if parts[0] < -62135596800 || parts[0] > 253402300799 || parts[1] < 0 || parts[1] > 999999999 {
		return d.sheet.Damaged(at, "%d seconds and %d nanoseconds are no Timestamp", parts[0], parts[1])
	}
	return d.sheet.Time(at, events.Instant(time.Unix(parts[0], parts[1])))
}

// mapping reads the entries of a map, whose keys are fields.
func (d *decoder) mapping(f *field, at events.Place) error {
	if err := d.sheet.Object(at); err != nil {
		return err
	}
	entry := f.below
	if entry == nil {
		entry = d.plan.message(f.desc.Message(), "", true)
		f.below = entry
	}
	for _, content := range f.entries {
		if err := d.open(entry); err != nil {
			return err
		}
		if err := d.parse(entry, content, 1); err != nil {
			return err
		}
		key, value := entry.fields[0], entry.fields[1]
		if key.met != entry.stamp {
			key.bits, key.text = 0, nil
		}
		name := key.text // of the record, which is not written to
		if key.kind != protoreflect.StringKind {
			d.room = key.appendKey(d.room[:0])
			name = d.room
		}
		place, used, err := d.sheet.Field(at, name)
		if err != nil {
			return err
		}
		if !used {
			continue
		}
		there := value.met == entry.stamp
		if value.desc.Message() != nil && !there {
			if err := d.open(d.plan.into(entry, value)); err != nil { // an empty message
				return err
			}
		}
		value.implicit = true
		if err := d.field(value, place, there); err != nil {
			return err
		}
	}
	return nil
}

// scalar gives a value to the sheet, the zero of its type where it is not there.
func (d *decoder) scalar(f *field, at events.Place, there bool) error {
	if !there {
		f.bits, f.text = 0, nil
	}
	switch f.kind {
	case protoreflect.BoolKind:
		return d.sheet.Bool(at, f.bits != 0)
	case protoreflect.FloatKind:
		return d.sheet.Float(at, float64(math.Float32frombits(uint32(f.bits))), nil)
	case protoreflect.DoubleKind:
		return d.sheet.Float(at, math.Float64frombits(f.bits), nil)
	case protoreflect.StringKind:
		return d.sheet.Text(at, f.text)
	case protoreflect.BytesKind:
		return d.sheet.Skip(at, "bytes")
	}
	v, ok := f.whole()
	switch {
	case f.kind == protoreflect.EnumKind:
		if symbol := f.desc.Enum().Values().ByNumber(protoreflect.EnumNumber(v)); symbol != nil {
			return d.sheet.Text(at, []byte(symbol.Name()))
		}
		return d.sheet.Text(at, strconv.AppendInt(nil, v, 10))
	case !ok:
		return d.sheet.Float(at, float64(f.bits), strconv.AppendUint(nil, f.bits, 10))
	}
	return d.sheet.Integer(at, v, nil)
}
