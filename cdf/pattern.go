package cdf

import "bytes"

// pattern is the columns of some keys: their design, and where a schema has it.
// Most keys of a model have the same, which they then share.
type pattern struct {
	spec   *Spec
	design *design
	bytes  []byte // the design's part of a snapshot
	layout layout // of the schema seen last, empty where keys came from snapshots alone
	first  layout // likewise of what a formula makes these columns of, its schema alone
}

func (p *pattern) of(spec *Spec) bool { return spec == p.spec }

// mostPatterns bounds what a workspace remembers: one is enough where all keys of
// a model have one schema.
const mostPatterns = 16

// patterns are those of a workspace, the newest last.
type patterns []*pattern

// begun returns the pattern of a key that begins with the batch, nil where none
// is known.
func (p patterns) begun(spec *Spec, b *Batch) *pattern {
	for _, known := range p {
		if known.of(spec) && known.begins(b) {
			return known
		}
	}
	return nil
}

// begins reports whether the columns of a key's first shard are the pattern's.
func (p *pattern) begins(b *Batch) bool {
	if p.design.made != nil {
		return p.first.matches(b)
	}
	return p.layout.matches(b)
}

// bound returns the pattern of a design, which is of one model, that is in the batch
// where it was before, nil where none is known.
func (p patterns) bound(d *design, b *Batch) *pattern {
	for _, known := range p {
		if known.design == d && known.layout.matches(b) {
			return known
		}
	}
	return nil
}

// read reads a design that is known, nil where it is none.
func (p patterns) read(r *reader, spec *Spec) *design {
	for _, known := range p {
		if known.of(spec) && bytes.HasPrefix(r.b, known.bytes) {
			r.take(len(known.bytes))
			return known.design
		}
	}
	return nil
}

// add takes in a pattern, in place of the oldest where there are too many.
func (p *patterns) add(n *pattern) {
	if len(*p) == mostPatterns {
		*p = append((*p)[:0], (*p)[1:]...)
	}
	*p = append(*p, n)
}

// place takes in where a schema has the design, whose columns a formula may have made
// of the raw ones.
func (p *patterns) place(spec *Spec, d *design, at layout, raw *Batch) {
	var first layout
	if d.made != nil {
		first = schemaOf(raw)
	}
	for _, known := range *p {
		if known.design == d && known.layout.schema == nil {
			known.layout, known.first = at, first
			return
		}
	}
	p.add(&pattern{spec, d, d.append(nil), at, first})
}

// schemaOf is the layout of a batch of which the schema alone is known.
func schemaOf(b *Batch) (l layout) {
	for i := range b.Columns {
		c := &b.Columns[i]
		l.schema = append(l.schema, Column{Name: string([]byte(c.Name)), Type: c.Type}) // the batch is a view
	}
	return l
}

// bind finds the columns of the key in a shard, or in what a formula made of a raw one.
func (f *Filter) bind(b, raw *Batch) error {
	if f.update.matches(b) {
		return nil
	}
	d, p := f.now.design, &f.ws.patterns
	if known := p.bound(d, b); known != nil {
		f.update = known.layout
		return nil
	}
	err := f.update.bind(f.spec, d, b, true)
	if err == nil && f.update.schema != nil && !d.own() {
		p.place(f.spec, d, f.update, raw)
	}
	return err
}

// learns returns the columns whose labels in the key's first shard give levels.
func (d *design) learns() (list []string) {
	if d.made != nil {
		return d.made.Learns()
	}
	for i := range d.sources {
		if s := &d.sources[i]; s.feature.LevelsFirst {
			list = append(list, s.feature.Name)
		}
	}
	return list
}

// own reports whether the design is of one key alone, whose first shard gave it
// the levels of a column.
func (d *design) own() bool {
	if d.made != nil {
		return d.made.Learnt()
	}
	for i := range d.sources {
		if d.sources[i].feature.LevelsFirst {
			return true
		}
	}
	return false
}
