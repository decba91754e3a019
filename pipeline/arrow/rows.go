package arrow

import (
	"math"

	"github.com/credence-stream/credence/cdf"
)

// endBytes is the size of the end of a stream.
const endBytes = 8

// filled tells what the numbers of the first rows are, column by column. What
// columns have in common is written once: the validity of those without any
// number, and the values of those that are all zero or undefined.
type filled struct {
	rows, text int // text: bytes of the names
	nulls      [len(numberNames)]int
	some       [len(numberNames)]uint64 // the bits that any number has
}

// defined is jsontext.Defined of a number's bits.
func defined(bits uint64) bool { return bits&infinite < infinite }

const infinite = 0x7FF << 52

// add takes another row in.
func (f *filled) add(r *cdf.Row) {
	f.rows++
	f.text += len(r.Variable)
	for c, v := range numbers(r) {
		if bits := math.Float64bits(v); defined(bits) {
			f.some[c] |= bits
		} else {
			f.nulls[c]++
		}
	}
}

// size returns the bytes of the body.
func (f *filled) size() int {
	mask, data := padded((f.rows+7)/8), 8*f.rows
	n := padded(4*(f.rows+1)) + padded(f.text)
	undefined, zero := 0, 0 // of what is written once
	for c := range numberNames {
		switch {
		case f.nulls[c] == f.rows:
			undefined = mask
		case f.nulls[c] > 0:
			n += mask
		}
		if f.some[c] == 0 {
			zero = data
		} else {
			n += data
		}
	}
	return n + undefined + zero
}

// fit returns how many of the first rows can be written in limit bytes.
func (e *Encoder) fit(rows []cdf.Row, limit int) int {
	var f filled
	limit -= len(e.batch) + endBytes
	most := 4*(len(rows)+1) + len(numberNames)*(8*len(rows)+len(rows)/8+8) + 16
	for i := range rows {
		most += len(rows[i].Variable)
	}
	if most <= limit {
		return len(rows)
	}
	for i := range rows {
		if f.add(&rows[i]); f.size() > limit {
			return i
		}
	}
	return len(rows)
}

// padded returns n rounded up to a multiple of eight.
func padded(n int) int { return (n + 7) &^ 7 }

// rows writes the record batch.
func (e *Encoder) rows(w *builder, rows []cdf.Row) {
	var f filled
	for i := range rows {
		f.add(&rows[i])
	}
	var own [len(numberNames)]target
	start, k := len(w.b), f.form()
	s := e.sheets.find(&k)
	if s != nil {
		w.b = append(w.b, s.bytes...)
	} else {
		whole, masked := e.lay(w, &f, &own)
		e.sheets.keep(&k, w.b[start:], whole, masked)
		s = &sheet{whole: whole, masked: masked}
	}
	body := w.b[start+len(e.batch):]
	names(body, rows)
	fill(body, rows, s.whole, s.masked)
}

// lay appends a record batch without its names and numbers, and returns where the
// numbers belong, in own.
func (e *Encoder) lay(w *builder, f *filled, own *[len(numberNames)]target) (whole, masked []target) {
	start, size := len(w.b), f.size()
	if need := start + len(e.batch) + size + endBytes; cap(w.b) < need {
		// Not slices.Grow: it clears, and of a large batch that alone takes long.
		w.b = append(make([]byte, 0, need), w.b...)
	}
	w.b = append(w.b, e.batch...)
	w.b = w.b[:len(w.b)+size]
	head, body := w.b[start:start+len(e.batch)], w.b[start+len(e.batch):]
	le.PutUint64(head[e.at.rows:], uint64(f.rows))
	le.PutUint64(head[e.at.length:], uint64(size))
	b := buffers{body: body, list: head[e.at.buffer:]}
	b.put(0) // all names are valid
	b.put(4 * (f.rows + 1))
	b.put(f.text)
	nodes := head[e.at.node:]
	le.PutUint64(nodes, uint64(f.rows))
	for c, n := range f.nulls {
		le.PutUint64(nodes[16*(c+1):], uint64(f.rows))
		le.PutUint64(nodes[16*(c+1)+8:], uint64(n))
	}
	return b.columns(own, f)
}

// buffers hands out the bytes of a body whose size is known.
type buffers struct {
	body, list []byte // list: the Buffer structs
	n, end     int    // buffers so far, and where the last one ends
}

// put returns where the next buffer begins, which has size bytes. Those that
// fill it up to eight are zero.
func (b *buffers) put(size int) (from int) {
	from = b.end
	le.PutUint64(b.list[16*b.n:], uint64(from))
	le.PutUint64(b.list[16*b.n+8:], uint64(size))
	b.n++
	if b.end += padded(size); b.end > from {
		le.PutUint64(b.body[b.end-8:], 0)
	}
	return from
}

// zero is put for a buffer of zeros.
func (b *buffers) zero(size int) (from int) {
	from = b.put(size)
	clear(b.body[from:b.end])
	return from
}

// again makes the next buffer the same bytes as buffer i.
func (b *buffers) again(i int) {
	copy(b.list[16*b.n:], b.list[16*i:16*(i+1)])
	b.n++
}

// names writes the variables into a body, which begins with their ends.
func names(body []byte, rows []cdf.Row) {
	ends, text, end := body, body[padded(4*(len(rows)+1)):], 0
	le.PutUint32(ends, 0)
	for i := range rows {
		end += copy(text[end:], rows[i].Variable)
		le.PutUint32(ends[4*(i+1):], uint32(end))
	}
}

// target is where the numbers of a column are to be written, and its validity.
type target struct {
	column     int
	data, mask int // -1: not here
}

// columns makes the buffers of the numbers and returns those to fill, in own.
func (b *buffers) columns(own *[len(numberNames)]target, f *filled) (whole, masked []target) {
	undefined, zero := -1, -1 // buffers
	first, last := 0, len(own)
	bits := (f.rows + 7) / 8
	for c := range numberNames {
		t := target{c, -1, -1}
		switch {
		case f.nulls[c] == 0:
			b.put(0)
		case f.nulls[c] < f.rows:
			t.mask = b.zero(bits)
		case undefined >= 0:
			b.again(undefined)
		default:
			undefined = b.n
			b.zero(bits)
		}
		switch {
		case f.some[c] != 0:
			t.data = b.put(8 * f.rows)
		case zero >= 0:
			b.again(zero)
		default:
			zero = b.n
			b.zero(8 * f.rows)
		}
		switch {
		case t.mask >= 0:
			last--
			own[last] = t
		case t.data >= 0:
			own[first] = t
			first++
		}
	}
	return own[:first], own[last:]
}

// together is how many rows are written column by column before the next ones: as
// many as stay in a cache meanwhile.
const together = 128

// fill writes the numbers of rows into body b.
func fill(b []byte, rows []cdf.Row, whole, masked []target) {
	for from := 0; from < len(rows); from += together {
		some := rows[from:min(from+together, len(rows))]
		for _, t := range whole {
			dst, c := b[t.data+8*from:][:8*len(some)], uint(t.column)
			if c >= uint(len(numberNames)) {
				continue // there is none; known here, it is not asked of every number
			}
			for i := 0; i < len(some) && len(dst) >= 8; i++ {
				le.PutUint64(dst[:8], math.Float64bits(numbers(&some[i])[c]))
				dst = dst[8:]
			}
		}
	}
	if len(masked) == 0 {
		return
	}
	for i := range rows {
		values := numbers(&rows[i])
		for _, t := range masked {
			bits := math.Float64bits(values[t.column])
			if !defined(bits) {
				bits = 0
			} else {
				b[t.mask+i>>3] |= 1 << (i & 7)
			}
			if t.data >= 0 {
				le.PutUint64(b[t.data+8*i:], bits)
			}
		}
	}
}
