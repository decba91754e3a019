package cdf

import "fmt"

// Check says whether Update would admit the rows of b, and changes nothing: ErrSchema
// and ErrShard, wrapped, say what it would refuse them for, and ErrNumeric is a panic
// of the model. That the arithmetic succeeds on them it cannot say.
//
// Apart says more: together with other rows that Check admitted apart from this state,
// in one batch of no more than Limits.Rows, these are admitted too, whatever
// their order. Where it is false that has to be checked of all of them: the key has no
// columns yet, its rows are steps in time, or some are of a group that is new.
func (f *Filter) Check(b *Batch) (apart bool, err error) {
	if f.broken != nil {
		return false, f.broken
	}
	back := f.save()
	defer func() {
		if p := recover(); p != nil {
			apart, err = false, fmt.Errorf("%w: panic: %v", ErrNumeric, p)
		}
		f.dismiss(&back)
	}()
	if _, err := f.admit(b); err != nil {
		return false, fmt.Errorf("shard %d: %w", f.now.t+1, err)
	}
	return back.engine != nil && !f.spec.Steps && f.spec.Columns.Time == "" && !f.grown(&back), nil
}

// Uses returns the columns that shards of the key are made of, as Inputs does. Before
// the first shard they are those that it would have if it were b; ErrSchema and
// ErrShard: see Update.
func (f *Filter) Uses(b *Batch) ([]Input, error) {
	if f.now.design != nil {
		return f.Inputs(), nil
	}
	back := f.save()
	defer f.dismiss(&back)
	if err := f.begin(b); err != nil {
		return nil, fmt.Errorf("shard %d: %w", f.now.t+1, err)
	}
	return f.Inputs(), nil
}

// grown reports whether groups have joined since.
func (f *Filter) grown(back *undo) bool {
	for i := range f.now.factors {
		if len(f.now.factors[i].levels) > back.levelsOf(i) {
			return true
		}
	}
	return false
}

// dismiss takes back what admitting a shard has changed.
func (f *Filter) dismiss(back *undo) {
	if back.engine != nil {
		for i := range f.now.factors {
			f.now.factors[i].truncate(back.levelsOf(i))
		}
		return
	}
	// The next shard that is admitted begins in the memory of this one.
	spare := &f.ws.spare
	spare.rows = f.now.scaling.raw
	spare.take(&f.now, f.engine)
	f.now, f.engine = back.state, nil
	f.update, f.asked = layout{}, layout{}
	f.outdated()
}
