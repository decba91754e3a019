package pipeline

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
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

// gather adds the rows of a record to those that wait for their key's shard, as the rule
// says: see gather.Rule.
func (l *lane) gather(t *task, m *opened, b *cdf.Batch) (whole *cdf.Batch, err error) {
	at := gather.Mark{Offset: t.record.Offset, Time: t.record.Time}
	return l.rules.gathering.Gather(m.filter, &m.env.Waiting, &m.checked, at, b)
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
	if err := l.refuse(t, told.Lost(t.record.Offset, err)); err != nil {
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
		return l.spoilt(t, "")
	}
	s := t.entry.state
	switch err := l.open(t.entry); {
	case fault.In(err) != nil: // what waits cannot be looked at; it must not hold up the partition for ever
		return l.spoilt(t, "")
	case err != nil:
		return err
	}
	if s.model == nil || s.model.env.applied(t.record.Offset) || s.model.env.Waiting == nil {
		return l.spoilt(t, "")
	}
	told := s.model.env.Waiting.Tell()
	l.spill(t, s.model)
	return l.spoilt(t, fmt.Sprintf("; %d rows of %d records of this key, from offset %d on, waited for it and are not applied either",
		told.Rows, told.Records, told.Began.Offset))
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
