package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace"
)

// Names and values of the headers of a shard.
const (
	contentTypeHeader = "content-type"
	contentType       = "application/vnd.apache.arrow.stream"
)

const (
	// A batch stays below the 1 MiB that a broker takes by default.
	batchBytes  = 512 << 10
	batchShards = 500
	// patience is how long an outage may last, as Kafka's own producers have it.
	patience = 2 * time.Minute
	// maxLag bounds the catching up after a pause in a stream with a rate.
	maxLag = time.Second
)

// Publisher sends records and returns when all are acknowledged, or those that
// are not. A *pipeline.RefusedError and pipeline.ErrLost can't be cured by trying again; every
// other error is an outage, after which these are sent again.
type Publisher interface {
	Publish(ctx context.Context, outputs []pipeline.Output) (rest []pipeline.Output, err error)
}

// Options say where shards go and how.
type Options struct {
	Topic     string
	Run       string  // names this stream in the header credence-shard
	Rate      float64 // shards per second; 0: as fast as they are acknowledged
	Publisher Publisher
	Encode    func(*cdf.Batch) ([]byte, error) // to an Arrow stream; the bytes are kept
	Tracing   Tracing
	// Acked, if not nil, is told what was acknowledged.
	Acked func(shards, rows int64)
	// Waiting, if not nil, is told of an outage before each new attempt.
	Waiting func(err error, pause time.Duration)
}

// Totals counts what was acknowledged.
type Totals struct {
	Shards int64 `json:"shards"`
	Rows   int64 `json:"rows"`
	Keys   int64 `json:"keys"`
	Bytes  int64 `json:"bytes"` // of the values
}

// Sender delivers shards in the order given. It is for one goroutine.
type Sender struct {
	opt     Options
	due     time.Time // of the next shard
	pending []pipeline.Output
	counts  Totals // of pending
	acked   Totals
	spans   []trace.Span // of pending, where they are recorded
}

// NewSender returns a Sender that has sent nothing.
func NewSender(opt Options) *Sender { return &Sender{opt: opt} }

// Totals returns what was acknowledged so far.
func (s *Sender) Totals() Totals { return s.acked }

// Send encodes the shard and delivers it with its neighbours; Flush delivers
// the last ones. With a rate it waits until the shard is due.
func (s *Sender) Send(ctx context.Context, sh Shard) error {
	if err := s.pace(ctx); err != nil {
		return err
	}
	value, err := s.opt.Encode(sh.Batch)
	if err != nil {
		return fmt.Errorf("key %s, shard %d: %w", sh.Key, sh.N, err)
	}
	if s.counts.Bytes+int64(len(value)) > batchBytes {
		if err := s.Flush(ctx); err != nil {
			return err
		}
	}
	headers := []pipeline.Header{
		{Key: contentTypeHeader, Value: []byte(contentType)},
		{Key: pipeline.ShardHeader, Value: fmt.Appendf(nil, "%s/%d", s.opt.Run, sh.N)},
	}
	s.pending = append(s.pending, pipeline.Output{
		Topic:   s.opt.Topic,
		Key:     []byte(sh.Key),
		Value:   value,
		Headers: append(headers, s.context(sh, len(value))...),
	})
	s.counts.Shards++
	s.counts.Rows += int64(sh.Batch.Rows)
	s.counts.Bytes += int64(len(value))
	if sh.N == 1 {
		s.counts.Keys++
	}
	if len(s.pending) == batchShards || s.counts.Bytes >= batchBytes {
		return s.Flush(ctx)
	}
	return nil
}

// Flush returns when every shard that was given to Send is acknowledged.
// After an error some of the unacknowledged ones may be in the topic.
func (s *Sender) Flush(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	now := time.Now().UnixMilli()
	for i := range s.pending {
		s.pending[i].Time = now
	}
	err := s.deliver(ctx)
	s.sent(err)
	if err != nil {
		return err
	}
	s.acked.Shards += s.counts.Shards
	s.acked.Rows += s.counts.Rows
	s.acked.Keys += s.counts.Keys
	s.acked.Bytes += s.counts.Bytes
	if s.opt.Acked != nil {
		s.opt.Acked(s.counts.Shards, s.counts.Rows)
	}
	s.counts = Totals{}
	clear(s.pending)
	s.pending = s.pending[:0]
	return nil
}

// deliver publishes the pending shards, again and again through an outage: a
// repeat does no harm, because its header names it.
func (s *Sender) deliver(ctx context.Context) error {
	giveUp, rest := time.Now().Add(patience), s.pending
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		var err error
		rest, err = s.opt.Publisher.Publish(ctx, rest)
		var refused *pipeline.RefusedError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &refused):
			return fmt.Errorf("%w (the largest shard of the batch has %d bytes)", err, s.largest())
		case errors.Is(err, pipeline.ErrLost):
			return err
		case time.Now().Add(pause).After(giveUp):
			return fmt.Errorf("not acknowledged for %v: %w", patience, err)
		}
		if s.opt.Waiting != nil {
			s.opt.Waiting(err, pause)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func (s *Sender) largest() int {
	n := 0
	for i := range s.pending {
		n = max(n, len(s.pending[i].Value))
	}
	return n
}

// pace waits until the next shard is due, with nothing left undelivered while
// it does.
func (s *Sender) pace(ctx context.Context) error {
	if s.opt.Rate <= 0 {
		return nil
	}
	if wait := time.Until(s.due); wait > 0 {
		if err := s.Flush(ctx); err != nil {
			return err
		}
		if err := sleep(ctx, time.Until(s.due)); err != nil {
			return err
		}
	}
	now := time.Now()
	switch {
	case s.due.IsZero():
		s.due = now
	case s.due.Before(now.Add(-maxLag)):
		s.due = now.Add(-maxLag)
	}
	s.due = s.due.Add(time.Duration(float64(time.Second) / s.opt.Rate))
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
