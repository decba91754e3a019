package arrow

import (
	"strconv"

	"github.com/credence-stream/credence/internal/jsontext"
)

// pairs writes custom metadata. Every key stands directly behind the table of
// its pair and every value behind its key, so that what is before the value is
// the same bytes wherever it lies, but for the way back to the vtable. The
// vector has room for all that there might be; its length is set when it is
// known how many there are.
type pairs struct {
	b        []byte // the builder's, until done
	form     int    // where the vtable lies
	first, n int    // the vector, and the pairs that it has
	value    int    // where the length of the value at hand lies
}

// pairName is what lies before a value: room for the way back to the vtable, the offsets to key and value, the key,
// and room for the value's length.
type pairName string

// named returns the name for a key.
func named(key string) pairName {
	b := make([]byte, 12)
	b = le.AppendUint32(b, uint32(len(key)))
	b = ended(append(b, key...), len(key))
	le.PutUint32(b[4:], 8)
	le.PutUint32(b[8:], uint32(len(b)-8)) // from its own place to behind the key
	return pairName(append(b, 0, 0, 0, 0))
}

// ended ends a text of so many bytes, and pads it to a place where a number can lie.
func ended(b []byte, size int) []byte {
	return append(b, 0, 0, 0, 0)[:len(b)+4-size&3]
}

// pairs opens custom metadata of at most room pairs; the offset to them lies
// at from.
func (w *builder) pairs(from, room int) pairs {
	w.align(4, 0)
	form := len(w.b)
	w.b = append(w.b, 8, 0, 12, 0, 4, 0, 8, 0)
	w.point(from, len(w.b))
	first := w.offsets(room)
	return pairs{b: w.b, form: form, first: first}
}

// open begins a pair; its value is appended to b.
func (p *pairs) open(name pairName) {
	pos, slot := len(p.b), p.first+4*p.n
	p.n++
	le.PutUint32(p.b[slot:], uint32(pos-slot))
	p.b = append(p.b, name...)
	le.PutUint32(p.b[pos:], uint32(pos-p.form))
	p.value = len(p.b) - 4
}

// close ends a pair, at a place where the next one can begin.
func (p *pairs) close() {
	size := len(p.b) - p.value - 4
	le.PutUint32(p.b[p.value:], uint32(size))
	p.b = ended(p.b, size)
}

// put writes a pair.
func (p *pairs) put(name pairName, v string) {
	p.open(name)
	p.b = append(p.b, v...)
	p.close()
}

// texts writes a pair whose value is a list.
func (p *pairs) texts(name pairName, v []string) {
	p.open(name)
	p.b = jsontext.AppendStrings(p.b, v)
	p.close()
}

// count writes a pair whose value is a whole number.
func (p *pairs) count(name pairName, v int64) {
	p.open(name)
	p.b = strconv.AppendInt(p.b, v, 10)
	p.close()
}

// number writes a pair whose value is a number, if it is defined.
func (p *pairs) number(name pairName, v float64) {
	if jsontext.Defined(v) {
		p.open(name)
		p.b = jsontext.AppendNumber(p.b, v)
		p.close()
	}
}

// done sets the number of pairs and returns the bytes.
func (p *pairs) done() []byte {
	le.PutUint32(p.b[p.first-4:], uint32(p.n))
	return p.b
}
