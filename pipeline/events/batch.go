package events

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Batch returns the columns of the rows that were set. Where the models name all
// columns that they use these come in the models' order; else in that of the
// record, and behind them those that it lacks. The batch aliases the sheet's
// buffers and is valid until the next Begin; its strings may be kept.
//
// cdf.ErrShard reports no rows, or too many bytes; cdf.ErrSchema a record that has
// none of the columns that the models name.
func (s *Sheet) Batch() (*cdf.Batch, error) {
	if s.rows == 0 {
		return nil, fmt.Errorf("%w: no rows", cdf.ErrShard)
	}
	if !s.has() {
		return nil, fmt.Errorf("%w: %s: none of the columns that the models name is here: %s; %s",
			cdf.ErrSchema, s.base, listed(s.wantedNames()), s.found())
	}
	s.batch = cdf.Batch{Rows: s.rows}
	s.out = s.out[:0]
	if !s.wanted.Only {
		for i := range s.count {
			if err := s.put(&s.columns[i]); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.wanted.Columns {
		if err := s.putNamed(&s.wanted.Columns[i]); err != nil {
			return nil, err
		}
	}
	s.batch.Columns = s.out
	return &s.batch, nil
}

// column returns the column of a path in this record, nil for none.
func (s *Sheet) column(path string) *column {
	at, ok := s.tree.paths[path]
	if !ok {
		return nil
	}
	if n := &s.tree.nodes[at]; n.met == s.stamp && n.column >= 0 {
		return &s.columns[n.column]
	}
	return nil
}

// has reports whether there is any column that the models name.
func (s *Sheet) has() bool {
	for i := range s.wanted.Columns {
		if s.column(s.wanted.Columns[i].Name) != nil {
			return true
		}
	}
	return len(s.wanted.Columns) == 0
}

// putNamed adds a column that the models name, unless it is there.
func (s *Sheet) putNamed(w *Named) error {
	c := s.column(w.Name)
	switch {
	case c != nil && s.wanted.Only:
		return s.put(c)
	case c != nil:
		return nil
	}
	if s.count == len(s.columns) {
		s.columns = append(s.columns, column{})
	}
	c = &s.columns[s.count]
	s.count++
	c.cells, c.kinds = c.cells[:0], 0
	return s.fill(c, w.Name, w)
}

// put adds a column of the record.
func (s *Sheet) put(c *column) error {
	n := &s.tree.nodes[c.place]
	if c.kinds&other != 0 {
		s.batch.Skipped = append(s.batch.Skipped, cdf.Skipped{Name: n.path, Type: c.why})
		return nil
	}
	var w *Named
	if n.named >= 0 {
		w = &s.wanted.Columns[n.named]
	}
	return s.fill(c, n.path, w)
}

// fill lays a column out.
func (s *Sheet) fill(c *column, name string, w *Named) error {
	if err := s.charge(CellBytes * (s.rows - len(c.cells))); err != nil {
		return err
	}
	for len(c.cells) < s.rows {
		c.cells = append(c.cells, cell{})
	}
	out := cdf.Column{Name: name, Type: c.is(w)}
	switch {
	case c.moments(w):
		out.Type = cdf.Time
	case out.Type == cdf.Text && c.kinds&^(text|moment) == 0 && c.dates():
		out.Type = cdf.Time
	case out.Type == cdf.Text:
		if err := s.lay(c); err != nil {
			return err
		}
		out.Code, out.Levels = c.code, c.levels
	case out.Type == cdf.Integer:
		c.ints = c.ints[:0]
		for i := range c.cells {
			c.ints = append(c.ints, int64(c.cells[i].bits))
		}
		out.Int = c.ints
		c.numbers()
	default:
		c.numbers()
	}
	if out.Type != cdf.Text {
		out.Number = c.number
	}
	s.out = append(s.out, out)
	return nil
}

// is returns the type of a column by the kinds of its values. One without values
// is of a type that any role takes, where a model names it.
func (c *column) is(w *Named) cdf.ColumnType {
	number := w != nil && w.Number
	switch c.kinds {
	case 0:
		if w == nil || number {
			return cdf.Float
		}
		return cdf.Integer
	case whole:
		if number {
			return cdf.Float
		}
		return cdf.Integer
	case fraction, whole | fraction:
		return cdf.Float
	case truth:
		return cdf.Bool
	case moment:
		return cdf.Time
	}
	return cdf.Text
}

// numbers makes numbers of cells that are numbers.
func (c *column) numbers() {
	c.number = c.number[:0]
	for i := range c.cells {
		c.number = append(c.number, c.cells[i].number())
	}
}

// dates makes numbers of texts that are all dates or times, and reports whether
// they are.
func (c *column) dates() bool {
	c.number = c.number[:0]
	for i := range c.cells {
		v := math.NaN()
		switch c.cells[i].kind {
		case moment:
			v = c.cells[i].number()
		case text:
			var ok bool
			if v, ok = parseTime(c.cells[i].text); !ok {
				return false
			}
		}
		c.number = append(c.number, v)
	}
	return true
}

func (s *Sheet) wantedNames() []string {
	var names []string
	for i := range s.wanted.Columns {
		names = append(names, s.wanted.Columns[i].Name)
	}
	return names
}

// found says what fields the record has instead.
func (s *Sheet) found() string {
	var names []string
	for _, at := range s.tree.nodes[Root].children {
		if n := &s.tree.nodes[at]; n.met == s.stamp {
			names = append(names, n.path)
		}
	}
	if len(names) == 0 {
		return "it has no fields"
	}
	slices.Sort(names)
	return "it has " + listed(names)
}

// listed joins names for a message, the first few of many.
func listed(names []string) string {
	const most = 8
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%.64q", n)
	}
	return strings.Join(quoted, ", ") + more
}
