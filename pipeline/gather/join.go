package gather

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// Gather adds the rows of a record at a place in the log to those that wait for the shard
// of its key, whose filter is f. It returns the shard that ends with the record, nil where
// rows wait after it. A record whose rows could not be in a shard is refused by the error,
// and nothing has changed: what waits is not its fault. Where the rule is not on each
// record is a shard.
//
// What the rows that wait leave for more to be checked against is kept in checked, and
// made again of all of them where that is nil, as after the state was loaded. The
// caller sets both to nil once the shard was absorbed or let go.
func (r Rule) Gather(f *cdf.Filter, waiting **Rows, checked **cdf.Checked, at Mark, b *cdf.Batch) (whole *cdf.Batch, err error) {
	if !r.On() || *waiting == nil && alone(r, b) {
		return b, nil
	}
	if *waiting == nil {
		err = begin(f, waiting, checked, at, b)
	} else {
		err = join(f, *waiting, checked, b)
	}
	if err != nil {
		return nil, err
	}
	rows := *waiting
	rows.Add(b)
	if !rows.Whole(r, at.Time) {
		return nil, nil
	}
	whole = rows.Batch()
	whole.Time = at.Time
	return whole, nil
}

// begin makes rows that wait, none so far, for the first record of a shard, once the model
// agrees to it.
func begin(f *cdf.Filter, waiting **Rows, checked **cdf.Checked, at Mark, b *cdf.Batch) error {
	uses, err := f.Uses(b)
	if err != nil {
		return err
	}
	rows := New(at, uses)
	if err := rows.Fits(b); err != nil {
		return err
	}
	first, err := f.Check(b)
	if err != nil {
		return err
	}
	*waiting, *checked = rows, first
	return nil
}

// join says whether the rows that wait and the model agree to those of a record.
func join(f *cdf.Filter, waiting *Rows, checked **cdf.Checked, b *cdf.Batch) error {
	if err := waiting.Fits(b); err != nil {
		return err
	}
	var err error
	if *checked == nil {
		*checked, err = f.Check(waiting.Batch())
	}
	if err == nil {
		err = f.CheckBehind(*checked, b, func(rows []int) *cdf.Batch { return waiting.With(rows, b) })
	}
	if err == nil {
		return nil
	}
	if _, alone := f.Check(b); alone != nil {
		return alone
	}
	told := waiting.Tell()
	return fmt.Errorf("with the %d rows of this key that wait since offset %d: %w", told.Rows, told.Began.Offset, err)
}

// Lost is the error for which a shard is refused that ended with the record at an offset,
// and says what goes with it.
func (t Told) Lost(offset int64, err error) error {
	return fmt.Errorf("%w; the shard had %d rows of %d records, of this key from offset %d to %d, and none of them is applied",
		err, t.Rows, t.Records, t.Began.Offset, offset)
}
