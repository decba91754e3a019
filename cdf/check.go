package cdf

import (
	"fmt"
	"unsafe"

	"github.com/credence-stream/credence/cdf/fault"
)

// Checked is what rows that were checked, and wait to be absorbed as one batch with
// others, leave for these to be checked against. It belongs to the state of the filter
// that checked them: it is of no use after the next Update.
type Checked struct {
	rows   int
	before Before
	behind []behind // per grouping factor
	first  *opening // nil: the key has columns
	bytes  int64    // of labels
}

// verdict is what a check of rows found, to be noted where they wait.
type verdict struct {
	before Before
	design *design
	at     layout
}

// Size returns the bytes that it takes in memory, approximately; nil takes none.
func (c *Checked) Size() int64 {
	if c == nil {
		return 0
	}
	size := int64(unsafe.Sizeof(*c)) + held(c.before.Levels) + held(c.behind) + c.bytes
	if o := c.first; o != nil {
		size += int64(unsafe.Sizeof(*o)) + o.schema.size() + held(o.learnt) + held(o.keep)
		if o.design.own() {
			size += o.at.size() + o.design.size()
		}
	}
	return size
}

// Check says whether Update would admit the rows of b, and changes nothing: ErrSchema
// and ErrShard, wrapped, say what it would refuse them for, and a fault.Error is a panic
// of the model. That the arithmetic succeeds on them it cannot say. Of a key's first
// shard it does not refuse what more rows may mend: that the baseline is not among the
// levels that come from it, or that there are none.
func (f *Filter) Check(b *Batch) (*Checked, error) {
	c := new(Checked)
	v, err := f.check(c, b, nil)
	if err != nil {
		return nil, err
	}
	c.accept(&v, b)
	return c, nil
}

// CheckBehind is Check of rows that would be absorbed in one batch with those that c
// tells of, behind them; afterwards it tells of all, unless they are refused. It
// costs the same however many there are. Joined returns the numbered rows, from
// 0, of those before, and then those of b, in the types that the columns of all
// together have; it is asked before the key's first shard alone.
func (f *Filter) CheckBehind(c *Checked, b *Batch, joined func(rows []int) *Batch) error {
	if c.first == nil {
		v, err := f.check(c, b, joined)
		if err == nil {
			c.accept(&v, b)
		}
		return err
	}
	if b.Rows == 0 {
		return nil
	}
	b = joined(nil)
	v, err := f.check(c, b, joined)
	switch {
	case err != nil:
		return err
	case c.first.schema.matches(b):
		c.accept(&v, b)
		return nil
	}
	// A column has another type from now on, and may be of another use: all
	// rows are checked anew, which happens a few times at most.
	c.forget()
	all := make([]int, c.rows)
	for i := range all {
		all[i] = i
	}
	again, err := f.Check(joined(all))
	if err == nil {
		*c = *again
	}
	return err
}

// check says whether rows would be admitted behind those that c tells of. What they
// bring is to be accepted; where they are refused it is forgotten.
func (f *Filter) check(c *Checked, b *Batch, joined func(rows []int) *Batch) (v verdict, err error) {
	if f.broken != nil {
		return v, f.broken
	}
	back := f.save()
	defer func() {
		if p := recover(); p != nil {
			err = fault.Of(p)
		}
		if err != nil {
			c.forget()
		}
		f.dismiss(&back)
	}()
	if err := f.admitBehind(c, b, joined, &v.before); err != nil {
		return v, fmt.Errorf("shard %d: %w", f.now.t+1, err)
	}
	if back.engine == nil {
		v.design, v.at = f.now.design, f.update
	}
	return v, nil
}

func (f *Filter) admitBehind(c *Checked, b *Batch, joined func(rows []int) *Batch, before *Before) error {
	if f.now.design == nil {
		if err := f.open(c, b, joined); err != nil {
			return err
		}
	}
	if limit := f.spec.Limits.Rows; limit > 0 && c.rows > 0 && c.rows+b.Rows > limit {
		return fmt.Errorf("%w: %d rows, the limit is %d", ErrShard, c.rows+b.Rows, limit)
	}
	if c.behind == nil {
		c.behind = make([]behind, len(f.now.factors))
	}
	*before = c.before
	before.Levels = c.before.Levels[:0]
	for i := range f.now.factors {
		f.now.factors[i].behind = &c.behind[i]
		before.Levels = append(before.Levels, f.now.factors[i].count())
	}
	_, err := f.admit(b, before)
	return err
}

// accept takes the rows in, of which there is a verdict.
func (c *Checked) accept(v *verdict, b *Batch) {
	c.before = v.before
	for i := range c.behind {
		for _, level := range c.behind[i].fresh {
			c.bytes += mapEntry + int64(len(level))
		}
		c.behind[i].fresh = c.behind[i].fresh[:0]
	}
	if v.design != nil {
		if c.first == nil {
			c.first = new(opening)
		}
		c.bytes += c.first.accept(v, b, c.rows)
	}
	c.rows += b.Rows
}

// forget takes back what rows brought that are refused.
func (c *Checked) forget() {
	for i := range c.behind {
		c.behind[i].forget()
	}
}

// Uses returns the columns that shards of the key are made of, as Inputs does, but that
// those which a formula computes the response of take its place. Before
// the first shard they are those that it would have if it began with b; ErrSchema and
// ErrShard: see Update. A fault.Error is a panic of the model.
func (f *Filter) Uses(b *Batch) ([]Input, error) {
	if f.now.design != nil {
		return f.uses(), nil
	}
	back := f.save()
	defer f.dismiss(&back)
	if err := attempted(func() error { return f.begin(b, true) }); err != nil {
		return nil, fmt.Errorf("shard %d: %w", f.now.t+1, err)
	}
	return f.uses(), nil
}

func (f *Filter) uses() []Input {
	all := f.Inputs()
	if made := f.now.design.made; made != nil {
		all = append(all[:len(all)-1], made.Responds()...)
	}
	return all
}

// dismiss takes back what admitting a shard has changed.
func (f *Filter) dismiss(back *undo) {
	if back.engine != nil {
		for i := range f.now.factors {
			f.now.factors[i].behind = nil
		}
		return
	}
	// The next shard that is admitted begins in the memory of this one.
	spare := &f.ws.spare
	spare.rows = f.now.scaling.raw
	spare.take(&f.now, f.engine)
	f.now, f.engine = back.state, nil
	f.update, f.asked = layout{}, layout{}
	f.outdated()
}

// opening is what is known of a key's first shard while its rows wait. Its design is of
// the rows so far: it is another one once a column has another type, or brings a
// label to those that gives levels.
type opening struct {
	design *design
	at     layout // of the design's columns
	schema layout // of the rows, which have the schema alone
	learnt []learning
	keep   []int // the rows that brought a label, ascending
}

// learning is the labels of a column that gives levels.
type learning struct {
	column string
	labels map[string]bool
}

// open begins the key's design for rows behind those that wait for its first shard.
func (f *Filter) open(c *Checked, b *Batch, joined func(rows []int) *Batch) error {
	o := c.first
	switch {
	case o == nil:
	case o.schema.matches(b) && !o.brings(b):
		return f.beginAs(o.design, o.at)
	case len(o.keep) > 0:
		b = joined(o.keep)
	}
	return f.begin(b, true)
}

// brings reports whether rows have a label that the design does not know.
func (o *opening) brings(b *Batch) bool {
	for i := range o.learnt {
		c := named(b, o.learnt[i].column)
		for row := range b.Rows {
			if label, ok := labelOf(c, row); ok && !o.learnt[i].labels[label] {
				return true
			}
		}
	}
	return false
}

// accept notes the design, and what rows behind so many others brought, whose labels take
// so many bytes.
func (o *opening) accept(v *verdict, b *Batch, rows int) (bytes int64) {
	o.design, o.at = v.design, v.at
	if !o.schema.matches(b) {
		o.schema = schemaOf(b)
	}
	for i, name := range o.design.learns() {
		if i == len(o.learnt) {
			o.learnt = append(o.learnt, learning{column: name, labels: map[string]bool{}})
		}
	}
	for row := range b.Rows {
		fresh := false
		for i := range o.learnt {
			labels := o.learnt[i].labels
			label, ok := labelOf(named(b, o.learnt[i].column), row)
			if ok && !labels[label] {
				label = string([]byte(label)) // the batch is a view
				labels[label], fresh = true, true
				bytes += mapEntry + int64(len(label))
			}
		}
		if fresh {
			o.keep = append(o.keep, rows+row)
		}
	}
	return bytes
}

// named returns a column of a batch, nil where it has none of the name.
func named(b *Batch, name string) *Column {
	for i := range b.Columns {
		if b.Columns[i].Name == name {
			return &b.Columns[i]
		}
	}
	return nil
}

// labelOf is Label of any column, also one that is not there.
func labelOf(c *Column, row int) (string, bool) {
	if c == nil {
		return "", false
	}
	return c.Label(row)
}
