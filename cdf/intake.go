package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// dropped says why a row is not used.
type dropped uint8

const (
	used     dropped = iota
	unlisted         // its level is not listed and `other: drop`
	null
)

// cause is what a row is dropped for.
type cause struct {
	column int32 // of the batch
	why    dropped
}

// intake decides which rows of a batch are used and lays them out as a
// shard. Its buffers are reused from shard to shard.
type intake struct {
	batch   *Batch
	at      *layout
	made    Derivation // of the batch's columns from those of raw, nil: they are as they came
	raw     *Batch
	drop    []dropped // per row of the batch
	cause   []cause   // per row that is dropped, the first
	lost    bool      // one was dropped
	silent  bool      // a number is missing in the response
	rows    []int32   // admitted rows of the batch, ascending
	all     []int32   // 0, 1, ...: the rows where none was dropped
	some    []int32   // the rows where one was
	hot     [][]int32 // per source: categorical, the column of X per row of the batch
	labels  labels
	heard   []float64 // responses, where rows lack them or are left out
	hashed  []uint64  // levels of a column
	heardAt []int32   // rows of the batch that have them

	// presumes says that all numbers of features are finite, as those of nearly all shards are: who lays the
	// rows out sees whether they are, so that each is read once.
	presumes bool
	careful  int // of how many shards to come nothing is presumed
}

// observed reports whether a row of the batch has a response.
func (in *intake) observed(row int) bool {
	if in.at.y < 0 {
		return false
	}
	y := in.batch.Columns[in.at.y].Number[row]
	return !math.IsNaN(y)
}

// wary is of how many shards nothing is presumed after one that was not as presumed.
const wary = 16

// lay admits the rows of a batch and lays them out in to, scaled by the constants in force. It has the errors of
// both.
func (in *intake) lay(to *rows, f *Filter, at *layout, b, raw *Batch, grow bool) error {
	s := &f.now
	if in.presumes = in.careful == 0; in.presumes {
		err := in.admit(f.spec, s.design, at, b, raw)
		if err == nil && !in.lost {
			err = to.fill(in, f.spec, s.design, s.factors, &s.scaling, grow)
			if in.presumes = false; !errors.Is(err, errNotFinite) {
				return err
			}
		}
		// What refuses a shard or drops its rows is told in the order of the columns: all of them are looked at.
		in.presumes, in.careful = false, wary
	} else {
		in.careful--
	}
	if err := in.admit(f.spec, s.design, at, b, raw); err != nil {
		return err
	}
	return to.fill(in, f.spec, s.design, s.factors, &s.scaling, grow)
}

// admit checks every used value of the batch, which a formula may have made of the
// raw one. Afterwards rows holds the rows without a null in feature, group, exposure or
// time. ErrShard says what refuses the whole shard.
func (in *intake) admit(spec *Spec, d *design, at *layout, b, raw *Batch) error {
	if b.Rows == 0 {
		return fmt.Errorf("%w: no rows", ErrShard)
	}
	if limit := spec.Limits.Rows; limit > 0 && b.Rows > limit {
		return fmt.Errorf("%w: %d rows, the limit is %d", ErrShard, b.Rows, limit)
	}
	in.batch, in.at = b, at
	in.made, in.raw = d.made, raw
	in.drop = slices.Grow(in.drop[:0], b.Rows)[:b.Rows]
	in.cause = slices.Grow(in.cause[:0], b.Rows)[:b.Rows]
	clear(in.drop)
	in.lost, in.silent = false, at.y < 0
	if len(in.hot) < len(d.sources) {
		in.hot = append(in.hot, make([][]int32, len(d.sources)-len(in.hot))...)
	}
	if at.y >= 0 {
		if err := in.numbers(at.y, false); err != nil {
			return err
		}
	}
	for i := range d.sources {
		s, c := &d.sources[i], at.sources[i]
		var err error
		if s.categorical {
			in.hot[i], err = in.levels(in.hot[i], s, c)
		} else if in.presumes {
			err = in.sized(&b.Columns[c])
		} else {
			err = in.numbers(c, true)
		}
		if err != nil {
			return err
		}
	}
	for _, i := range at.slopes {
		if err := in.numbers(i, true); err != nil {
			return err
		}
	}
	for _, i := range [...]int{at.exposure, at.time} {
		if i < 0 {
			continue
		}
		if err := in.numbers(i, true); err != nil {
			return err
		}
	}
	if at.time >= 0 {
		if err := dated(&b.Columns[at.time]); err != nil {
			return err
		}
	}
	if at.exposure >= 0 {
		if err := positive(&b.Columns[at.exposure]); err != nil {
			return err
		}
	}
	for _, i := range at.groups {
		c := &b.Columns[i]
		if err := in.labelling(c); err != nil {
			return err
		}
		if spec.Missing == "level" {
			continue // it is a group: see enrol
		}
		for row := range b.Rows {
			if c.Type == Text && c.Code[row] < 0 || c.Type != Text && math.IsNaN(c.Number[row]) {
				in.lose(row, i, null)
			}
		}
	}
	if !in.lost {
		for row := len(in.all); row < b.Rows; row++ {
			in.all = append(in.all, int32(row))
		}
		in.rows = in.all[:b.Rows]
		return nil
	}
	return in.list(spec)
}

// lose drops a row, which may have been dropped, for a column of the batch.
func (in *intake) lose(row, column int, why dropped) {
	if in.drop[row] == used {
		in.cause[row] = cause{int32(column), why}
	}
	in.drop[row] = max(in.drop[row], why)
	in.lost = true
}

// list makes the list of the rows that are left. ErrShard: one is missing that must
// not.
func (in *intake) list(spec *Spec) error {
	in.some = in.some[:0]
	for row, drop := range in.drop {
		if drop == used {
			in.some = append(in.some, int32(row))
		} else if drop == null && spec.Missing == "reject" {
			column, reason := in.reason(row)
			if reason == DropUndefined {
				return fmt.Errorf("%w: %q is not a finite number in row %d", ErrShard, column, row+1)
			}
			return fmt.Errorf("%w: column %q is null in row %d", ErrShard, column, row+1)
		}
	}
	in.rows = in.some
	return nil
}

// dated refuses times of day, and times without a date, where steps are counted.
func dated(c *Column) error {
	if err := c.CheckTimes(); err != nil {
		return err
	}
	for i, v := range c.Number {
		if c.Type == Time && !math.IsNaN(v) && !midnight(v) {
			return fmt.Errorf("%w: time column %q has a time of day in row %d; the steps of a model are integers or dates: "+
				"count the steps in a column of integers", ErrShard, c.Name, i+1)
		}
	}
	return nil
}

func positive(c *Column) error {
	for i, v := range c.Number {
		if v <= 0 {
			return fmt.Errorf("%w: exposure column %q is not positive in row %d", ErrShard, c.Name, i+1)
		}
	}
	return nil
}

// numbersOf returns the numbers of the admitted rows from to to of a column; where
// rows were dropped, in room.
func (in *intake) numbersOf(v []float64, from, to int, room []float64) []float64 {
	if !in.lost {
		return v[from:to]
	}
	for k, row := range in.rows[from:to] {
		room[k] = v[row]
	}
	return room[:to-from]
}

// numbers refuses infinite values and drops the rows of nulls, but for those of the
// response.
func (in *intake) numbers(column int, feature bool) error {
	c := &in.batch.Columns[column]
	if err := in.sized(c); err != nil {
		return err
	}
	if vec.Finite(c.Number) {
		return nil
	}
	for i, v := range c.Number {
		if v-v == 0 { // finite, of which an infinite value and NaN make NaN
			continue
		}
		if !math.IsNaN(v) {
			return fmt.Errorf("%w: column %q is infinite in row %d", ErrShard, c.Name, i+1)
		}
		if feature {
			in.lose(i, column, null)
		} else {
			in.silent = true
		}
	}
	return nil
}

// labelling refuses a column whose values are no labels.
func (in *intake) labelling(c *Column) error {
	if err := in.sized(c); err != nil {
		return err
	}
	return c.CheckTimes()
}

// sized refuses a column that does not have one value per row.
func (in *intake) sized(c *Column) error {
	n := len(c.Number)
	switch c.Type {
	case Text:
		n = len(c.Code)
	case Integer:
		n = min(n, len(c.Int))
	}
	if n != in.batch.Rows {
		return fmt.Errorf("%w: column %q has %d values for %d rows", ErrShard, c.Name, n, in.batch.Rows)
	}
	return nil
}

// levels fills dst with the column of X of every row's level and marks the
// rows that have none.
func (in *intake) levels(dst []int32, s *source, at int) ([]int32, error) {
	c := &in.batch.Columns[at]
	if err := in.labelling(c); err != nil {
		return dst, err
	}
	dst = slices.Grow(dst[:0], in.batch.Rows)[:in.batch.Rows]
	in.labels.begin(c)
	for row := range dst {
		column, ok := in.labels.at(c, row, s.column, s.other)
		switch {
		case !ok && s.gap >= 0:
			column = s.gap
		case !ok:
			in.lose(row, at, null)
		case column == otherDrop:
			in.lose(row, at, unlisted)
		case column == otherFail:
			label, _ := c.Label(row)
			return dst, fmt.Errorf("%w: level %q of column %q in row %d is not listed", ErrShard, label, c.Name, row+1)
		}
		dst[row] = column
	}
	return dst, nil
}

// count returns the admitted rows that have a response.
func (in *intake) count() int {
	if !in.silent {
		return len(in.rows)
	}
	if in.at.y < 0 {
		return 0
	}
	n, y := 0, in.batch.Columns[in.at.y].Number
	for _, row := range in.rows {
		if !math.IsNaN(y[row]) {
			n++
		}
	}
	return n
}
