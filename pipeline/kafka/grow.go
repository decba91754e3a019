package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/createpartitions"

	"github.com/credence-stream/credence/pipeline"
)

// Grow gives a topic n partitions in all, and returns when each has a leader. A topic
// that has them already is left as it is; Kafka takes none away.
func (c *Client) Grow(ctx context.Context, topic string, n int) error {
	for try := 0; ; try++ {
		r, err := c.route(ctx, topic, true)
		if err == nil && len(r.leaders) >= n {
			break
		}
		if err == nil {
			err = c.growOnce(ctx, topic, n)
		}
		if err != nil && !errors.Is(err, kafka.NotController) && !Moved(err) || try == routeRetries {
			return fmt.Errorf("%d partitions for topic %s: %w", n, topic, err)
		}
		if err := pause(ctx, routeBackoff<<try); err != nil {
			return err
		}
	}
	return c.await(ctx, topic)
}

func (c *Client) growOnce(ctx context.Context, topic string, n int) error {
	addr, err := c.controller(ctx)
	if err != nil {
		return err
	}
	return c.do(ctx, addr, createTimeout+callTimeout, func(conn *conn) error {
		answer, err := conn.call(&createpartitions.Request{
			Topics:    []createpartitions.RequestTopic{{Name: topic, Count: int32(n)}},
			TimeoutMs: int32(createTimeout.Milliseconds()),
		})
		if err != nil {
			return err
		}
		r := answer.(*createpartitions.Response)
		if len(r.Results) != 1 {
			return errors.New("an answer about other topics")
		}
		if r.Results[0].ErrorCode != 0 {
			return coded(r.Results[0].ErrorCode, r.Results[0].ErrorMessage)
		}
		return nil
	})
}

// Written returns the offset after the last record of a partition, also of one that belongs
// to a transaction that is open: it is then above the end that Bounds returns.
func (l *Log) Written(ctx context.Context, p pipeline.Partition) (int64, error) {
	end, err := l.offset(ctx, p, kafka.LastOffset, readUncommitted)
	if err != nil {
		return 0, fmt.Errorf("end of %w", err)
	}
	return end, nil
}
