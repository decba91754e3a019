package cdftest

import (
	"errors"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// checked holds Filter.Check against Update: shards that are whole, wrong, or one row
// with a response that a model may not take.
func checked(s Suite) error {
	shards := s.Shards(21, 26)
	_, want, err := run(s.New(), shards)
	if err != nil {
		return err
	}
	spec := s.New()
	f := cdf.NewFilter(spec, key)
	for i, b := range shards {
		odd := oddities(spec, b)
		for name, odd := range odd {
			if err := checkedOnce(f, odd); err != nil {
				return fmt.Errorf("%s before shard %d: %w", name, i+1, err)
			}
		}
		if i%5 == 0 && b.Rows > 0 {
			if err := checkedBehind(f, events(b, odd)); err != nil {
				return fmt.Errorf("before shard %d: %w", i+1, err)
			}
		}
		if _, err := f.Check(b); err != nil {
			return fmt.Errorf("shard %d is refused: %w", i+1, err)
		}
		if _, err := f.Update(b); err != nil {
			return fmt.Errorf("shard %d: %w", i+1, err)
		}
		snap, err := f.AppendBinary(nil)
		if err != nil {
			return err
		}
		if err := same(fmt.Sprintf("shard %d after checks", i+1), snap, want[i]); err != nil {
			return err
		}
	}
	return nil
}

// oddities are shards that were not meant for the model.
func oddities(spec *cdf.Spec, good *cdf.Batch) map[string]*cdf.Batch {
	all := refused(spec, good)
	y := response(spec, good)
	for _, v := range []float64{-1, -.5, 0, .5, 1, 2, 3e9, math.NaN()} {
		all[fmt.Sprintf("the response %v", v)] = edited(good, func(b *cdf.Batch) {
			for i := range b.Columns[y].Number {
				b.Columns[y].Number[i] = v
			}
		})
	}
	return all
}

// checkedOnce compares a check with an update of a copy of the filter.
func checkedOnce(f *cdf.Filter, b *cdf.Batch) error {
	before, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	_, wrong := f.Check(b)
	after, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := same("a check", after, before); err != nil {
		return err
	}
	_, err = f.Update(b)
	if err == nil {
		err = f.Revert()
	} else if !errors.Is(err, cdf.ErrNumeric) {
		if wrong == nil || wrong.Error() != err.Error() {
			return fmt.Errorf("Check says %q, and Update %q", text(wrong), text(err))
		}
		return nil
	}
	if wrong != nil {
		return fmt.Errorf("Check says %q, and Update takes it", text(wrong))
	}
	if errors.Is(err, cdf.ErrNumeric) {
		return nil
	}
	return err
}

// events are batches of a row or few with the columns of a shard, in an order that some
// models refuse.
func events(b *cdf.Batch, odd map[string]*cdf.Batch) (list []*cdf.Batch) {
	for row := range min(b.Rows, 5) {
		list = append(list, rowsOf(b, row))
	}
	for _, name := range []string{"infinite response", "the response 0", "the response 2", "the response NaN", "the response -0.5"} {
		list = append(list, rowsOf(odd[name], b.Rows-1), rowsOf(odd[name], 0))
	}
	return append(list, b, rowsOf(b, b.Rows-1))
}

// rowsOf is a copy of some rows of a batch.
func rowsOf(b *cdf.Batch, rows ...int) *cdf.Batch {
	return edited(b, func(c *cdf.Batch) {
		c.Rows = len(rows)
		for i := range c.Columns {
			from, to := &b.Columns[i], &c.Columns[i]
			to.Number, to.Int, to.Code = nil, nil, nil
			for _, row := range rows {
				switch from.Type {
				case cdf.Text:
					to.Code = append(to.Code, from.Code[row])
				case cdf.Integer:
					to.Int = append(to.Int, from.Int[row])
				}
				if from.Type != cdf.Text {
					to.Number = append(to.Number, from.Number[row])
				}
			}
		}
	})
}

// checkedBehind compares checks of batches one behind the other, which are refused or
// wait, with updates of all that wait and the next one.
func checkedBehind(f *cdf.Filter, list []*cdf.Batch) error {
	var waiting *cdf.Batch
	var c *cdf.Checked
	for i, b := range list {
		all, wrong := b, error(nil)
		if waiting == nil {
			c, wrong = f.Check(b)
		} else {
			all = joined([]*cdf.Batch{waiting, b})
			wrong = f.CheckBehind(c, b, func(rows []int) *cdf.Batch { return joined([]*cdf.Batch{rowsOf(waiting, rows...), b}) })
		}
		_, err := f.Update(all)
		if err == nil {
			if err := f.Revert(); err != nil {
				return err
			}
		}
		if errors.Is(err, cdf.ErrNumeric) {
			err = nil
		}
		if (wrong == nil) != (err == nil) {
			return fmt.Errorf("event %d of %d behind others: CheckBehind says %q, and Update of all %q", i+1, len(list), text(wrong), text(err))
		}
		if wrong == nil {
			waiting = all
		}
	}
	return nil
}
