package gather

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// use says what a column serves as.
type use uint8

const (
	number use = 1 << iota
	label
	step // of time: integers or dates
)

func useOf(in *cdf.Input) use {
	switch {
	case in.Category:
		return label
	case in.Role == "time":
		return step
	}
	return number
}

// column is one of the rows' columns. Its slices and strings are its own.
type column struct {
	cdf.Column
	use   use
	some  bool             // a value is there
	text  int              // bytes of the levels
	codes map[string]int32 // of the levels, nil until it is needed
}

// joined returns the type of a column that goes on with another one's values. What one
// event has as a whole number and the next one with a fraction are numbers, and labels of
// two types are text; a column without values is of any type. A step, or a number
// that is a label too, must stay what it is.
func (c *column) joined(more *cdf.Column) (cdf.ColumnType, bool) {
	switch {
	case c.Type == more.Type || blank(more):
		return c.Type, true
	case !c.some:
		return more.Type, true
	case c.use == number && c.Type != cdf.Text && more.Type != cdf.Text:
		return cdf.Float, true
	case c.use == label && c.Type != cdf.Float && more.Type != cdf.Float:
		return cdf.Text, true
	}
	return c.Type, false
}

// blank reports whether every value is missing.
func blank(c *cdf.Column) bool {
	for _, v := range c.Number {
		if !math.IsNaN(v) {
			return false
		}
	}
	for _, code := range c.Code {
		if code >= 0 {
			return false
		}
	}
	return true
}

// add appends the values of another column, which it can be joined with.
func (c *column) add(more *cdf.Column) {
	kind, _ := c.joined(more)
	if kind != c.Type {
		c.become(kind)
	}
	n := len(more.Number) + len(more.Code)
	for i := range n {
		c.put(more, i)
	}
	c.some = c.some || !blank(more)
}

// become changes the type and the values that are there.
func (c *column) become(kind cdf.ColumnType) {
	was := c.Column
	c.Column = cdf.Column{Name: was.Name, Type: kind}
	c.text, c.codes = 0, nil
	for i := range len(was.Number) + len(was.Code) {
		c.put(&was, i)
	}
}

// put appends a value of another column in the type of this one.
func (c *column) put(from *cdf.Column, i int) {
	if c.Type == cdf.Text {
		c.Code = append(c.Code, c.code(from, i))
		return
	}
	v, whole := math.NaN(), int64(0)
	if from.Type != cdf.Text { // else it is missing
		v = from.Number[i]
	}
	if c.Type == cdf.Integer && from.Type == cdf.Integer {
		whole = from.Int[i]
	}
	c.Number = append(c.Number, v)
	if c.Type == cdf.Integer {
		c.Int = append(c.Int, whole)
	}
}

// code returns the code of a value's label, -1 where it is missing.
func (c *column) code(from *cdf.Column, i int) int32 {
	if from.Type == cdf.Float || from.Type != cdf.Text && math.IsNaN(from.Number[i]) {
		return -1
	}
	text, ok := from.Label(i)
	if !ok {
		return -1
	}
	if c.codes == nil {
		c.codes = make(map[string]int32, len(c.Levels))
		for code, level := range c.Levels {
			c.codes[level] = int32(code)
		}
	}
	code, ok := c.codes[text]
	if !ok {
		text = string([]byte(text)) // the batch is a view
		code = int32(len(c.Levels))
		c.Levels, c.codes[text] = append(c.Levels, text), code
		c.text += len(text)
	}
	return code
}

// bytes is what n values and the labels take.
func (c *column) bytes(n int) int {
	switch c.Type {
	case cdf.Text:
		return 4*n + 16*len(c.Levels) + c.text
	case cdf.Integer:
		return 16 * n
	}
	return 8 * n
}

// columnOverhead is what a column takes without values, labelOverhead what a label takes
// beside its bytes, with its place in the map.
const (
	columnOverhead = 168
	labelOverhead  = 16 + 40
)

func (c *column) size() int64 {
	return columnOverhead + int64(len(c.Name)+8*cap(c.Number)+8*cap(c.Int)+4*cap(c.Code)+labelOverhead*cap(c.Levels)+c.text)
}

// lacks says why a batch has no such column.
func (c *column) lacks(r *Rows, b *cdf.Batch) error {
	for _, s := range b.Skipped {
		if s.Name == c.Name {
			return fmt.Errorf("%w: column %q has type %s, which is not read", cdf.ErrSchema, c.Name, s.Type)
		}
	}
	return fmt.Errorf("%w: column %q is missing, which the rows that wait since offset %d have", cdf.ErrSchema, c.Name, r.began.Offset)
}

func (c *column) differs(from *cdf.Column, r *Rows) error {
	return fmt.Errorf("%w: column %q holds %s, and in the rows that wait since offset %d %s", cdf.ErrSchema,
		c.Name, from.Type.Words(), r.began.Offset, c.Type.Words())
}
