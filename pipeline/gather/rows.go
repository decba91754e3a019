package gather

import (
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Rows are those that wait for their key's shard, in the order in which they came, with
// the columns that the first of their records had and the key's model uses.
type Rows struct {
	began   Mark // of the first record
	records int
	n       int
	columns []column
}

// Mark is a place in the log.
type Mark struct {
	Offset int64 // of a record, -1: none
	Time   int64 // of that record, milliseconds since 1970
}

// Told is what is told of rows that wait.
type Told struct {
	Rows, Records int
	Bytes         int  // of their values and labels
	Began         Mark // of the first record
	Last          Mark // of the key's last record, where the key's state tells of them
}

// New returns rows that begin with a record, none so far. Uses are the columns that the
// model takes, and what for; a name may be there twice.
func New(began Mark, uses []cdf.Input) *Rows {
	r := &Rows{began: began}
	for i := range uses {
		r.use(&uses[i])
	}
	return r
}

func (r *Rows) use(in *cdf.Input) {
	i := slices.IndexFunc(r.columns, func(c column) bool { return c.Name == in.Name })
	if i < 0 {
		i = len(r.columns)
		r.columns = append(r.columns, column{Column: cdf.Column{Name: string([]byte(in.Name))}})
	}
	r.columns[i].use |= useOf(in)
}

// Tell returns what is told of them; nothing waits in nil.
func (r *Rows) Tell() (t Told) {
	if r == nil {
		return t
	}
	return Told{Rows: r.n, Records: r.records, Bytes: r.bytes(), Began: r.began}
}

// Fits says why the rows of a batch cannot be put behind these, nil where they can:
// cdf.ErrSchema, wrapped.
func (r *Rows) Fits(b *cdf.Batch) error {
	for i := range r.columns {
		c := &r.columns[i]
		from := find(b, c.Name)
		if from == nil {
			return c.lacks(r, b)
		}
		if r.n == 0 {
			continue
		}
		if _, ok := c.joined(from); !ok {
			return c.differs(from, r)
		}
	}
	return nil
}

// Add puts the rows of a record's batch, which fit, behind the others. They are copied.
func (r *Rows) Add(b *cdf.Batch) {
	for i := range r.columns {
		c := &r.columns[i]
		from := find(b, c.Name)
		if r.n == 0 {
			c.Type = from.Type
		}
		c.add(from)
	}
	r.n += b.Rows
	r.records++
}

// Whole reports whether the rows are a shard under a rule, with a record of a time, whose
// rows are among them.
func (r *Rows) Whole(rule Rule, now int64) bool { return rule.ends(r.n, r.bytes(), r.began.Time, now) }

// alone reports whether a record's rows are a shard where none wait.
func alone(rule Rule, b *cdf.Batch) bool { return rule.ends(b.Rows, 0, 0, 0) }

// Batch returns the rows as a shard, whose columns are theirs.
func (r *Rows) Batch() *cdf.Batch {
	b := &cdf.Batch{Rows: r.n, Columns: make([]cdf.Column, len(r.columns))}
	for i := range r.columns {
		b.Columns[i] = r.columns[i].Column
	}
	return b
}

// With returns the numbered rows, from 0, of those that wait, and behind them those of a
// record's batch, which fits, in the types that the columns would then have. It is a copy.
func (r *Rows) With(rows []int, b *cdf.Batch) *cdf.Batch {
	all := &cdf.Batch{Rows: len(rows) + b.Rows, Time: b.Time, Columns: make([]cdf.Column, len(r.columns))}
	for i := range r.columns {
		c, from := &r.columns[i], find(b, r.columns[i].Name)
		kind, _ := c.joined(from)
		part := column{Column: cdf.Column{Name: c.Name, Type: kind}}
		for _, row := range rows {
			part.put(&c.Column, row)
		}
		for row := range b.Rows {
			part.put(from, row)
		}
		all.Columns[i] = part.Column
	}
	return all
}

// Size returns the bytes that they take in memory; nil takes none.
func (r *Rows) Size() int64 {
	if r == nil {
		return 0
	}
	n := int64(rowsOverhead)
	for i := range r.columns {
		n += r.columns[i].size()
	}
	return n
}

// rowsOverhead is what Rows take without columns.
const rowsOverhead = 72

// bytes is what the values take, whatever memory they lie in: it depends on what came
// alone.
func (r *Rows) bytes() (n int) {
	for i := range r.columns {
		n += r.columns[i].bytes(r.n)
	}
	return n
}

func find(b *cdf.Batch, name string) *cdf.Column {
	for i := range b.Columns {
		if b.Columns[i].Name == name {
			return &b.Columns[i]
		}
	}
	return nil
}
