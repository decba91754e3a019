package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

const (
	// A route is asked for anew when a broker disowns it; the age only
	// bounds how long new partitions of an output topic stay unknown.
	routeAge     = time.Minute
	routeRetries = 5
	routeBackoff = 50 * time.Millisecond
)

// route holds the leaders of a topic's partitions, "" where there is none.
type route struct {
	id       topicID
	leaders  []string
	replicas int // of the partition that has fewest
	born     time.Time
}

// route returns the leaders of a topic, from memory when fresh is false and
// they are young, and else as they are after the call.
func (c *Client) route(ctx context.Context, topic string, fresh bool) (route, error) {
	c.mu.Lock()
	r, ok := c.routes[topic]
	c.mu.Unlock()
	if ok && !fresh && time.Since(r.born) < routeAge {
		return r, nil
	}
	return c.lookups.do(ctx, topic, func(ctx context.Context) (route, error) { return c.lookUp(ctx, topic) })
}

// lookUp asks for the leaders of a topic and remembers them.
func (c *Client) lookUp(ctx context.Context, topic string) (route, error) {
	m, err := c.metadata(ctx, topic)
	if err != nil {
		return route{}, fmt.Errorf("topic %s: %w", topic, err)
	}
	t, err := m.only(topic)
	if err != nil {
		return route{}, err
	}
	r := route{id: t.id, leaders: make([]string, len(t.leaders)), replicas: t.replicas, born: time.Now()}
	for p, leader := range t.leaders {
		if p < 0 || int(p) >= len(r.leaders) {
			return route{}, fmt.Errorf("topic %s: partition %d of %d", topic, p, len(r.leaders))
		}
		r.leaders[p] = m.brokers[leader]
	}
	c.addresses.named(slices.Sorted(maps.Values(m.brokers)))
	c.mu.Lock()
	c.routes[topic] = r
	c.mu.Unlock()
	return r, nil
}

func (c *Client) forget(topic string) {
	c.mu.Lock()
	delete(c.routes, topic)
	c.mu.Unlock()
}

func (c *Client) leader(ctx context.Context, p pipeline.Partition) (string, error) {
	r, err := c.route(ctx, p.Topic, false)
	if err != nil {
		return "", err
	}
	if p.ID < 0 || int(p.ID) >= len(r.leaders) {
		return "", fmt.Errorf("%w: %d partitions", kafka.UnknownTopicOrPartition, len(r.leaders))
	}
	if r.leaders[p.ID] == "" {
		return "", fmt.Errorf("%w: if this lasts, start a broker that has this partition", kafka.LeaderNotAvailable)
	}
	return r.leaders[p.ID], nil
}

// toLeader runs a request on the leader of p, and again on the next one while
// the cluster is changing leaders. Every other failure is the caller's.
func (c *Client) toLeader(ctx context.Context, p pipeline.Partition, limit time.Duration, f func(*conn) error) error {
	for try := 0; ; try++ {
		addr, err := c.leader(ctx, p)
		if err == nil {
			if err = c.do(ctx, addr, limit, f); err == nil {
				return nil
			}
		}
		var code kafka.Error
		if !errors.As(err, &code) || Moved(err) {
			c.forget(p.Topic)
		}
		if !Moved(err) || try == routeRetries {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := pause(ctx, routeBackoff<<try); err != nil {
			return err
		}
	}
}

// Moved reports whether an error is one that ends when metadata is read again, and
// the partition has a leader that all brokers know.
func Moved(err error) bool {
	var code kafka.Error
	if !errors.As(err, &code) {
		return false
	}
	switch code {
	case kafka.UnknownTopicOrPartition, kafka.LeaderNotAvailable, kafka.NotLeaderForPartition,
		kafka.ReplicaNotAvailable, kafka.KafkaStorageError, kafka.FencedLeaderEpoch, kafka.UnknownLeaderEpoch:
		return true
	}
	return false
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func address(host string, port int32) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}
