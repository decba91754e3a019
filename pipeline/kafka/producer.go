package kafka

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/credence-stream/credence/pipeline"
)

const (
	producerBytes = 64 << 20
	// queued bounds what waits per partition in number, inflight in bytes.
	queued          = 4096
	producerBackoff = 500 * time.Millisecond
)

// ProducerOptions tune a Producer.
type ProducerOptions struct {
	Pack Compression
	// InFlight bounds the bytes sent and not acknowledged, 64 MiB when 0. A
	// larger single record passes alone.
	InFlight int64
	// OnAck, when not nil, is told how many records and bytes were
	// acknowledged since the last call. It is called from several goroutines.
	OnAck func(records int, bytes int64)
	// OnError, when not nil, is told of each outage that is waited out. It is
	// called from several goroutines.
	OnError func(error)
}

// Producer sends a stream of records, in order per output partition and so
// per key: while one request is on its way, the next one fills.
type Producer struct {
	publisher *Publisher
	options   ProducerOptions
	acked     atomic.Int64
}

// NewProducer returns a producer that is idle until it runs.
func NewProducer(c *Client, o ProducerOptions) *Producer {
	if o.InFlight <= 0 {
		o.InFlight = producerBytes
	}
	return &Producer{publisher: NewPublisher(c, o.Pack), options: o}
}

// Acked returns how many records were acknowledged so far.
func (p *Producer) Acked() int64 { return p.acked.Load() }

// Run calls feed, which calls send from its own goroutine for one record
// after another, and returns when all of them are acknowledged by all in-sync
// replicas. Send blocks while too much is unacknowledged and keeps the
// record's bytes until then. Outages are waited out while ctx lives. The
// first error of feed or a *pipeline.RefusedError ends it; what was sent
// before may then be in the log or not.
func (p *Producer) Run(ctx context.Context, feed func(ctx context.Context, send func(pipeline.Output) error) error) error {
	room := semaphore.NewWeighted(p.options.InFlight)
	lanes := map[pipeline.Partition]chan pipeline.Output{}
	g, ctx := errgroup.WithContext(ctx)
	send := func(o pipeline.Output) error {
		if err := room.Acquire(ctx, p.weight(&o)); err != nil {
			return context.Cause(ctx)
		}
		to, err := p.place(ctx, &o)
		if err != nil {
			return err
		}
		lane := lanes[to]
		if lane == nil {
			lane = make(chan pipeline.Output, queued)
			lanes[to] = lane
			g.Go(func() error { return p.lane(ctx, to, lane, room) })
		}
		select {
		case lane <- o:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	g.Go(func() error {
		err := feed(ctx, send)
		for _, lane := range lanes {
			close(lane)
		}
		return err
	})
	return g.Wait()
}

func (p *Producer) weight(o *pipeline.Output) int64 {
	return min(int64(sizeOf(o)), p.options.InFlight)
}

func (p *Producer) place(ctx context.Context, o *pipeline.Output) (to pipeline.Partition, err error) {
	err = p.retry(ctx, func() error {
		r, err := p.publisher.client.settled(ctx, o.Topic)
		if err == nil {
			to = pipeline.Partition{Topic: o.Topic, ID: place(o, len(r.leaders))}
		}
		return refused(o.Topic, err)
	})
	return to, err
}

// lane sends what waits for one partition, batch after batch.
func (p *Producer) lane(ctx context.Context, to pipeline.Partition, in <-chan pipeline.Output, room *semaphore.Weighted) error {
	var held []pipeline.Output
	var batch []*pipeline.Output
	for o := range in {
		held = append(held[:0], o)
		size := sizeOf(&o)
		for more := true; more && size < batchBytes; {
			select {
			case o, open := <-in:
				if more = open; open {
					held = append(held, o)
					size += sizeOf(&o)
				}
			default:
				more = false
			}
		}
		batch = batch[:0]
		for i := range held {
			batch = append(batch, &held[i])
		}
		err := p.retry(ctx, func() error {
			n, err := p.publisher.send(ctx, to, batch)
			batch = batch[n:]
			return err
		})
		if err != nil {
			return err
		}
		var weight int64
		for i := range held {
			weight += p.weight(&held[i])
		}
		room.Release(weight)
		p.acked.Add(int64(len(held)))
		if p.options.OnAck != nil {
			p.options.OnAck(len(held), int64(size))
		}
		clear(held)
	}
	return nil
}

// retry repeats f through outages.
func (p *Producer) retry(ctx context.Context, f func() error) error {
	for {
		err := f()
		var r *pipeline.RefusedError
		if err == nil || errors.As(err, &r) || errors.Is(err, errClosed) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p.options.OnError != nil {
			p.options.OnError(err)
		}
		if pause(ctx, producerBackoff) != nil {
			return context.Cause(ctx)
		}
	}
}
