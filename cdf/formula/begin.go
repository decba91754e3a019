package formula

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

// point is the name under which a snapshot has what the point stands for.
const point = "."

// Begin implements cdf.Formula.
func (f *Formula) Begin(b *cdf.Batch, limit int, more bool) (cdf.Derivation, error) {
	var dotted []string
	if f.dots {
		dotted = f.others(b)
	}
	d, err := f.derivation(dotted)
	if err != nil {
		return nil, err
	}
	for _, a := range d.atoms {
		if err := a.settle(b, more); err != nil {
			return nil, err
		}
	}
	return d, d.build(limit)
}

// Restore implements cdf.Formula.
func (f *Formula) Restore(settled []cdf.Feature, limit int) (cdf.Derivation, error) {
	var dotted []string
	if f.dots {
		if len(settled) == 0 || settled[0].Name != point {
			return nil, fmt.Errorf("%w: what . stands for is not there", cdf.ErrSchema)
		}
		dotted, settled = settled[0].Levels, settled[1:]
	}
	d, err := f.derivation(dotted)
	if err != nil {
		return nil, err
	}
	if len(settled) != len(d.atoms) {
		return nil, fmt.Errorf("%w: %d parts of terms, the formula has %d", cdf.ErrSchema, len(settled), len(d.atoms))
	}
	for i, a := range d.atoms {
		s := &settled[i]
		if a.label != s.Name || a.several != nil && s.Levels != nil || a.factor != nil && s.Levels == nil ||
			s.Levels != nil && a.factor == nil && a.node.op != opName {
			return nil, fmt.Errorf("%w: %q, the formula has %q", cdf.ErrSchema, s.Name, a.label)
		}
		if s.Levels != nil {
			if err := a.have(s.Levels); err != nil {
				return nil, err
			}
			a.learnt = a.factor == nil || a.factor.levels == nil
		}
	}
	return d, d.build(limit)
}

// others returns the columns that the point stands for: all but times and those of
// response, groups and exposure.
func (f *Formula) others(b *cdf.Batch) []string {
	var taken []string
	take := func(name string, _ int) { taken = append(taken, name) }
	f.response.names(take)
	for _, g := range f.groups {
		take(g.column, 0)
	}
	if f.offset != nil {
		f.offset.names(take)
	}
	list := []string{}
	for i := range b.Columns {
		if c := &b.Columns[i]; c.Type != cdf.Time && !slices.Contains(taken, c.Name) {
			list = append(list, string([]byte(c.Name))) // the batch is a view
		}
	}
	return list
}

// derivation expands the terms, whose atoms are not settled yet.
func (f *Formula) derivation(dotted []string) (d *derivation, err error) {
	d = &derivation{formula: f, dotted: dotted}
	list := f.terms
	if f.dots {
		defer func() {
			if r := recover(); r != nil {
				e, ours := r.(*Error)
				if !ours {
					panic(r)
				}
				d, err = nil, fmt.Errorf("%w: formula: %w", cdf.ErrSchema, e)
			}
		}()
		x := &expansion{parser: &parser{source: f.text}}
		for _, name := range dotted {
			x.all = append(x.all, term{x.atom(&node{op: opName, text: name})})
		}
		list = x.outer(f.right).terms
	}
	known := map[string]*settled{}
	for _, t := range list {
		parts := make([]*settled, 0, len(t))
		for _, a := range t {
			s := known[a.key]
			if s == nil {
				s = &settled{atom: a, place: len(d.atoms)}
				known[a.key], d.atoms = s, append(d.atoms, s)
			}
			parts = append(parts, s)
		}
		d.terms = append(d.terms, parts)
	}
	return d, nil
}

// settled is an atom of which is known whether it is a factor, and its levels.
type settled struct {
	*atom
	place    int
	levels   []string // nil: no factor
	index    map[string]int32
	given    int   // levels that are listed or learnt
	open     int32 // the level of what is not listed, or one of the below
	gap      int32 // the level of a missing value, or missing
	baseline int
	learnt   bool // the levels, from a key's first shard: another key has others
}

const (
	missing int32 = -1
	failing int32 = -2
)

// settle looks an atom up in a key's first shard, in which more rows may follow.
func (s *settled) settle(b *cdf.Batch, more bool) error {
	f := s.factor
	if f == nil && s.node.op != opName {
		return nil
	}
	if f != nil && f.levels != nil {
		return s.have(f.levels)
	}
	name := s.node.text
	if f != nil {
		name = f.column
	}
	c, err := find(b, name, "feature")
	switch {
	case err != nil:
		return err
	case f == nil && c.Type != cdf.Text:
		return nil
	case c.CheckLabels("feature") != nil:
		return c.CheckLabels("feature")
	case c.Type == cdf.Bool:
		return s.have([]string{"False", "True"})
	}
	s.learnt = true
	levels := levelsOf(c, b.Rows)
	if more {
		baseline := ""
		if f != nil {
			baseline = f.baseline
		}
		levels = cdf.Expected(levels, baseline)
	}
	return s.have(levels)
}

// levelsOf returns the labels of a column: whole numbers as they rise, others in byte
// order.
func levelsOf(c *cdf.Column, rows int) []string {
	seen, list := map[string]bool{}, []string{}
	for row := range rows {
		if label, ok := c.Label(row); ok && !seen[label] {
			label = string([]byte(label)) // the batch is a view
			seen[label] = true
			list = append(list, label)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if c.Type == cdf.Integer {
			n, _ := strconv.ParseInt(a, 10, 64)
			m, _ := strconv.ParseInt(b, 10, 64)
			return cmp.Compare(n, m)
		}
		return cmp.Compare(a, b)
	})
	return list
}

// have takes the levels in. Behind them come that of what is not listed and that of missing
// values, where there are such.
func (s *settled) have(levels []string) error {
	f := s.factor
	if f == nil {
		f = &factor{other: otherLevel}
	}
	if len(levels) == 0 {
		return fmt.Errorf("%w: %s has no levels", cdf.ErrSchema, s.label)
	}
	s.given, s.levels, s.index = len(levels), slices.Clone(levels), make(map[string]int32, len(levels))
	for i, level := range s.levels {
		if _, twice := s.index[level]; twice {
			return fmt.Errorf("%w: level %q of %s is listed twice", cdf.ErrSchema, level, s.label)
		}
		s.index[level] = int32(i)
	}
	for name, label := range map[string]string{"False": "false", "True": "true"} {
		i, listed := s.index[name]
		if _, both := s.index[label]; listed && !both {
			s.index[label] = i
		}
	}
	if f.baseline != "" {
		if s.baseline = slices.Index(s.levels, f.baseline); s.baseline < 0 {
			return fmt.Errorf("%w: baseline %q is not a level of %s", cdf.ErrSchema, f.baseline, s.label)
		}
	}
	s.open = missing
	switch {
	case f.other == otherReject:
		s.open = failing
	case f.other == otherLevel && !slices.Equal(levels, []string{"False", "True"}):
		s.open = int32(len(s.levels))
		s.levels = append(s.levels, unlisted)
	}
	if s.gap = missing; f.gaps {
		s.gap = int32(len(s.levels))
		s.levels = append(s.levels, lacking)
		if _, listed := s.index[lacking]; !listed {
			s.index[lacking] = s.gap // a row may name it
		}
	}
	return nil
}

// listed returns the levels that were given or learnt.
func (s *settled) listed() []string { return s.levels[:s.given] }

// spans reports whether the columns of the atom together span the intercept.
func (s *settled) spans() bool { return s.levels != nil || s.several != nil && s.several.spans }

// find returns a column by name.
func find(b *cdf.Batch, name, role string) (*cdf.Column, error) {
	for i := range b.Columns {
		if b.Columns[i].Name == name {
			return &b.Columns[i], sized(&b.Columns[i], b.Rows)
		}
	}
	return nil, b.Missing(role, name)
}
