package arrow

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// dictionaryRows is the number of rows from which a column of texts is
// written as indices into a dictionary, if that halves it.
const dictionaryRows = 64

// Encode returns the columns of b as one Arrow IPC stream: see appendBatch.
func Encode(b *cdf.Batch) ([]byte, error) { return appendBatch(nil, b) }

// appendBatch appends the columns of b as one complete Arrow IPC stream of
// one record batch. Float columns become float64, Integer int64, Bool bool,
// Time timestamps in microseconds UTC, Text utf8 or, where that is shorter, a
// dictionary of utf8 with the column's levels. NaN (of Integer and Bool, too)
// and negative codes become nulls; an Integer column without Number has none.
// A column whose length is not b.Rows is an error. Time and Skipped are not
// written.
func appendBatch(dst []byte, b *cdf.Batch) ([]byte, error) {
	return appendStream(dst, b, nil)
}

// appendStream is appendBatch with custom metadata, which it calls for when
// its place has come.
func appendStream(dst []byte, b *cdf.Batch, metadata func(w *builder, from int)) ([]byte, error) {
	fields := make([]written, len(b.Columns))
	buffers := 0
	for i := range b.Columns {
		c := &b.Columns[i]
		if err := check(c, b.Rows); err != nil {
			return dst, err
		}
		fields[i] = written{name: c.Name, typ: c.Type, nullable: true, dict: -1}
		buffers += 2
		if c.Type == cdf.Text {
			if b.Rows >= dictionaryRows && 2*len(c.Levels) <= b.Rows {
				fields[i].dict = i
			} else {
				buffers++
			}
		}
	}
	w := builder{b: dst}
	from := w.schema(fields, metadata != nil)
	if metadata != nil {
		metadata(&w, from)
	}
	w.end()
	for i := range b.Columns {
		if fields[i].dict >= 0 {
			w.dictionary(&b.Columns[i], i)
		}
	}
	at := w.batch(b.Rows, len(fields), buffers, -1)
	body := w.body(at.buffer)
	for i := range b.Columns {
		body.column(&b.Columns[i], b.Rows, at.node, i, fields[i].dict >= 0)
	}
	body.done(at.length)
	w.finish()
	return w.b, nil
}

// check holds the lengths of a column against rows, and its values against
// what its type can hold.
func check(c *cdf.Column, rows int) error {
	n := len(c.Number)
	switch c.Type {
	case cdf.Integer:
		if n == 0 {
			n = rows
		}
		if len(c.Int) != rows {
			n = len(c.Int)
		}
	case cdf.Text:
		n = len(c.Code)
		size := 0
		for _, code := range c.Code {
			if int(code) >= len(c.Levels) {
				return fmt.Errorf("column %q: code %d of %d levels", c.Name, code, len(c.Levels))
			}
			if code >= 0 {
				size += len(c.Levels[code])
			}
		}
		if size > math.MaxInt32 {
			return fmt.Errorf("column %q: %d bytes of text", c.Name, size)
		}
	case cdf.Time:
		for _, v := range c.Number {
			if math.Abs(v) >= math.MaxInt64/1e6 {
				return fmt.Errorf("column %q: %g seconds is not a timestamp", c.Name, v)
			}
		}
	}
	if n != rows {
		return fmt.Errorf("column %q has %d values for %d rows", c.Name, n, rows)
	}
	return nil
}

// dictionary writes the levels of c as dictionary id.
func (w *builder) dictionary(c *cdf.Column, id int) {
	at := w.batch(len(c.Levels), 1, 3, id)
	w.pair(at.node, 0, len(c.Levels), 0)
	body := w.body(at.buffer)
	body.put(len(w.b))
	body.texts(len(c.Levels), func(j int) string { return c.Levels[j] })
	body.done(at.length)
}

// body writes the buffers of a batch.
type body struct {
	*builder
	start  int // of the body
	buffer int // the Buffer vector
	n      int // buffers so far
}

// body opens the body of a batch whose Buffer vector lies at buffer.
func (w *builder) body(buffer int) body { return body{builder: w, start: len(w.b), buffer: buffer} }

// put closes the buffer that began at from.
func (b *body) put(from int) {
	b.pair(b.buffer, b.n, from-b.start, len(b.b)-from)
	b.n++
	if over := (len(b.b) - b.start) & 7; over != 0 {
		b.b = append(b.b, "\x00\x00\x00\x00\x00\x00\x00"[over-1:]...)
	}
}

// done sets the body length, which lies at length.
func (b *body) done(length int) { le.PutUint64(b.b[length:], uint64(len(b.b)-b.start)) }

// column writes node i and the buffers of a column.
func (b *body) column(c *cdf.Column, rows, node, i int, indices bool) {
	null := func(j int) bool { return j < len(c.Number) && math.IsNaN(c.Number[j]) }
	if c.Type == cdf.Text {
		null = func(j int) bool { return c.Code[j] < 0 }
	}
	nulls := 0
	for j := range rows {
		if null(j) {
			nulls++
		}
	}
	b.pair(node, i, rows, nulls)
	from := len(b.b)
	if nulls > 0 {
		b.bits(rows, func(j int) bool { return !null(j) })
	}
	b.put(from)
	from = len(b.b)
	switch {
	case indices:
		for _, code := range c.Code {
			b.b = le.AppendUint32(b.b, uint32(max(code, 0)))
		}
	case c.Type == cdf.Text:
		b.texts(rows, func(j int) string {
			if null(j) {
				return ""
			}
			return c.Levels[c.Code[j]]
		})
		return
	case c.Type == cdf.Bool:
		b.bits(rows, func(j int) bool { return c.Number[j] != 0 && !null(j) })
	default:
		for j := range rows {
			var bits uint64
			switch {
			case null(j):
			case c.Type == cdf.Integer:
				bits = uint64(c.Int[j])
			case c.Type == cdf.Time:
				bits = uint64(int64(math.Round(c.Number[j] * 1e6)))
			default:
				bits = math.Float64bits(c.Number[j])
			}
			b.b = le.AppendUint64(b.b, bits)
		}
	}
	b.put(from)
}

// bits writes n bits.
func (b *body) bits(n int, set func(int) bool) {
	from := len(b.b)
	b.zero((n + 7) / 8)
	for j := range n {
		if set(j) {
			b.b[from+j>>3] |= 1 << (j & 7)
		}
	}
}

// texts writes offsets and bytes of n texts.
func (b *body) texts(n int, text func(int) string) {
	from, end := len(b.b), 0
	b.b = le.AppendUint32(b.b, 0)
	for j := range n {
		end += len(text(j))
		b.b = le.AppendUint32(b.b, uint32(end))
	}
	b.put(from)
	from = len(b.b)
	for j := range n {
		b.b = append(b.b, text(j)...)
	}
	b.put(from)
}
