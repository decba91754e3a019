package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// verifyBytes is what one fetch asks for.
const verifyBytes = 4 << 20

// recompute takes the keys of the slice through the log: where the topic was rescaled,
// first through what they had in other partitions, then, up to the watermark, all records,
// and beyond it those that were in the stored state when it was read.
func (s *slice) recompute(ctx context.Context, meta pipeline.Meta) (err error) {
	s.ledger, s.lack = nil, pipeline.Lack{}
	if !s.blurred {
		if s.ledger, err = pipeline.NewLedger(meta.Configured, ""); err != nil {
			return err
		}
	}
	for i := range s.past {
		if err := s.relive(ctx, &s.past[i]); err != nil {
			return err
		}
	}
	s.through = meta.Watermark
	for _, w := range s.stored {
		if !w.moved {
			s.through = max(s.through, w.offset+1)
		}
	}
	return s.read(ctx, stretch{p: s.p, from: s.from, through: s.through, watermark: meta.Watermark, configured: meta.Configured, takes: s.takes})
}

// stretch is a part of a partition's log.
type stretch struct {
	p             pipeline.Partition
	from, through int64
	watermark     int64 // below which all records count
	configured    []pipeline.Configured
	takes         func(key string) bool
}

// read applies the records of a stretch to the keys that it takes.
func (s *slice) read(ctx context.Context, part stretch) error {
	w := walk{
		p: part.p, from: pipeline.Position{Offset: part.from, Topic: s.topic}, through: part.through, configured: part.configured,
		under: func(c pipeline.Configured) (*reading, error) { return s.under(part.p, c) },
		apply: func(r *reading, record *pipeline.Record) error { return s.apply(r.recomputer, &part, record) },
	}
	if s.v.Advance != nil && s.only == nil {
		w.advance = func(n int64) { s.v.Advance(float64(n) * float64(s.hi-s.lo) / float64(hashes)) }
	}
	if err := w.run(ctx); err != nil {
		return err
	}
	if w.lack.Count > 0 {
		s.lack.Add(w.lack.First, w.lack.Count)
		s.trimmed, s.blurred = true, true
	}
	return nil
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
	lack       pipeline.Lack       // what the part has no more, once run has come to its end
}

func (w *walk) run(ctx context.Context) error {
	var r *reading
	next := 0 // of configured, to come into force
	for at := w.from; at.Offset < w.through; {
		from, until := at.Offset, w.through
		for ; next < len(w.configured) && (r == nil || w.configured[next].From <= from); next++ {
			var err error
			if r, err = w.under(w.configured[next]); err != nil {
				return err
			}
		}
		if next < len(w.configured) {
			until = min(until, w.configured[next].From)
		}
		got, err := r.log.Follow(ctx, w.p, at, verifyBytes, nil)
		if errors.Is(err, pipeline.ErrOutOfRange) {
			return fmt.Errorf("the log of %s was trimmed above offset %d while it was read: run again", w.p, from)
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
			return fmt.Errorf("the log of %s ends at offset %d, below offset %d: it was truncated or recreated", w.p, got.End, w.through)
		}
		if got.Lack.First < min(until, got.Next) {
			w.lack.Add(got.Lack.First, got.Lack.Count)
		}
		if w.advance != nil {
			w.advance(min(got.Next, w.through) - from)
		}
		at = at.After(&got)
	}
	return nil
}

// ReadLack reads a partition's log between two offsets, of the topic with an id where that is known, and returns what
// it lacks of them.
func ReadLack(ctx context.Context, log pipeline.Log, p pipeline.Partition, topic string, from, through int64) (pipeline.Lack, error) {
	w := walk{
		p: p, from: pipeline.Position{Offset: from, Topic: topic}, through: through, configured: []pipeline.Configured{{}},
		under: func(pipeline.Configured) (*reading, error) { return &reading{log: log}, nil },
		apply: func(*reading, *pipeline.Record) error { return nil },
	}
	err := w.run(ctx)
	return w.lack, err
}

// reading is how a worker read and applied the log under some limits.
type reading struct {
	log        pipeline.Log
	recomputer *pipeline.Recomputer
}

// readingUnder begins one under a configuration's limits, with what a Verifier or a Past is given.
func readingUnder(rules *pipeline.Rules, p pipeline.Partition, recorded pipeline.Configured,
	newLog func(pipeline.Limits) (pipeline.Log, error), newDecoder func(pipeline.Limits) pipeline.Decoder, newOutputs func(pipeline.Limits) pipeline.Outputs,
) (*reading, error) {
	limits, err := recorded.ReadLimits()
	if err != nil {
		return nil, err
	}
	log, err := newLog(limits)
	if err != nil {
		return nil, err
	}
	return &reading{log: log, recomputer: rules.NewRecomputer(p, limits,
		func() pipeline.Decoder { return newDecoder(limits) }, func() pipeline.Outputs { return newOutputs(limits) })}, nil
}

// under goes on under the limits in force from an offset on, and takes the
// states over to them.
func (s *slice) under(p pipeline.Partition, recorded pipeline.Configured) (*reading, error) {
	r, err := readingUnder(s.v.Rules, p, recorded, s.v.NewLog, s.v.NewDecoder, s.v.NewOutputs)
	if err != nil {
		return nil, err
	}
	if s.ledger != nil {
		r.recomputer.Keep(s.ledger)
	}
	for _, e := range s.entries {
		if err := r.recomputer.Adopt(e); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// apply does with a record what a worker did, as far as state is concerned.
func (s *slice) apply(c *pipeline.Recomputer, part *stretch, r *pipeline.Record) error {
	key := string(r.Key)
	if !part.takes(key) {
		return c.Follow(r)
	}
	if w, ok := s.stored[key]; r.Offset >= part.watermark && (!ok || w.moved || r.Offset > w.offset) {
		return c.Follow(r) // later than what is compared
	}
	if w, ok := s.stored[key]; ok && r.Offset == w.offset {
		w.met = true
		s.stored[key] = w
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
