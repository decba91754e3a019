//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	kafkago "github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
)

// bare fetches and decodes every record with our own client and decoder and
// does nothing else.
func (r *rig) bare(t *topic) whole {
	return t.loop(func(ctx context.Context, p int) func(at int64) (int64, error) {
		d := newDecoder()
		return func(at int64) (int64, error) {
			got, err := r.log.Fetch(ctx, pipeline.Partition{Topic: t.name, ID: int32(p)}, at, 4<<20)
			if err != nil {
				return 0, err
			}
			for i := range got.Records {
				if _, err := d.Decode(got.Records[i].Value); err != nil {
					return 0, err
				}
			}
			return got.Next, nil
		}
	})
}

// libraries is the same loop as one writes it with kafka-go's client and
// Arrow's reader.
func (r *rig) libraries(t *topic) whole {
	client := &kafkago.Client{Addr: kafkago.TCP(r.env.Brokers()...), Timeout: 30 * time.Second}
	return t.loop(func(ctx context.Context, p int) func(at int64) (int64, error) {
		return func(at int64) (int64, error) { return libraryFetch(ctx, client, t.name, p, at) }
	})
}

// loop takes all partitions side by side to their ends. open returns what
// reads a partition from an offset and says which is next.
func (t *topic) loop(open func(ctx context.Context, p int) func(at int64) (int64, error)) whole {
	return func(ctx context.Context) (pace, error) {
		return t.timed(func() error {
			g, ctx := errgroup.WithContext(ctx)
			for p := range t.ends {
				g.Go(func() (err error) {
					read := open(ctx, p)
					for at := int64(0); at < t.ends[p] && err == nil; {
						at, err = read(at)
					}
					return err
				})
			}
			return g.Wait()
		})
	}
}

func libraryFetch(ctx context.Context, client *kafkago.Client, topic string, partition int, from int64) (int64, error) {
	resp, err := client.Fetch(ctx, &kafkago.FetchRequest{
		Topic: topic, Partition: partition, Offset: from, MinBytes: 1, MaxBytes: 4 << 20, MaxWait: 250 * time.Millisecond,
	})
	if err != nil {
		return 0, err
	}
	if resp.Error != nil {
		return 0, resp.Error
	}
	next := from
	for {
		record, err := resp.Records.ReadRecord()
		switch {
		case errors.Is(err, io.EOF):
			return next, nil
		case err != nil:
			return 0, err
		case record.Offset < from:
			continue
		}
		value, err := kafkago.ReadAll(record.Value)
		if err != nil {
			return 0, err
		}
		if err := libraryDecode(value); err != nil {
			return 0, fmt.Errorf("offset %d: %w", record.Offset, err)
		}
		next = record.Offset + 1
	}
}

func libraryDecode(value []byte) error {
	r, err := ipc.NewReader(bytes.NewReader(value))
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		r.Record()
	}
	return r.Err()
}
