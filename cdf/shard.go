package cdf

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf/curved"
	"github.com/credence-stream/credence/cdf/reliability"
	"github.com/credence-stream/credence/cdf/repeated"
	"github.com/credence-stream/credence/cdf/season"
)

// Batch holds the columns of one shard as they arrived, before roles are
// given to them. The slices are views: they are valid until the call that
// they are passed to returns.
type Batch struct {
	Rows    int
	Time    int64 // of the record, milliseconds since 1970: the clock of `forget_per: DURATION`
	Columns []Column
	Skipped []Skipped // columns that arrived in a type that is not read
}

// Skipped names a column that is not in its Batch, and the type it has.
type Skipped struct{ Name, Type string }

// ColumnType says what a column can serve as.
type ColumnType uint8

// The types of columns.
const (
	Float   ColumnType = iota // a number
	Integer                   // a number, a group or a category
	Bool                      // a number (0, 1), a group or a category
	Time                      // a number (seconds since 1970), a group or a category; never a feature by default
	Text                      // a group or a category
)

// Column is one column of a Batch.
type Column struct {
	Name string
	Type ColumnType
	// Number has one value per row, NaN where null. Empty for Text.
	Number []float64
	// Int has the exact values of an Integer column, 0 where null.
	Int []int64
	// Code has, for Text, one index into Levels per row, -1 where null.
	Code   []int32
	Levels []string
}

// Label returns the group or category name of row i and whether it has one:
// the text itself, an integer in decimal, true or false, or a time in UTC, to the
// microsecond: 2011-01-01 where it is midnight, else 2011-01-01T08:30:00Z, with as
// many digits of a second as it has. A Float column has none.
func (c *Column) Label(i int) (string, bool) {
	switch c.Type {
	case Float:
		return "", false
	case Text:
		if c.Code[i] < 0 {
			return "", false
		}
		return c.Levels[c.Code[i]], true
	}
	return string(c.appendLabel(nil, i)), !math.IsNaN(c.Number[i])
}

// appendLabel appends the label of a row that has one, of a column that is not
// Text.
func (c *Column) appendLabel(b []byte, i int) []byte {
	switch c.Type {
	case Bool:
		return strconv.AppendBool(b, c.Number[i] != 0)
	case Time:
		return appendTime(b, c.Number[i])
	default:
		return strconv.AppendInt(b, c.Int[i], 10)
	}
}

// CheckLabels returns ErrSchema, wrapped, where numbers of a Float column stand where labels or, in the
// role "time", steps belong. One without any value lacks them in every row, as one of another type would.
func (c *Column) CheckLabels(role string) error {
	if c.Type != Float || !slices.ContainsFunc(c.Number, func(v float64) bool { return !math.IsNaN(v) }) {
		return nil
	}
	are := "labels are text, integers below 2^63, booleans, dates or times"
	if role == "time" {
		are = "steps are integers below 2^63 or dates"
	}
	return fmt.Errorf("%w: %s column %q holds %s; %s", ErrSchema, role, c.Name, c.Type.Words(), are)
}

// Shard is D_t, the rows of one key that advance its model together, with
// roles given and scaling done. The slices are views, valid until the call
// that they are passed to returns. Rows with a null feature, group or
// exposure are not in it.
type Shard struct {
	Rows, Cols int
	Y          []float64 // Rows; NaN: the row is predicted (dlm: a missing observation), not absorbed
	X          []float64 // Rows x Cols, row-major, the intercept first where there is one
	// Finite says that X is known to have finite numbers only, so that nobody need look. False says nothing.
	Finite bool
	// Group has, per grouping factor, Rows indices into the key's levels of
	// that factor in order of first appearance. An index above those that the
	// model has absorbed, or -1 where the row has no response, is an unseen group.
	Group  [][]int32
	Slopes [][]float64 // per slope of every factor, in their order: Rows values, centred and scaled
	Offset []float64   // Rows, log exposure; nil: none
	Time   []int64     // Rows, dlm's steps; nil: each row is a step
	// Forget is the discount that the shard will bring when it is absorbed, in
	// (0, 1], for predictions that begin with it; 1 where none is known.
	Forget float64
	// Inner asks Predict for Prediction.Inner too, where it costs more than a little, and
	// leaves it to the model whether quantiles of the line are found.
	Inner bool
	// Glance tells Score that nothing is asked of it but Score.Wild, so that it may leave out rows that are surely not wild.
	Glance bool
	// Serial tells the rows of a shard that is to be absorbed from all others of the process, so
	// that a model may absorb with what Score found of them; 0 tells nothing.
	Serial uint64
	// Reliability, where it is not nil, is what Score of a model of two classes tells of the rows.
	Reliability *reliability.Shard
	// Curved, where it is not nil, is what Score of a model whose columns may lack a curve tells of the rows.
	Curved *curved.Shard
	// Season, where it is not nil, is what Score of a time series tells of the steps and rows.
	Season *season.Shard
}

// Observed returns the number of rows that have a response.
func (s *Shard) Observed() int {
	n := 0
	for _, y := range s.Y {
		if !math.IsNaN(y) {
			n++
		}
	}
	return n
}

// print returns what tells the shard from others: the responses of all admitted rows and the columns
// of the first and the last, in any order, in the units that they came in. density is as of repeated.Bits. A row of a time column
// comes once.
func (in *intake) print(density float64) (sh repeated.Shard) {
	if in.at.y < 0 || in.at.time >= 0 {
		return sh
	}
	y := in.responses()
	if sh.Bits = repeated.Bits(y, density); !(sh.Bits >= repeated.Least) {
		return sh
	}
	h, at := repeated.Numbers(y), in.at
	for _, row := range [...]int32{in.rows[0], in.rows[len(in.rows)-1]} {
		sum := h
		for _, columns := range [...][]int{at.sources, at.groups, at.slopes} {
			for _, i := range columns {
				sum += in.batch.Columns[i].print(h, int(row))
			}
		}
		if at.exposure >= 0 {
			sum += in.batch.Columns[at.exposure].print(h, int(row))
		}
		h = h.Word(uint64(sum))
	}
	sh.Print = h.Print()
	return sh
}

// responses returns those of the admitted rows that have one.
func (in *intake) responses() []float64 {
	y := in.batch.Columns[in.at.y].Number
	if !in.lost && !in.silent {
		return y
	}
	in.heard, in.heardAt = in.heard[:0], in.heardAt[:0]
	for _, row := range in.rows {
		if v := y[row]; !math.IsNaN(v) {
			in.heard, in.heardAt = append(in.heard, v), append(in.heardAt, row)
		}
	}
	return in.heard
}

// table lays out the admitted rows with a response for comparison, in the units that they came in.
func (in *intake) table(t *repeated.Table) {
	t.Y, t.At, t.Rows, t.Ends = in.responses(), nil, in, [2][]float64{}
	if in.lost || in.silent {
		t.At = in.heardAt
	}
	for _, columns := range [...][]int{in.at.sources, in.at.slopes} {
		for _, i := range columns {
			if c := &in.batch.Columns[i]; c.Type == Text {
				continue
			} else if t.Ends[0] == nil {
				t.Ends[0] = c.Number
			} else {
				t.Ends[1] = c.Number
			}
		}
	}
}

// SameColumns reports whether two rows of the batch have the same columns.
func (in *intake) SameColumns(i, j int32) bool {
	for _, columns := range [...][]int{in.at.sources, in.at.groups, in.at.slopes} {
		for _, k := range columns {
			if c := &in.batch.Columns[k]; c.Type == Text && c.Code[i] != c.Code[j] || c.Type != Text && c.Number[i] != c.Number[j] {
				return false
			}
		}
	}
	return true
}

// Columns fills in hashes of the columns of the rows that a table has.
func (in *intake) Columns(dst []uint64) {
	clear(dst)
	at := []int32(nil)
	if in.lost || in.silent {
		at = in.heardAt
	}
	for _, columns := range [...][]int{in.at.sources, in.at.groups, in.at.slopes} {
		for _, k := range columns {
			c := &in.batch.Columns[k]
			if c.Type != Text {
				repeated.HashNumbers(dst, c.Number, at)
				continue
			}
			in.hashed = slices.Grow(in.hashed[:0], len(c.Levels)+1)[:len(c.Levels)+1] // 0: not yet, or none
			clear(in.hashed)
			for i := range dst {
				row := i
				if at != nil {
					row = int(at[i])
				}
				code := max(c.Code[row], -1)
				level := &in.hashed[code+1]
				if code >= 0 && *level == 0 {
					*level = uint64(repeated.Hash(0).Text(c.Levels[code]))
				}
				dst[i] = uint64(repeated.Hash(dst[i]).Word(*level))
			}
		}
	}
}

// print returns a hash with the value of a row.
func (c *Column) print(h repeated.Hash, row int) repeated.Hash {
	if c.Type != Text {
		return h.Number(c.Number[row])
	}
	if code := c.Code[row]; code >= 0 {
		return h.Text(c.Levels[code])
	}
	return h.Word(0)
}
