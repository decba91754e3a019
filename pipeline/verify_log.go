package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// verifyBytes is what one fetch asks for.
const verifyBytes = 4 << 20

// recompute takes the keys of the slice through the log: up to the watermark
// all records, beyond it those that were in the stored state when it was read.
func (s *slice) recompute(ctx context.Context, meta Meta) error {
	s.through = meta.Watermark
	for _, w := range s.stored {
		s.through = max(s.through, w.offset+1)
	}
	var l *lane
	part := 0 // of meta.Configured, the next to come into force
	for from := s.from; from < s.through; {
		got, err := s.v.Log.Fetch(ctx, s.p, from, verifyBytes)
		if errors.Is(err, ErrOutOfRange) {
			return fmt.Errorf("the log was trimmed above offset %d while it was read: run again", from)
		}
		if err != nil {
			return err
		}
		for i := range got.Records {
			r := &got.Records[i]
			if r.Offset >= s.through {
				break
			}
			for l == nil || part < len(meta.Configured) && meta.Configured[part].From <= r.Offset {
				if l, err = s.lane(meta.Configured[part]); err != nil {
					return err
				}
				part++
			}
			if err := s.apply(l, meta, r); err != nil {
				return err
			}
		}
		if got.Next == from && len(got.Records) == 0 && got.End <= from {
			return fmt.Errorf("the log ends at offset %d, below the watermark %d: it was truncated or recreated", got.End, meta.Watermark)
		}
		if s.v.Advance != nil && s.only == nil {
			s.v.Advance(float64(min(got.Next, s.through)-from) * float64(s.hi-s.lo) / float64(hashes))
		}
		from = got.Next
	}
	return nil
}

// lane returns one that works under the limits in force from an offset on,
// and takes the models over to it.
func (s *slice) lane(c Configured) (*lane, error) {
	var limits Limits
	if err := json.Unmarshal([]byte(c.Limits), &limits); err != nil {
		return nil, fmt.Errorf("%w: limits recorded from offset %d on: %w", ErrDamaged, c.From, err)
	}
	rules := s.v.Rules.under(limits)
	for key, e := range s.entries {
		stored, err := e.state.kept()
		if err != nil {
			return nil, err
		}
		spec, _ := rules.Match(key)
		e.state = &keyState{spec: spec, stored: stored}
	}
	return &lane{
		part: s.p, rules: rules, work: cdf.NewWorkspace(), decoder: s.v.NewDecoder(limits),
		outputs: silent{}, clock: func() float64 { return 0 },
	}, nil
}

// apply does with a record what a worker did, as far as state is concerned.
func (s *slice) apply(l *lane, meta Meta, r *Record) error {
	key := string(r.Key)
	if r.Refused != nil || checkKey(r.Key) != "" || !s.takes(key) {
		return nil
	}
	if w, ok := s.stored[key]; r.Offset >= meta.Watermark && (!ok || r.Offset > w.offset) {
		return nil // later than what is compared
	}
	e := s.entries[key]
	if e == nil {
		spec, ok := l.rules.Match(key)
		if !ok {
			return nil
		}
		e = &entry{key: key, state: &keyState{spec: spec}}
	}
	before, err := e.state.kept()
	if err != nil {
		return err
	}
	t := task{record: r, entry: e, spec: e.state.spec}
	if err := l.one(&t); errors.Is(err, ErrDamaged) {
		return fmt.Errorf("offset %d: %w", r.Offset, err)
	} else if err != nil {
		// A worker drops its memory and makes the record a dead letter.
		e.state = &keyState{spec: e.state.spec, stored: before}
	}
	l.dirty, l.outs = l.dirty[:0], nil
	e.state.dirty = false
	if e.state.filter == nil && e.state.stored == nil {
		delete(s.entries, key)
		s.add(-e.size)
		return nil
	}
	was := e.size
	e.size = e.state.size(key)
	s.entries[key] = e
	s.add(e.size - was)
	return nil
}

// kept is the value that the state has, also where it was not opened yet.
func (s *keyState) kept() (Stored, error) {
	if s.filter == nil {
		return s.stored, nil
	}
	return s.encode()
}

// silent makes no outputs.
type silent struct{}

func (silent) Posterior(*Posterior, *cdf.Filter, *Record) ([]Output, error) { return nil, nil }
func (silent) Predictions(*Predictions, *Record) ([]Output, error)          { return nil, nil }
func (silent) Tombstone(Partition, *Record) Output                          { return Output{} }
func (silent) Dead(Partition, *Record, Stage, string) Output                { return Output{} }
