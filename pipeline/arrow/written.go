package arrow

import "github.com/credence-stream/credence/cdf"

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
	open := make([][most]int, len(fields))
	for i := range fields {
		pos, open[i] = w.field(fields[i])
		w.point(first+4*i, pos)
	}
	// What fields have in common stands once, behind all that point to it.
	for _, each := range [...]cdf.ColumnType{cdf.Float, cdf.Integer, cdf.Bool, cdf.Time, cdf.Text} {
		pos := 0
		for i := range fields {
			if fields[i].typ != each {
				continue
			}
			if pos == 0 {
				pos = w.typed(each)
			}
			w.point(open[i][3], pos)
		}
	}
	for i := range fields {
		if fields[i].dict >= 0 {
			w.encoding(open[i][4], fields[i].dict)
		}
	}
	w.align(4, 0)
	none := len(w.b)
	if len(fields) > 0 {
		w.offsets(0)
	}
	for i := range fields {
		w.point(open[i][5], none)
	}
	return at[2]
}

// field writes a Field and its name, and returns where the table is and its
// fields are.
func (w *builder) field(f written) (pos int, at [most]int) {
	code := byte(typeFloat)
	switch f.typ {
	case cdf.Integer:
		code = typeInt
	case cdf.Bool:
		code = typeBool
	case cdf.Time:
		code = typeTimestamp
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
	pos, at = w.table(value{width: 4}, value{1, null}, value{1, uint64(code)}, value{width: 4}, value{width: encoding}, value{width: 4})
	w.pointNext(at[0])
	w.text(f.name)
	w.align(4, 0)
	return pos, at
}

// typed writes the table of a type and returns where it is.
func (w *builder) typed(t cdf.ColumnType) int {
	var fields []value
	switch t {
	case cdf.Float:
		fields = []value{{2, 2}}
	case cdf.Integer:
		fields = []value{{4, 64}, {1, 1}}
	case cdf.Time:
		fields = []value{{2, 2}, {width: 4}}
	}
	pos, at := w.table(fields...)
	if t == cdf.Time {
		w.pointNext(at[1])
		w.text("UTC")
	}
	return pos
}

// encoding writes the DictionaryEncoding of dictionary id and points the
// offset at from to it.
func (w *builder) encoding(from, id int) {
	pos, at := w.table(value{8, uint64(id)}, value{width: 4})
	w.point(from, pos)
	pos, _ = w.table(value{4, 32}, value{1, 1})
	w.point(at[1], pos)
}
