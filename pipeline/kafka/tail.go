package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
)

const (
	tailBytes   = 1 << 20
	tailBackoff = 500 * time.Millisecond
)

// ErrStop ends Tail without an error.
var ErrStop = errors.New("stop")

// TailOptions say where Tail begins and ends.
type TailOptions struct {
	FromEnd  bool // begin with what comes next, not with the log's start
	UntilEnd bool // end where the partitions ended at the start
	// OnError, when not nil, is told of each outage that is waited out. It is
	// called from several goroutines.
	OnError func(error)
}

// Tail calls visit with every record of a topic, in order per partition, one
// at a time. It returns nil at the end, and when visit returns ErrStop; the
// end of ctx and every other error of visit are errors. Records that were
// trimmed from the log before they were read are passed over.
func (l *Log) Tail(ctx context.Context, topic string, o TailOptions, visit func(pipeline.Partition, *pipeline.Record) error) error {
	n, err := l.Partitions(ctx, topic)
	if err != nil {
		return fmt.Errorf("tail: %w", err)
	}
	type span struct{ from, to int64 }
	spans := make([]span, n)
	for i := range spans {
		start, end, err := l.Bounds(ctx, pipeline.Partition{Topic: topic, ID: int32(i)})
		if err != nil {
			return fmt.Errorf("tail: %w", err)
		}
		if spans[i] = (span{start, end}); o.FromEnd {
			spans[i].from = end
		}
	}
	type chunk struct {
		partition pipeline.Partition
		records   []pipeline.Record
	}
	chunks := make(chan chunk)
	g, ctx := errgroup.WithContext(ctx)
	readers, readersCtx := errgroup.WithContext(ctx)
	for i, s := range spans {
		p := pipeline.Partition{Topic: topic, ID: int32(i)}
		readers.Go(func() error {
			for from := s.from; !o.UntilEnd || from < s.to; {
				f, err := l.next(readersCtx, p, from, o.OnError)
				if err != nil {
					return err
				}
				if o.UntilEnd {
					for len(f.Records) > 0 && f.Records[len(f.Records)-1].Offset >= s.to {
						f.Records = f.Records[:len(f.Records)-1]
					}
				}
				if len(f.Records) > 0 {
					select {
					case chunks <- chunk{p, f.Records}:
					case <-readersCtx.Done():
						return readersCtx.Err()
					}
				}
				from = f.Next
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(chunks)
		return readers.Wait()
	})
	g.Go(func() error {
		for c := range chunks {
			for i := range c.records {
				if err := visit(c.partition, &c.records[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	return nil
}

// next fetches until it gets an answer.
func (l *Log) next(ctx context.Context, p pipeline.Partition, from int64, onError func(error)) (pipeline.Fetched, error) {
	for {
		f, err := l.Fetch(ctx, p, from, tailBytes)
		if err == nil {
			return f, nil
		}
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		if errors.Is(err, pipeline.ErrOutOfRange) {
			start, _, berr := l.Bounds(ctx, p)
			if berr == nil && start > from {
				return pipeline.Fetched{Next: start}, nil
			}
		}
		if onError != nil {
			onError(err)
		}
		if err := pause(ctx, tailBackoff); err != nil {
			return f, err
		}
	}
}
