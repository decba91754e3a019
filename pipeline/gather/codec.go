package gather

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// Append appends the stored form of the rows: where they began, how many records and
// rows there are, and the columns. Rows without any have none.
func (r *Rows) Append(b []byte) []byte {
	if r == nil || r.n == 0 {
		return b
	}
	b = binary.AppendVarint(b, r.began.Offset)
	b = binary.AppendVarint(b, r.began.Time)
	b = binary.AppendUvarint(b, uint64(r.records))
	b = binary.AppendUvarint(b, uint64(r.n))
	b = binary.AppendUvarint(b, uint64(len(r.columns)))
	for i := range r.columns {
		b = r.columns[i].append(b)
	}
	return b
}

func (c *column) append(b []byte) []byte {
	b = appendText(b, c.Name)
	b = append(b, byte(c.Type), byte(c.use))
	for _, v := range c.Number {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range c.Int {
		b = binary.AppendVarint(b, v)
	}
	if c.Type != cdf.Text {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(c.Levels)))
	for _, level := range c.Levels {
		b = appendText(b, level)
	}
	for _, code := range c.Code {
		b = binary.AppendUvarint(b, uint64(code+1))
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// Read reads what Append appended and reports whether it is that; nil stands for no
// bytes. What it takes in memory is bounded by the bytes.
func Read(b []byte) (*Rows, bool) {
	if len(b) == 0 {
		return nil, true
	}
	f := reader{b: b}
	r := &Rows{began: Mark{f.signed(), f.signed()}, records: f.count(math.MaxInt32), n: f.count(len(b))}
	columns := f.count(len(b))
	for range columns {
		if f.bad {
			break
		}
		c := f.column(r.n)
		c.some = !blank(&c.Column)
		r.columns = append(r.columns, c)
	}
	if f.bad || len(f.b) > 0 || r.n < 1 || r.records < 1 || columns < 1 || r.twice() {
		return nil, false
	}
	return r, true
}

// twice reports whether two columns have one name.
func (r *Rows) twice() bool {
	seen := make(map[string]bool, len(r.columns))
	for i := range r.columns {
		if name := r.columns[i].Name; seen[name] {
			return true
		} else {
			seen[name] = true
		}
	}
	return false
}

// reader takes fields off the front of b; bad is set once one is missing.
type reader struct {
	b   []byte
	bad bool
}

func (f *reader) take(n int) []byte {
	if f.bad || n < 0 || n > len(f.b) {
		f.bad = true
		return nil
	}
	v := f.b[:n]
	f.b = f.b[n:]
	return v
}

func (f *reader) signed() int64 {
	v, n := binary.Varint(f.b)
	f.bad = f.bad || n <= 0
	f.take(max(n, 0))
	return v
}

// count returns a natural number that is at most the given one.
func (f *reader) count(most int) int {
	v, n := binary.Uvarint(f.b)
	if f.bad = f.bad || n <= 0 || v > uint64(most); f.bad {
		return 0
	}
	f.take(n)
	return int(v)
}

func (f *reader) text() string { return string(f.take(f.count(len(f.b)))) }

// column reads a column of n values, of which each has at least a byte.
func (f *reader) column(n int) (c column) {
	c.Name = f.text()
	if head := f.take(2); head != nil {
		c.Type, c.use = cdf.ColumnType(head[0]), use(head[1])
	}
	if f.bad = f.bad || c.Type > cdf.Text || c.use == 0 || c.use > number|label|step || n > len(f.b); f.bad {
		return c
	}
	if c.Type == cdf.Text {
		f.labels(&c, n)
		return c
	}
	values := f.take(8 * n)
	if f.bad {
		return c
	}
	c.Number = make([]float64, n)
	for i := range c.Number {
		c.Number[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
	}
	if c.Type == cdf.Integer {
		c.Int = make([]int64, n)
		for i := range c.Int {
			c.Int[i] = f.signed()
		}
	}
	return c
}

// labels reads the levels and codes of a column of text. All levels are in use.
func (f *reader) labels(c *column, n int) {
	levels := f.count(min(n, len(f.b)))
	for range levels {
		level := f.text()
		if f.bad {
			return
		}
		c.Levels, c.text = append(c.Levels, level), c.text+len(level)
	}
	c.Code = make([]int32, n)
	for i := range c.Code {
		c.Code[i] = int32(f.count(levels)) - 1
	}
}
