package formula

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/vec"
)

// scratch is the room of a goroutine for what formulas make.
type scratch struct {
	out    cdf.Batch
	values [][]float64 // columns of numbers, of which used are in use
	used   int
	codes  [][]int32 // likewise of levels
	coded  int
	places []placed
	seen   []int32 // per text of a batch, its level
	label  []byte
	row    []float64 // what one number makes
	found  int       // the place of the column that was found last
	schema []string  // the names of the columns of the last batch, no two of them alike
}

// placed is where the columns of an atom are.
type placed struct {
	column *cdf.Column // of one that is a column as it is
	from   int         // of values
	codes  []int32     // of a factor
}

// Derive implements cdf.Derivation.
func (d *derivation) Derive(b *cdf.Batch, room *any) (*cdf.Batch, error) {
	s, ok := (*room).(*scratch)
	if !ok {
		s = new(scratch)
		*room = s
	}
	if err := s.distinct(b); err != nil {
		return nil, err
	}
	s.out.Rows, s.out.Time, s.out.Skipped = b.Rows, b.Time, b.Skipped
	s.out.Columns = s.out.Columns[:0]
	s.used, s.coded, s.found = 0, 0, 0
	s.places = slices.Grow(s.places[:0], len(d.atoms))[:len(d.atoms)]
	f := d.formula
	if f.responds(b) {
		if err := s.number(b, f.response, f.name, "response"); err != nil {
			return nil, err
		}
	}
	for i, a := range d.atoms {
		if err := s.atom(b, a, &s.places[i]); err != nil {
			return nil, err
		}
	}
	for i := range d.columns {
		s.product(d, &d.columns[i])
	}
	for i := range d.others {
		o := &d.others[i]
		if o.x != nil {
			if err := s.number(b, o.x, o.name, o.role); err != nil {
				return nil, err
			}
			continue
		}
		c, err := s.find(b, o.name, o.role)
		if err != nil {
			return nil, err
		}
		s.out.Columns = append(s.out.Columns, *c)
	}
	return &s.out, nil
}

// distinct refuses two columns of one name.
func (s *scratch) distinct(b *cdf.Batch) error {
	known := len(s.schema) == len(b.Columns)
	for i := 0; known && i < len(b.Columns); i++ {
		known = s.schema[i] == b.Columns[i].Name
	}
	if known {
		return nil
	}
	s.schema = s.schema[:0]
	seen := make(map[string]bool, len(b.Columns))
	for i := range b.Columns {
		name := string([]byte(b.Columns[i].Name)) // the batch is a view
		if seen[name] {
			s.schema = s.schema[:0]
			return fmt.Errorf("%w: two columns are named %q", cdf.ErrSchema, name)
		}
		seen[name] = true
		s.schema = append(s.schema, name)
	}
	return nil
}

// responds reports whether a batch has the columns of the response.
func (f *Formula) responds(b *cdf.Batch) bool {
	for _, name := range f.answers {
		if !slices.ContainsFunc(b.Columns, func(c cdf.Column) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}

// Responses implements cdf.Formula.
func (f *Formula) Responses(b *cdf.Batch) []float64 {
	if !f.responds(b) {
		return nil
	}
	var s scratch
	s.out.Rows = b.Rows
	if s.number(b, f.response, f.name, "response") != nil {
		return nil
	}
	return s.out.Columns[0].Number
}

// find returns a column by name, looking first behind the one before.
func (s *scratch) find(b *cdf.Batch, name, role string) (*cdf.Column, error) {
	n := len(b.Columns)
	for i := range n {
		at := s.found + i
		if at >= n {
			at -= n
		}
		if c := &b.Columns[at]; c.Name == name {
			s.found = at + 1
			if s.found == n {
				s.found = 0
			}
			return c, sized(c, b.Rows)
		}
	}
	return nil, b.Missing(role, name)
}

// sized refuses a column that does not have one value per row.
func sized(c *cdf.Column, rows int) error {
	n := len(c.Number)
	switch c.Type {
	case cdf.Text:
		n = len(c.Code)
	case cdf.Integer:
		n = min(n, len(c.Int))
	}
	if n != rows {
		return fmt.Errorf("%w: column %q has %d values for %d rows", cdf.ErrShard, c.Name, n, rows)
	}
	return nil
}

// numbers returns a column of numbers, all of them finite or NaN.
func (s *scratch) numbers(b *cdf.Batch, name, role string) ([]float64, error) {
	c, err := s.find(b, name, role)
	if err != nil {
		return nil, err
	}
	return c.Number, numbered(c, role)
}

// numbered refuses text and infinite values.
func numbered(c *cdf.Column, role string) error {
	if c.Type == cdf.Text {
		return fmt.Errorf("%w: %s column %q holds %s", cdf.ErrSchema, role, c.Name, c.Type.Words())
	}
	if vec.Finite(c.Number) {
		return nil
	}
	for i, v := range c.Number {
		if math.IsInf(v, 0) {
			return fmt.Errorf("%w: column %q is infinite in row %d", cdf.ErrShard, c.Name, i+1)
		}
	}
	return nil
}

// room returns a column of numbers to be written, and its place.
func (s *scratch) room() []float64 {
	if s.used == len(s.values) {
		s.values = append(s.values, nil)
	}
	v := slices.Grow(s.values[s.used][:0], s.out.Rows)[:s.out.Rows]
	s.values[s.used] = v
	s.used++
	return v
}

// give takes the room back that was taken since.
func (s *scratch) give(since int) { s.used = since }

// number adds a column, under a name, of what an expression says; of a column it is
// that column as it is.
func (s *scratch) number(b *cdf.Batch, x *node, name, role string) error {
	if x.op == opName {
		c, err := s.find(b, x.text, role)
		if err == nil {
			err = numbered(c, role)
		}
		if err != nil {
			return err
		}
		s.out.Columns = append(s.out.Columns, *c)
		return nil
	}
	v := s.room()
	if err := s.compute(b, x, role, v); err != nil {
		return err
	}
	finite(v)
	s.out.Columns = append(s.out.Columns, cdf.Column{Name: name, Number: v})
	return nil
}

// finite makes what is not finite missing.
func finite(v []float64) {
	if vec.Finite(v) {
		return
	}
	for i, x := range v {
		if math.IsInf(x, 0) {
			v[i] = math.NaN()
		}
	}
}

// atom computes what a term's part is made of.
func (s *scratch) atom(b *cdf.Batch, a *settled, at *placed) error {
	*at = placed{}
	switch {
	case a.levels != nil:
		return s.levels(b, a, at)
	case a.plain():
		c, err := s.find(b, a.node.text, "feature")
		if err == nil {
			err = numbered(c, "feature")
		}
		at.column = c
		return err
	}
	at.from = s.used
	if a.several == nil {
		v := s.room()
		err := s.compute(b, a.node, "feature", v)
		finite(v)
		return err
	}
	return s.several(b, a)
}

// several computes the columns of one that makes several.
func (s *scratch) several(b *cdf.Batch, a *settled) error {
	m := a.several
	from := s.used
	for range m.fields {
		s.room()
	}
	x := s.room()
	if err := s.compute(b, m.x, "feature", x); err != nil {
		return err
	}
	s.give(from + len(m.fields))
	s.row = slices.Grow(s.row[:0], len(m.fields))[:len(m.fields)]
	values := s.row
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			for j := range values {
				values[j] = math.NaN()
			}
		} else if m.fill(values, v); m.raises && math.IsNaN(values[0]) {
			return fmt.Errorf("%w: %s is out of its bounds in row %d: %g", cdf.ErrShard, a.label, i+1, v)
		}
		for j, value := range values {
			s.values[from+j][i] = value
		}
	}
	for j := range m.fields {
		finite(s.values[from+j])
	}
	return nil
}

// product adds a column of X: the product of its parts.
func (s *scratch) product(d *derivation, c *columnOf) {
	first := &s.places[c.cells[0].place]
	if len(c.cells) == 1 && first.column != nil {
		column := *first.column
		s.out.Columns = append(s.out.Columns, column)
		return
	}
	if len(c.cells) == 1 && first.codes == nil {
		s.out.Columns = append(s.out.Columns, cdf.Column{Name: c.name, Number: s.values[first.from+c.cells[0].field]})
		return
	}
	v := s.room()
	for k, of := range c.cells {
		at := &s.places[of.place]
		switch {
		case at.codes != nil:
			indicate(v, at.codes, int32(of.field), k == 0)
		case at.column != nil:
			multiply(v, at.column.Number, k == 0)
		default:
			multiply(v, s.values[at.from+of.field], k == 0)
		}
	}
	finite(v)
	s.out.Columns = append(s.out.Columns, cdf.Column{Name: c.name, Number: v})
}

func multiply(v, by []float64, first bool) {
	if first {
		copy(v, by)
		return
	}
	for i, x := range by {
		v[i] *= x
	}
}

// indicate multiplies by 1 where a row has the level, by 0 where it has another one and
// by NaN where it has none.
func indicate(v []float64, codes []int32, level int32, first bool) {
	for i, code := range codes {
		x := 0.
		switch code {
		case level:
			x = 1
		case missing:
			x = math.NaN()
		}
		if !first {
			x *= v[i]
		}
		v[i] = x
	}
}
