package arrow

import (
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
)

// written is a column of a stream that is written.
type written struct {
	name     string
	typ      cdf.ColumnType
	nullable bool
	dict     int // id of its dictionary, -1: none
}

// schema opens a schema message with the fields. Where it is to have custom
// metadata it returns where the offset to them lies, and the caller writes
// them; then the caller ends the message.
func (w *builder) schema(fields []written, described bool) (metadata int) {
	w.begin()
	head, _ := w.message(headerSchema)
	width := 0
	if described {
		width = 4
	}
	pos, at := w.table(value{2, 0}, value{width: 4}, value{width: width})
	w.point(head, pos)
	w.pointNext(at[1])
	first := w.offsets(len(fields))
	for i, f := range fields {
		w.field(first+4*i, f)
	}
	return at[2]
}

// field writes a Field and points the offset at from to it.
func (w *builder) field(from int, f written) {
	code, typ := byte(0), []value(nil)
	switch f.typ {
	case cdf.Float:
		code, typ = typeFloat, []value{{2, 2}}
	case cdf.Integer:
		code, typ = typeInt, []value{{4, 64}, {1, 1}}
	case cdf.Bool:
		code = typeBool
	case cdf.Time:
		code, typ = typeTimestamp, []value{{2, 2}, {width: 4}}
	case cdf.Text:
		code = typeUtf8
	}
	encoding := 0
	if f.dict >= 0 {
		encoding = 4
	}
	null := uint64(0)
	if f.nullable {
		null = 1
	}
	pos, at := w.table(value{width: 4}, value{1, null}, value{1, uint64(code)}, value{width: 4}, value{width: encoding}, value{width: 4})
	w.point(from, pos)
	w.pointNext(at[0])
	w.text(f.name)
	pos, inner := w.table(typ...)
	w.point(at[3], pos)
	if f.typ == cdf.Time {
		w.pointNext(inner[1])
		w.text("UTC")
	}
	if f.dict >= 0 {
		pos, inner := w.table(value{8, uint64(f.dict)}, value{width: 4})
		w.point(at[4], pos)
		pos, _ = w.table(value{4, 32}, value{1, 1})
		w.point(inner[1], pos)
	}
	w.pointNext(at[5])
	w.offsets(0)
}

// pairs writes custom metadata. The vector has room for all that there might
// be; its length is set when it is known how many there are.
type pairs struct {
	*builder
	first, n int
	length   int // where the length of the value at hand lies
}

// pairs opens custom metadata of at most room pairs; the offset to them lies
// at from.
func (w *builder) pairs(from, room int) pairs {
	w.pointNext(from)
	return pairs{builder: w, first: w.offsets(room)}
}

// open begins a pair; its value is appended to b.
func (p *pairs) open(key string) {
	pos, at := p.table(value{width: 4}, value{width: 4})
	p.point(p.first+4*p.n, pos)
	p.n++
	p.pointNext(at[0])
	p.text(key)
	p.pointNext(at[1])
	p.length = len(p.b)
	p.b = append(p.b, 0, 0, 0, 0)
}

// close ends a pair.
func (p *pairs) close() {
	le.PutUint32(p.b[p.length:], uint32(len(p.b)-p.length-4))
	p.b = append(p.b, 0)
}

// put writes a pair.
func (p *pairs) put(key, v string) {
	p.open(key)
	p.b = append(p.b, v...)
	p.close()
}

// count writes a pair whose value is a whole number.
func (p *pairs) texts(key string, v []string) {
	p.open(key)
	p.b = jsontext.AppendStrings(p.b, v)
	p.close()
}

func (p *pairs) count(key string, v int64) {
	p.open(key)
	p.b = strconv.AppendInt(p.b, v, 10)
	p.close()
}

// done sets the number of pairs.
func (p *pairs) done() { le.PutUint32(p.b[p.first-4:], uint32(p.n)) }
