package arrow

import (
	"bytes"
	"errors"

	"github.com/credence-stream/credence/cdf"
)

// dictionary holds the values that a dictionary column points to. A null
// value is NaN, or text number none.
type dictionary struct {
	number []float64
	ints   []int64
	text   [][]byte
	ids    []int32 // per text: its number + 1, 0 while not asked for, none
	wide   bool    // ints can hold what does not fit
	set    bool
}

const none = -1

func (x *dictionary) clear() {
	if outgrown(24*cap(x.text)+8*cap(x.number), 0) {
		*x = dictionary{}
	}
	clear(x.text) // they alias a record
	*x = dictionary{number: x.number[:0], ints: x.ints[:0], text: x.text[:0], ids: x.ids[:0]}
}

// dictionary reads a DictionaryBatch: a new dictionary, another in its place,
// or more values for it.
func (d *Decoder) dictionary(m *frame) error {
	id := m.meta.i64(m.head, 0)
	data, ok := m.meta.sub(m.head, 1)
	more := m.meta.u8(m.head, 2, 0) != 0
	if m.meta.bad || !ok {
		return damaged("dictionary metadata does not fit its bytes")
	}
	k := -1
	for i := range d.plan.dicts {
		if id == d.plan.dicts[i].id {
			k = i
		}
	}
	if k < 0 {
		return damaged("dictionary %d is not in the schema", id)
	}
	r, err := readRecord(&m.meta, data, m.body)
	if err != nil {
		return err
	}
	if err := d.inflate.admit(&r); err != nil {
		return err
	}
	l, x := d.plan.dicts[k].layout, &d.dicts[k]
	if l.kind == kindSkipped || l.kind == kindNull {
		return nil
	}
	if more && !x.set {
		return damaged("dictionary %d: more values before the first", id)
	}
	if !more {
		x.clear()
	}
	x.set = true
	if err := d.values(&r, l, x); err != nil {
		return inDictionary(id, err)
	}
	return nil
}

// values appends the values of r to x.
func (d *Decoder) values(r *record, l layout, x *dictionary) error {
	want := 2
	if l.text() {
		want = 3
	}
	extra := 0
	if l.kind == kindTextView {
		var err error
		if extra, err = d.variadic(r, 1); err != nil {
			return err
		}
		want = 2 + extra
	}
	if len(r.nodes) != 16 || len(r.buffers) != 16*want {
		return damaged("%d field nodes and %d buffers", len(r.nodes)/16, len(r.buffers)/16)
	}
	rows, nulls := r.node(0)
	if rows != int64(r.rows) || nulls < 0 || nulls > rows {
		return damaged("%d values, %d of them null, in a batch of %d", rows, nulls, r.rows)
	}
	n := r.rows
	if n == 0 {
		return nil
	}
	d.inflate.next()
	valid, err := d.valid(r, 0, n, nulls)
	if err != nil {
		return err
	}
	if l.text() {
		return d.textValues(r, l, x, extra, valid)
	}
	data, err := d.inflate.bytes(r, 1)
	if err != nil {
		return err
	}
	if len(data) < l.bytes(n) {
		return errShort
	}
	if err := d.charge(n, 16); err != nil {
		return err
	}
	from := len(x.number)
	x.number = append(x.number, make([]float64, n)...)
	number := x.number[from:]
	var ints []int64
	if l.column() == cdf.Integer {
		x.ints = append(x.ints, make([]int64, n)...)
		ints = x.ints[from:]
	}
	x.wide = l.read(number, ints, data)
	mask(number, ints, valid)
	return nil
}

// textValues is values for text. The texts alias the record where it is not
// compressed.
func (d *Decoder) textValues(r *record, l layout, x *dictionary, extra int, valid []byte) error {
	s, err := d.textData(l, r, 1, extra, r.rows)
	if err != nil {
		return err
	}
	if err := d.charge(r.rows, 32); err != nil {
		return err
	}
	if r.codec != noCodec {
		// The decompressor's buffer serves the next column too.
		size := len(s.data)
		for _, b := range s.views {
			size += len(b)
		}
		if err := d.charge(1, size); err != nil {
			return err
		}
		s.data = bytes.Clone(s.data)
		for k, b := range s.views {
			s.views[k] = bytes.Clone(b)
		}
		s.at = bytes.Clone(s.at)
	}
	for j := range r.rows {
		id, b := int32(0), []byte(nil)
		if valid != nil && valid[j>>3]>>(j&7)&1 == 0 {
			id = none
		} else if b, err = s.get(j); err != nil {
			return err
		}
		x.text = append(x.text, b)
		x.ids = append(x.ids, id)
	}
	return nil
}

// indexed reads a dictionary column.
func (d *Decoder) indexed(i int, f *field, r *record, buffer, at int, valid []byte) error {
	c, x, n := &d.columns[i], &d.dicts[f.dict], r.rows
	data, err := d.inflate.bytes(r, buffer)
	if err != nil {
		return inColumn(f, err)
	}
	if len(data) < f.index.bytes(n) {
		return inColumn(f, errShort)
	}
	if f.text() {
		return d.labelled(i, f, x, data, d.coded(c, at, n), valid)
	}
	number := d.numbers(c, at, n)
	var ints []int64
	if c.Type == cdf.Integer {
		ints = d.integers(c, at, n)
	}
	for j := range number {
		if valid != nil && valid[j>>3]>>(j&7)&1 == 0 {
			continue
		}
		k := f.index.integer(data, j)
		if uint64(k) >= uint64(len(x.number)) {
			return inColumn(f, errIndex)
		}
		number[j] = x.number[k]
		if ints != nil {
			ints[j] = x.ints[k]
			if x.wide && ints[j] < 0 {
				d.wide[i] = true
			}
		}
	}
	mask(number, ints, valid)
	return nil
}

// labelled is indexed for a dictionary of texts.
func (d *Decoder) labelled(i int, f *field, x *dictionary, data []byte, codes []int32, valid []byte) error {
	c := &d.columns[i]
	for j := range codes {
		codes[j] = -1
		if valid != nil && valid[j>>3]>>(j&7)&1 == 0 {
			continue
		}
		k := f.index.integer(data, j)
		if uint64(k) >= uint64(len(x.ids)) {
			return inColumn(f, errIndex)
		}
		if x.ids[k] == none {
			continue
		}
		if x.ids[k] == 0 {
			if f.kind == kindTextView {
				if err := d.charge(1, len(x.text[k])); err != nil {
					return err
				}
			}
			id, err := d.number(x.text[k])
			if err != nil {
				return inColumn(f, err)
			}
			x.ids[k] = id + 1
		}
		codes[j] = d.code(i, c, x.ids[k]-1)
	}
	return nil
}

// inDictionary is inColumn for a dictionary.
func inDictionary(id int64, err error) error {
	if errors.Is(err, cdf.ErrShard) {
		return err
	}
	return damaged("dictionary %d: %v", id, err)
}
