// Package show is the commands that print posteriors: tail, as a stream or a
// live table, and get.
package show

import (
	"context"
	"errors"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// tailInterval is the time between two frames of a live table.
const tailInterval = 200 * time.Millisecond

// printer shows the records of a feed. It is used by one goroutine.
type printer interface {
	// print shows a record and reports whether it wants more.
	print(r *pipeline.Record) (more bool, err error)
	// flush makes everything printed so far visible.
	flush() error
}

// Tail prints records until the printer wants no more, the feed ends, or ctx
// does, which is no error. When it returns, the feed has ended.
func Tail(ctx context.Context, from connect.Feed, p printer) error {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	records := make(chan *pipeline.Record, 64)
	ended := make(chan error, 1)
	go func() {
		ended <- from(reading, func(r *pipeline.Record) error {
			select {
			case records <- r:
				return nil
			case <-reading.Done():
				return reading.Err()
			}
		})
		close(records)
	}()
	shown := show(records, p)
	cancel()
	read := <-ended
	if errors.Is(read, context.Canceled) {
		read = nil // it was ours
	}
	read = cli.Stopped(ctx, read)
	return errors.Join(shown, read, p.flush())
}

// errStopped is why a tail to the end failed that was stopped before.
var errStopped = errors.New("stopped before the end of the topic")

// tailToEnd is Tail of a feed that ends: that ctx does before is a failure, as of run --until-end.
func tailToEnd(ctx context.Context, from connect.Feed, p printer) error {
	if err := Tail(ctx, from, p); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// show hands records to the printer until it has had enough or there are no
// more.
func show(records <-chan *pipeline.Record, p printer) error {
	tick := time.NewTicker(tailInterval)
	defer tick.Stop()
	for {
		select {
		case r, open := <-records:
			if !open {
				return nil
			}
			if more, err := p.print(r); err != nil || !more {
				return err
			}
		case <-tick.C:
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
}
