//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// A stream of low load.
const perSecond, streamKeys = 50, 100

// latencies measures how long after its record a posterior can be read.
func (b *bench) latencies() error {
	r, err := b.servers()
	if err != nil {
		return err
	}
	seconds := b.load().seconds
	for _, c := range []struct {
		name, settings string
		p50, p99       figure
	}{
		{"by default", "", 20, 50},
		{"checkpoint.interval 25 ms", "checkpoint: {interval: 25ms}", 20, 50},
	} {
		waits, err := r.latency(b.ctx, c.settings, seconds*perSecond)
		if err != nil {
			return fmt.Errorf("latency: %w", err)
		}
		slices.Sort(waits)
		for _, q := range []struct {
			percent int
			goal    figure
		}{{50, c.p50}, {99, c.p99}} {
			wait := waits[len(waits)*q.percent/100]
			how := fmt.Sprintf("linear p=%d, n=%d, %d keys, %d records a second for %d s; from the time of the record to its posterior in a reader's hands", columns, rows, streamKeys, perSecond, seconds)
			b.add(aimed(fmt.Sprintf("latency p%d at %d records/s, %s", q.percent, perSecond, c.name), unit{name: "ms", scale: 1e3}, figure(wait.Seconds()*1e3), q.goal, how))
		}
	}
	return nil
}

// latency sends records to a consumer and returns how long each took.
func (r *rig) latency(ctx context.Context, settings string, records int) (waits []time.Duration, err error) {
	topic := fmt.Sprintf("bench-latency-%d", r.started)
	if err := r.create(ctx, topic, partitions); err != nil {
		return nil, err
	}
	c, err := r.start(ctx, topic, settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	ready, arrived := make(chan struct{}), make(chan time.Duration)
	g.Go(func() error { return r.trickle(ctx, topic, records, ready) })
	for p := range partitions {
		g.Go(func() error { return r.tail(ctx, pipeline.Partition{Topic: c.output, ID: int32(p)}, arrived) })
	}
	for range streamKeys + records {
		select {
		case d := <-arrived:
			if waits = append(waits, d); len(waits) == streamKeys {
				close(ready)
			}
		case <-ctx.Done():
			return nil, g.Wait()
		}
	}
	cancel()
	if err := g.Wait(); !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return waits[streamKeys:], nil
}

// trickle sends a record of each key, and when these have arrived, so that the
// consumer is up and knows all keys, the records that count, slowly.
func (r *rig) trickle(ctx context.Context, topic string, records int, ready <-chan struct{}) error {
	fresh := regression(rows, columns).fresh()
	return r.send(ctx, func(send func(pipeline.Output) error) error {
		put := func(key int) error {
			value, err := arrow.Encode(fresh())
			if err != nil {
				return err
			}
			return send(record(topic, key, value))
		}
		for k := range streamKeys {
			if err := put(k); err != nil {
				return err
			}
		}
		select {
		case <-ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		slow := rate.NewLimiter(perSecond, 1)
		for i := range records {
			if err := slow.Wait(ctx); err != nil {
				return err
			}
			if err := put(i % streamKeys); err != nil {
				return err
			}
		}
		return nil
	})
}

// tail tells how long after its own time each record of a partition came.
func (r *rig) tail(ctx context.Context, p pipeline.Partition, arrived chan<- time.Duration) error {
	for at := int64(0); ; {
		got, err := r.log.Fetch(ctx, p, at, 4<<20)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the consumer has not made the topic yet
			select {
			case <-time.After(20 * time.Millisecond):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		now := time.Now()
		for i := range got.Records {
			select {
			case arrived <- now.Sub(time.UnixMilli(got.Records[i].Time)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		at = got.Next
	}
}
