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
)

// libraries is the bare loop as one writes it with the libraries alone: it
// fetches and decodes every record and does nothing else.
func (r *rig) libraries(ctx context.Context) (float64, error) {
	start := time.Now()
	client := &kafkago.Client{Addr: kafkago.TCP(r.env.Brokers()...), Timeout: 30 * time.Second}
	g, ctx := errgroup.WithContext(ctx)
	for p := range r.ends {
		g.Go(func() error {
			for at := int64(0); at < r.ends[p]; {
				next, err := libraryFetch(ctx, client, p, at)
				if err != nil {
					return err
				}
				at = next
			}
			return nil
		})
	}
	err := g.Wait()
	return float64(r.records) / time.Since(start).Seconds(), err
}

func libraryFetch(ctx context.Context, client *kafkago.Client, partition int, from int64) (int64, error) {
	resp, err := client.Fetch(ctx, &kafkago.FetchRequest{
		Topic: input, Partition: partition, Offset: from, MinBytes: 1, MaxBytes: 4 << 20, MaxWait: 250 * time.Millisecond,
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
