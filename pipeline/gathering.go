package pipeline

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/gather"
)

// Gathering returns the same rules with rows of a key gathered until they are a shard,
// which is a part of the configuration that state belongs to. A rule that is not on
// changes nothing.
func (r *Rules) Gathering(rule gather.Rule) *Rules {
	other := *r.Reading(rule.Form())
	other.gathering = rule
	return &other
}

// gather adds the rows of a record to those that wait for their key's shard. It returns
// the shard that ends with the record, nil where rows wait after it. A record whose rows
// could not be in a shard is refused by the error, and nothing has changed: what waits is
// not its fault.
func (l *lane) gather(t *task, m *opened, b *cdf.Batch) (whole *cdf.Batch, err error) {
	rule, waiting := l.rules.gathering, m.env.Waiting
	if !rule.On() || waiting == nil && gather.Alone(rule, b) {
		return b, nil
	}
	rows, err := l.join(t, m, b)
	if err != nil {
		return nil, err
	}
	m.env.Waiting = rows
	if !rows.Whole(rule, t.record.Time) {
		return nil, nil
	}
	whole = rows.Batch()
	whole.Time = t.record.Time
	return whole, nil
}

// join puts the rows of a record behind those that wait, once they and the model agree to
// it. What the rows that wait leave for it to be checked against is kept with the model,
// and made again of all of them where the state comes from the store.
func (l *lane) join(t *task, m *opened, b *cdf.Batch) (*gather.Rows, error) {
	f, waiting := m.filter, m.env.Waiting
	if waiting == nil {
		uses, err := guarded(func() ([]cdf.Input, error) { return f.Uses(b) })
		if err != nil {
			return nil, err
		}
		waiting = gather.New(gather.Mark{Offset: t.record.Offset, Time: t.record.Time}, uses)
		if err := waiting.Fits(b); err != nil {
			return nil, err
		}
		if m.checked, err = f.Check(b); err != nil {
			return nil, err
		}
		waiting.Add(b)
		return waiting, nil
	}
	if err := waiting.Fits(b); err != nil {
		return nil, err
	}
	var err error
	if m.checked == nil {
		m.checked, err = f.Check(waiting.Batch())
	}
	if err == nil {
		err = f.CheckBehind(m.checked, b, func(rows []int) *cdf.Batch { return waiting.With(rows, b) })
	}
	if err != nil {
		if _, alone := f.Check(b); alone != nil {
			return nil, alone
		}
		told := waiting.Tell()
		return nil, fmt.Errorf("with the %d rows of this key that wait since offset %d: %w", told.Rows, told.Began.Offset, err)
	}
	waiting.Add(b)
	return waiting, nil
}

// wait ends with a record whose rows wait. Nothing is published.
func (l *lane) wait(t *task, m *opened, rows int, note func(*Envelope)) {
	m.env.pass(t.record, t.entry.state.model == nil)
	t.entry.state.model = m
	m.used++
	note(&m.env)
	l.touch(t.entry)
	t.result.Waiting = int64(rows)
}

// refuseShard makes the record with which a shard ended that cannot be applied a dead
// letter. The rows that waited for it go with it: else they would make every later
// shard fail.
func (l *lane) refuseShard(t *task, m *opened, err error) error {
	told := m.env.Waiting.Tell()
	if told.Rows == 0 || stageOf(err) == "" {
		return l.refuse(t, err)
	}
	err = fmt.Errorf("%w; the shard had %d rows of %d records, of this key from offset %d to %d, and none of them is applied",
		err, told.Rows, told.Records, told.Began.Offset, t.record.Offset)
	if err := l.refuse(t, err); err != nil {
		return err
	}
	l.spill(t, m)
	return nil
}

// spill lets go of the rows that wait.
func (l *lane) spill(t *task, m *opened) {
	m.env.pass(t.record, t.entry.state.model == nil)
	m.env.Waiting, m.checked = nil, nil
	t.entry.state.model = m
	l.touch(t.entry)
}

// condemn makes a record that failed before a dead letter, and lets go of the rows that
// waited for the shard that it may have ended.
func (l *lane) condemn(t *task) error {
	if t.entry == nil || !l.rules.gathering.On() {
		return l.dead(t, StageNumeric, unapplied)
	}
	s := t.entry.state
	if err := l.open(t.entry); err != nil {
		return err
	}
	if s.model == nil || s.model.env.applied(t.record.Offset) || s.model.env.Waiting == nil {
		return l.dead(t, StageNumeric, unapplied)
	}
	told := s.model.env.Waiting.Tell()
	l.spill(t, s.model)
	return l.dead(t, StageNumeric, fmt.Sprintf("%s; %d rows of %d records of this key, from offset %d on, waited for it and are not applied either",
		unapplied, told.Rows, told.Records, told.Began.Offset))
}

// pass notes that a record was applied that ended no shard; begins says that it is the
// first of its key.
func (e *Envelope) pass(r *Record, begins bool) {
	if e.Ended == nil {
		e.Ended = &gather.Mark{Offset: e.Offset, Time: e.Time}
		if begins {
			e.Ended = &gather.Mark{Offset: -1}
		}
	}
	if e.Moved != nil {
		e.Moved = &Moved{e.Moved.Partition, true}
	}
	e.Offset, e.Time = r.Offset, r.Time
}

// end notes that a shard ended with a record.
func (e *Envelope) end(r *Record) {
	e.Offset, e.Time, e.Waiting, e.Ended = r.Offset, r.Time, nil, nil
	e.Moved = nil
}

// ended is where the last shard did.
func (e *Envelope) ended() gather.Mark {
	if e.Ended != nil {
		return *e.Ended
	}
	return gather.Mark{Offset: e.Offset, Time: e.Time}
}

// waits tells of the rows that wait.
func (e *Envelope) waits() gather.Told {
	told := e.Waiting.Tell()
	if told.Rows > 0 {
		told.Last = gather.Mark{Offset: e.Offset, Time: e.Time}
	}
	return told
}
