package cdf

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

// labelOf is Label of any column, also one that has none or is not there.
func labelOf(c *Column, row int) (string, bool) {
	if c == nil || c.Type == Float {
		return "", false
	}
	return c.Label(row)
}
