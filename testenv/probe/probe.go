// Package probe waits for servers by talking their protocol.
package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/segmentio/kafka-go"
)

// Patience is how long a test waits for what must come. It is no promise: a
// machine that others share stands still for many seconds at times. A promise
// about time is measured by the test that makes it.
const Patience = 5 * time.Minute

// Until calls try until it returns nil, soon after one another first and every
// 50 ms later. When ctx ends first it returns the last error of try that says
// more than that: a try that ctx ended is told of only where it was the first.
func Until(ctx context.Context, try func(context.Context) error) error {
	var last error
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); last == nil || ctx.Err() == nil || !ended {
			last = err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), last)
		}
	}
}

var errNotYet = errors.New("not yet")

// Eventually waits until a condition holds, and fails the test where Patience
// ends before.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	EventuallyNil(t, what, func() error {
		if holds() {
			return nil
		}
		return errNotYet
	})
}

// EventuallyNil is Eventually for a condition that says what it lacks.
func EventuallyNil(t testing.TB, what string, lacks func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), Patience)
	defer cancel()
	if err := Until(ctx, func(context.Context) error { return lacks() }); err != nil {
		t.Fatalf("not within %v: %s (%v)", Patience, what, err)
	}
}

// Kafka waits until the broker at addr answers for a cluster in which it is
// registered and not fenced.
func Kafka(ctx context.Context, addr string) error {
	return Until(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		// A new transport each time: the metadata that one keeps may be
		// those of the broker before.
		t := &kafka.Transport{}
		defer t.CloseIdleConnections()
		c := kafka.Client{Addr: kafka.TCP(addr), Transport: t}
		m, err := c.Metadata(ctx, &kafka.MetadataRequest{})
		if err != nil {
			return fmt.Errorf("kafka at %s: %w", addr, err)
		}
		here := func(b kafka.Broker) bool { return strings.HasSuffix(addr, ":"+strconv.Itoa(b.Port)) }
		if !slices.ContainsFunc(m.Brokers, here) || m.ClusterID == "" {
			return fmt.Errorf("kafka at %s: it is not registered yet", addr)
		}
		return nil
	})
}

// Redis waits until the server at url answers and has loaded its data.
func Redis(ctx context.Context, url string) error {
	return untilRedis(ctx, url, func(ctx context.Context, c *redis.Client) error { return c.Ping(ctx).Err() })
}

// Written waits until the server at url has written its append-only file as
// far as it has answered: with appendfsync everysec it puts writing off for up
// to two seconds while the disk is slow.
func Written(ctx context.Context, url string) error {
	return untilRedis(ctx, url, func(ctx context.Context, c *redis.Client) error {
		info, err := c.Info(ctx, "persistence").Result()
		if err == nil && !strings.Contains(info, "aof_buffer_length:0\r\n") {
			err = errors.New("the append-only file is behind")
		}
		return err
	})
}

func untilRedis(ctx context.Context, url string, try func(context.Context, *redis.Client) error) error {
	o, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	o.MaxRetries, o.DialTimeout, o.ReadTimeout = -1, 10*time.Second, 10*time.Second
	c := redis.NewClient(o)
	defer c.Close() //nolint:errcheck // nothing is pending on it
	return Until(ctx, func(ctx context.Context) error {
		if err := try(ctx, c); err != nil {
			return fmt.Errorf("redis at %s: %w", o.Addr, err)
		}
		return nil
	})
}
