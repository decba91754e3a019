package arrow

import "bytes"

// builder appends encapsulated messages to b. FlatBuffers are written front
// to back, every table before what it points to, so that nothing is moved
// and the same content always gives the same bytes. Tables of one form share
// their vtable.
type builder struct {
	b       []byte
	base    int        // where the metadata of the message at hand begins
	vtables [forms]int // of that message
	n       int        // how many there are
}

// forms is the number of vtables that a message remembers: none here has more.
const forms = 12

// begin opens a message: its prefix, and the root offset.
func (w *builder) begin() {
	w.b = le.AppendUint32(w.b, continuation)
	w.b = append(w.b, 0, 0, 0, 0)
	w.base, w.n = len(w.b), 0
	w.b = append(w.b, 0, 0, 0, 0)
}

// end closes the metadata: pads it to eight bytes and writes its length.
func (w *builder) end() {
	w.align(8, 0)
	le.PutUint32(w.b[w.base-4:], uint32(len(w.b)-w.base))
}

// finish writes the end of the stream.
func (w *builder) finish() {
	w.b = le.AppendUint32(w.b, continuation)
	w.b = append(w.b, 0, 0, 0, 0)
}

// align pads until the next byte lies at remainder modulo n.
func (w *builder) align(n, remainder int) {
	for (len(w.b)-w.base)%n != remainder {
		w.b = append(w.b, 0)
	}
}

// value is a field of a table: width bytes, 0 where it is absent. Offsets
// are four bytes and set by point.
type value struct {
	width int
	bits  uint64
}

// most is the number of fields that any table here has.
const most = 7

// table writes a table and returns where its fields lie.
func (w *builder) table(fields ...value) (pos int, at [most]int) {
	// Wide fields come first, directly after the offset to the vtable, which
	// lies at 4 modulo 8 where any of them takes eight bytes.
	size, modulus := 4, 4
	for _, width := range [...]int{8, 4, 2, 1} {
		for i, f := range fields {
			if width == f.width {
				at[i] = size
				size += width
			}
		}
	}
	for _, f := range fields {
		if f.width == 8 {
			modulus = 8
		}
	}
	var own [4 + 2*most]byte
	vtable := le.AppendUint16(le.AppendUint16(own[:0], uint16(4+2*len(fields))), uint16(size))
	for i := range fields {
		vtable = le.AppendUint16(vtable, uint16(at[i]))
	}
	from, met := w.vtable(vtable)
	if !met {
		w.align(modulus, (modulus+4-len(vtable)%modulus)%modulus)
		from = len(w.b)
		w.b = append(w.b, vtable...)
		if w.n < forms {
			w.vtables[w.n] = from
			w.n++
		}
	}
	w.align(modulus, 4%modulus)
	pos = len(w.b)
	w.b = le.AppendUint32(w.b, uint32(pos-from))
	for _, width := range [...]int{8, 4, 2, 1} {
		for _, f := range fields {
			if width != f.width {
				continue
			}
			for i := range width {
				w.b = append(w.b, byte(f.bits>>(8*i)))
			}
		}
	}
	for i := range fields {
		if at[i] != 0 {
			at[i] += pos
		}
	}
	return pos, at
}

// vtable returns where the message has the vtable already.
func (w *builder) vtable(v []byte) (pos int, met bool) {
	for _, pos := range w.vtables[:w.n] {
		if bytes.HasPrefix(w.b[pos:], v) {
			return pos, true
		}
	}
	return 0, false
}

// point makes the offset at position at point to target.
func (w *builder) point(at, target int) { le.PutUint32(w.b[at:], uint32(target-at)) }

// pointNext makes the offset at position at point to the vector or string
// that is written next.
func (w *builder) pointNext(at int) {
	w.align(4, 0)
	w.point(at, len(w.b))
}

// text writes a string.
func (w *builder) text(s string) {
	w.align(4, 0)
	w.b = le.AppendUint32(w.b, uint32(len(s)))
	w.b = append(w.b, s...)
	w.b = append(w.b, 0)
}

// offsets writes a vector of n offsets and returns where the first lies.
func (w *builder) offsets(n int) int {
	w.align(4, 0)
	w.b = le.AppendUint32(w.b, uint32(n))
	at := len(w.b)
	w.zero(4 * n)
	return at
}

// structs writes a vector of n structs of sixteen bytes, the offset to it
// into at, and returns where the first lies.
func (w *builder) structs(at, n int) int {
	w.align(8, 4)
	w.point(at, len(w.b))
	w.b = le.AppendUint32(w.b, uint32(n))
	first := len(w.b)
	w.zero(16 * n)
	return first
}

// zero writes n zero bytes.
func (w *builder) zero(n int) {
	from := len(w.b)
	if cap(w.b)-from < n {
		w.b = append(w.b, make([]byte, n)...)
		return
	}
	w.b = w.b[:from+n]
	clear(w.b[from:])
}

// pair sets struct i of the vector that begins at first.
func (w *builder) pair(first, i, a, b int) {
	le.PutUint64(w.b[first+16*i:], uint64(a))
	le.PutUint64(w.b[first+16*i+8:], uint64(b))
}

// message writes the Message table and returns where the offset to its
// header and its body length lie.
func (w *builder) message(header byte) (head, length int) {
	pos, at := w.table(value{2, versionV5}, value{1, uint64(header)}, value{width: 4}, value{width: 8})
	w.point(w.base, pos)
	return at[2], at[3]
}

// places are where a record batch's metadata has what is known only later.
type places struct{ rows, node, buffer, length int }

// batch writes the metadata of a record batch, or of the dictionary id where
// that is not negative, up to its vectors and returns where these and the
// body length lie.
func (w *builder) batch(rows, nodes, buffers, id int) places {
	w.begin()
	header := byte(headerRecord)
	if id >= 0 {
		header = headerDictionary
	}
	head, length := w.message(header)
	if id >= 0 {
		pos, at := w.table(value{8, uint64(id)}, value{width: 4})
		w.point(head, pos)
		head = at[1]
	}
	pos, at := w.table(value{8, uint64(rows)}, value{width: 4}, value{width: 4})
	w.point(head, pos)
	p := places{rows: at[0], length: length}
	p.node = w.structs(at[1], nodes)
	p.buffer = w.structs(at[2], buffers)
	w.end()
	return p
}
