package events

import (
	"math"
	"strconv"
	"time"
)

// kinds are the sorts of values that a column has in a record.
type kinds uint8

const (
	whole kinds = 1 << iota
	fraction
	truth
	text
	moment
	other // what cannot be read
)

// cell is a value of a row; without a kind it is null.
type cell struct {
	kind kinds
	bits uint64 // of the int64 or float64 that it is
	text []byte // as it is written, where the format writes it
}

// CellBytes is what a value takes: the cell, and a number or code in one or two
// forms.
const CellBytes = 40 + 16

// column is a column of the record at hand. Its buffers are those of the column at
// this position of the record before.
type column struct {
	place Place
	cells []cell
	kinds kinds
	why   string // other: what it is

	number []float64
	ints   []int64
	code   []int32
	levels []string
}

// set sets a value in the row at hand.
func (s *Sheet) set(at Place, v cell) error {
	n := &s.tree.nodes[s.tree.nodes[at].same]
	if n.met != s.stamp {
		n.met, n.column = s.stamp, -1 // another place of the same path was met
	}
	if n.column < 0 {
		n.column = s.count
		if s.count == len(s.columns) {
			s.columns = append(s.columns, column{})
		}
		c := &s.columns[s.count]
		c.place, c.cells, c.kinds = at, c.cells[:0], 0
		s.count++
	}
	c := &s.columns[n.column]
	if len(c.cells) == s.rows {
		return s.Damaged(at, "is there twice")
	}
	if err := s.charge(CellBytes * (s.rows - len(c.cells))); err != nil {
		return err
	}
	for len(c.cells) < s.rows-1 {
		c.cells = append(c.cells, cell{})
	}
	c.cells = append(c.cells, v)
	c.kinds |= v.kind
	return nil
}

// Null sets a null.
func (s *Sheet) Null(at Place) error { return s.set(at, cell{}) }

// Integer sets a whole number. Written, where not nil, is how the record has it.
func (s *Sheet) Integer(at Place, v int64, written []byte) error {
	return s.set(at, cell{whole, uint64(v), written})
}

// Float sets any other number; NaN is a null.
func (s *Sheet) Float(at Place, v float64, written []byte) error {
	if math.IsNaN(v) {
		return s.Null(at)
	}
	return s.set(at, cell{fraction, math.Float64bits(v), written})
}

// Bool sets a truth value.
func (s *Sheet) Bool(at Place, v bool) error {
	c := cell{kind: truth}
	if v {
		c.bits = 1
	}
	return s.set(at, c)
}

// Text sets a text, which must be UTF-8.
func (s *Sheet) Text(at Place, v []byte) error { return s.set(at, cell{kind: text, text: v}) }

// Time sets a time in seconds since 1970.
func (s *Sheet) Time(at Place, seconds float64) error {
	return s.set(at, cell{kind: moment, bits: math.Float64bits(seconds)})
}

// Skip says that the value at a place is of a type that is not read.
func (s *Sheet) Skip(at Place, what string) error {
	if err := s.set(at, cell{kind: other}); err != nil {
		return err
	}
	n := &s.tree.nodes[s.tree.nodes[at].same]
	s.columns[n.column].why = what
	return nil
}

// Object says that the value at a place is an object, whose fields follow: no
// column, but where a model names it as one.
func (s *Sheet) Object(at Place) error {
	if s.tree.nodes[at].named < 0 {
		return nil
	}
	return s.Skip(at, "object")
}

// number returns the number of a cell that has one.
func (c *cell) number() float64 {
	switch c.kind {
	case 0:
		return math.NaN()
	case whole, truth:
		return float64(int64(c.bits))
	}
	return math.Float64frombits(c.bits)
}

// append appends the text of a cell that is not null.
func (c *cell) append(b []byte) []byte {
	switch {
	case c.text != nil || c.kind == text:
		return append(b, c.text...)
	case c.kind == whole:
		return strconv.AppendInt(b, int64(c.bits), 10)
	case c.kind == truth:
		return strconv.AppendBool(b, c.bits != 0)
	case c.kind == moment:
		if micros := math.Round(c.number() * 1e6); math.Abs(micros) < 1<<62 {
			return time.UnixMicro(int64(micros)).UTC().AppendFormat(b, time.RFC3339Nano)
		}
	}
	return strconv.AppendFloat(b, c.number(), 'g', -1, 64)
}
