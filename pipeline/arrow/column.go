package arrow

import (
	"math"
	"unsafe"

	"github.com/credence-stream/credence/cdf"
)

// record reads the columns of one record batch into rows at and following.
func (d *Decoder) record(r *record, at int) error {
	p := d.plan
	if len(r.nodes) != 16*p.nodes {
		return damaged("record batch has %d field nodes, its schema %d", len(r.nodes)/16, p.nodes)
	}
	extra, err := d.variadic(r, p.views)
	if err != nil {
		return err
	}
	if len(r.buffers) != 16*(p.buffers+extra) {
		return damaged("record batch has %d buffers, its schema %d", len(r.buffers)/16, p.buffers+extra)
	}
	if err := d.inflate.admit(r); err != nil {
		return err
	}
	if r.rows == 0 {
		return nil
	}
	whole := r.rows == d.batch.Rows && r.codec == noCodec && littleEndian
	for i := range p.fields {
		f := &p.fields[i]
		buffer := f.buffer
		if f.views > 0 {
			buffer += d.offset[f.views]
		}
		if whole && f.float64() && view(&d.columns[i], r, f.node, buffer+1) {
			continue
		}
		if err := d.column(i, f, r, buffer, at); err != nil {
			return err
		}
	}
	return nil
}

// float64 reports that the column's values are float64 as they lie there.
func (f *field) float64() bool { return f.kind == kindFloat && f.width == 8 && f.dict < 0 }

// view makes a column of float64 the bytes of a batch themselves, where none is null and
// they are aligned, and reports whether it did. By the way that other columns take, a
// shard of few columns would take a sixth longer.
func view(c *cdf.Column, r *record, node, buffer int) bool {
	n, b := r.nodes[16*node:][:16], r.buffers[16*buffer:][:16]
	at, size := le.Uint64(b), le.Uint64(b[8:])
	if le.Uint64(n) != uint64(r.rows) || le.Uint64(n[8:]) != 0 || size < 8*uint64(r.rows) {
		return false
	}
	p := unsafe.Pointer(&r.body[at])
	if uintptr(p)%8 != 0 {
		return false
	}
	c.Number = unsafe.Slice((*float64)(p), r.rows)
	return true
}

// variadic adds up the data buffers of the view columns: offset[i] of them
// lie before view column i. It returns how many there are.
func (d *Decoder) variadic(r *record, views int) (int, error) {
	if len(r.variadic) < 8*views {
		return 0, damaged("record batch counts the buffers of %d view columns, its schema has %d", len(r.variadic)/8, views)
	}
	d.offset = append(d.offset[:0], 0)
	sum := 0
	for i := range views {
		n := le.Uint64(r.variadic[8*i:])
		if n > uint64(len(r.buffers)/16) {
			return 0, damaged("view column of %d buffers", n)
		}
		sum += int(n)
		d.offset = append(d.offset, sum)
	}
	return sum, nil
}

// column reads column i of one record batch.
func (d *Decoder) column(i int, f *field, r *record, buffer, at int) error {
	c := &d.columns[i]
	rows, nulls := r.node(f.node)
	if rows != int64(r.rows) || nulls < 0 || nulls > rows {
		return damaged("column %.64q: %d rows, %d of them null, in a batch of %d", f.name, rows, nulls, r.rows)
	}
	n := r.rows
	if f.kind == kindNull {
		number := d.numbers(c, at, n)
		for j := range number {
			number[j] = math.NaN()
		}
		return nil
	}
	d.inflate.next()
	valid, err := d.valid(r, buffer, n, nulls)
	if err != nil {
		return damaged("column %.64q: %v", f.name, err)
	}
	switch {
	case f.dict >= 0:
		err = d.indexed(i, f, r, buffer+1, at, valid)
	case f.text():
		err = d.text(i, f, r, buffer+1, at, valid)
	default:
		err = d.plain(i, f, r, buffer+1, at, valid)
	}
	return err
}

// valid returns the validity bitmap of n rows, nil where none is null.
func (d *Decoder) valid(r *record, buffer, n int, nulls int64) ([]byte, error) {
	if nulls == 0 {
		return nil, nil
	}
	bits, err := d.inflate.bytes(r, buffer)
	if err != nil {
		return nil, err
	}
	if len(bits) < (n+7)/8 {
		return nil, errShort
	}
	return bits, nil
}

// plain reads a column of fixed width.
func (d *Decoder) plain(i int, f *field, r *record, buffer, at int, valid []byte) error {
	c, n := &d.columns[i], r.rows
	data, err := d.inflate.bytes(r, buffer)
	if err != nil {
		return damaged("column %.64q: %v", f.name, err)
	}
	if need := f.bytes(n); len(data) < need {
		return damaged("column %.64q: %d bytes for %d values", f.name, len(data), n)
	}
	// One batch, no nulls, nothing compressed and the host's own layout: integers
	// are the bytes themselves.
	if f.kind == kindSigned && n == d.batch.Rows && valid == nil && f.width == 8 && r.codec == noCodec && littleEndian {
		if p := unsafe.Pointer(unsafe.SliceData(data)); uintptr(p)%8 == 0 {
			c.Int = unsafe.Slice((*int64)(p), n)
			widen(d.numbers(c, 0, n), c.Int)
			return nil
		}
	}
	number := d.numbers(c, at, n)
	var ints []int64
	if c.Type == cdf.Integer {
		ints = d.integers(c, at, n)
	}
	if f.read(number, ints, data) && above(ints, valid) {
		d.wide[i] = true
	}
	mask(number, ints, valid)
	return nil
}

// numbers returns c.Number of rows at to at+n, making c.Number first.
func (d *Decoder) numbers(c *cdf.Column, at, n int) []float64 {
	if c.Number == nil {
		c.Number = d.floats.take(d.batch.Rows)
	}
	return c.Number[at : at+n]
}

// integers is numbers for c.Int.
func (d *Decoder) integers(c *cdf.Column, at, n int) []int64 {
	if c.Int == nil {
		c.Int = d.ints.take(d.batch.Rows)
	}
	return c.Int[at : at+n]
}

// mask writes NaN and 0 where valid has no bit.
func mask(number []float64, ints []int64, valid []byte) {
	if valid == nil {
		return
	}
	for i := range number {
		if valid[i>>3]>>(i&7)&1 == 0 {
			number[i] = math.NaN()
			if ints != nil {
				ints[i] = 0
			}
		}
	}
}

// above reports whether a value that is not null is beyond int64: such
// values arrive as negative ones.
func above(ints []int64, valid []byte) bool {
	for i, v := range ints {
		if v < 0 && (valid == nil || valid[i>>3]>>(i&7)&1 == 1) {
			return true
		}
	}
	return false
}
