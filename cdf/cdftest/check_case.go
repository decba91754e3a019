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
		var apart []*cdf.Batch
		for name, odd := range oddities(spec, b) {
			ok, err := checkedOnce(f, odd)
			if err != nil {
				return fmt.Errorf("%s before shard %d: %w", name, i+1, err)
			}
			if ok && odd.Rows > 0 && i > 0 {
				apart = append(apart, odd)
			}
		}
		if len(apart) > 0 {
			all := joined(append(apart, apart...))
			if _, err := f.Check(all); err != nil {
				return fmt.Errorf("shard %d: %d rows are admitted apart, and not together: %w", i+1, all.Rows, err)
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
func checkedOnce(f *cdf.Filter, b *cdf.Batch) (apart bool, err error) {
	before, err := f.AppendBinary(nil)
	if err != nil {
		return false, err
	}
	apart, wrong := f.Check(b)
	after, err := f.AppendBinary(nil)
	if err != nil {
		return false, err
	}
	if err := same("a check", after, before); err != nil {
		return false, err
	}
	_, err = f.Update(b)
	if err == nil {
		err = f.Revert()
	} else if !errors.Is(err, cdf.ErrNumeric) {
		if wrong == nil || wrong.Error() != err.Error() {
			return false, fmt.Errorf("Check says %q, and Update %q", text(wrong), text(err))
		}
		return false, nil
	}
	if wrong != nil {
		return false, fmt.Errorf("Check says %q, and Update takes it", text(wrong))
	}
	if errors.Is(err, cdf.ErrNumeric) {
		return apart, nil
	}
	return apart, err
}
