package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// verifyBytes is what one fetch asks for.
const verifyBytes = 4 << 20

// recompute takes the keys of the slice through the log: up to the watermark
// all records, beyond it those that were in the stored state when it was read.
func (s *slice) recompute(ctx context.Context, meta pipeline.Meta) error {
	s.through = meta.Watermark
	for _, w := range s.stored {
		s.through = max(s.through, w.offset+1)
	}
	w := walk{p: s.p, from: pipeline.Position{Offset: s.from, Topic: s.topic}, through: s.through, configured: meta.Configured, under: s.under,
		apply: func(r *reading, record *pipeline.Record) error { return s.apply(r.recomputer, meta, record) }}
	if s.v.Advance != nil && s.only == nil {
		w.advance = func(n int64) { s.v.Advance(float64(n) * float64(s.hi-s.lo) / float64(hashes)) }
	}
	return w.run(ctx)
}

// walk goes through a part of a partition's log as workers did: under the limits that
// were in force at each offset.
type walk struct {
	p          pipeline.Partition
	from       pipeline.Position
	through    int64 // offset after the last
	configured []pipeline.Configured
	under      func(pipeline.Configured) (*reading, error)
	apply      func(*reading, *pipeline.Record) error
	advance    func(offsets int64) // nil: nobody asks
}

func (w *walk) run(ctx context.Context) error {
	var r *reading
	part := 0 // of configured, the next to come into force
	for at := w.from; at.Offset < w.through; {
		from, until := at.Offset, w.through
		for ; part < len(w.configured) && (r == nil || w.configured[part].From <= from); part++ {
			var err error
			if r, err = w.under(w.configured[part]); err != nil {
				return err
			}
		}
		if part < len(w.configured) {
			until = min(until, w.configured[part].From)
		}
		got, err := r.log.Follow(ctx, w.p, at, verifyBytes, nil)
		if errors.Is(err, pipeline.ErrOutOfRange) {
			return fmt.Errorf("the log was trimmed above offset %d while it was read: run again", from)
		}
		if err != nil {
			return err
		}
		for i := range got.Records {
			record := &got.Records[i]
			if record.Offset >= until { // the rest is read again, under other limits
				got.Next = record.Offset
				break
			}
			if err := w.apply(r, record); err != nil {
				return err
			}
		}
		if got.Next == from && len(got.Records) == 0 && got.End <= from {
			return fmt.Errorf("the log ends at offset %d, below offset %d: it was truncated or recreated", got.End, w.through)
		}
		if w.advance != nil {
			w.advance(min(got.Next, w.through) - from)
		}
		at = at.After(&got)
	}
	return nil
}

// reading is how a worker read and applied the log under some limits.
type reading struct {
	log        pipeline.Log
	recomputer *pipeline.Recomputer
}

// under goes on under the limits in force from an offset on, and takes the
// states over to them.
func (s *slice) under(recorded pipeline.Configured) (*reading, error) {
	limits, err := recorded.ReadLimits()
	if err != nil {
		return nil, err
	}
	r := &reading{recomputer: s.v.Rules.NewRecomputer(s.p, limits, s.v.NewDecoder(limits), s.v.NewOutputs(limits))}
	if r.log, err = s.v.NewLog(limits); err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		if err := r.recomputer.Adopt(e); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// apply does with a record what a worker did, as far as state is concerned.
func (s *slice) apply(c *pipeline.Recomputer, meta pipeline.Meta, r *pipeline.Record) error {
	key := string(r.Key)
	if !s.takes(key) {
		return nil
	}
	if w, ok := s.stored[key]; r.Offset >= meta.Watermark && (!ok || r.Offset > w.offset) {
		return nil // later than what is compared
	}
	was := int64(0)
	if e := s.entries[key]; e != nil {
		was = e.Size()
	}
	e, err := c.Apply(s.entries[key], r)
	if err != nil {
		return err
	}
	if e == nil {
		delete(s.entries, key)
		s.add(-was)
		return nil
	}
	s.entries[key] = e
	s.add(e.Size() - was)
	return nil
}
