package kafka

import (
	"context"
	"fmt"
	"sync"

	"github.com/credence-stream/credence/pipeline"
)

// commits sends the offsets of a generation's partitions, all that have gathered
// while the ones before were on their way in one request.
type commits struct {
	send func(map[string]map[int]pipeline.GroupOffset) error

	mu      sync.Mutex
	sending bool
	next    *commit // nil: nothing has gathered
}

// commit is what several partitions wait for.
type commit struct {
	offsets map[string]map[int]pipeline.GroupOffset
	done    chan struct{}
	err     error
}

// commit returns once the offset was sent, or a later one of the partition. The
// end of ctx ends the wait alone.
func (c *commits) commit(ctx context.Context, topic string, partition int, at pipeline.GroupOffset) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	mine := c.add(topic, partition, at)
	select {
	case <-mine.done:
		if mine.err != nil {
			return fmt.Errorf("commit %s/%d at %d: %w", topic, partition, at.Offset, mine.err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *commits) add(topic string, partition int, at pipeline.GroupOffset) *commit {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = &commit{offsets: map[string]map[int]pipeline.GroupOffset{}, done: make(chan struct{})}
	}
	if c.next.offsets[topic] == nil {
		c.next.offsets[topic] = map[int]pipeline.GroupOffset{}
	}
	c.next.offsets[topic][partition] = at
	if !c.sending {
		c.sending = true
		go c.run()
	}
	return c.next
}

// run sends until nothing has gathered.
func (c *commits) run() {
	for {
		c.mu.Lock()
		now := c.next
		c.next = nil
		c.sending = now != nil
		c.mu.Unlock()
		if now == nil {
			return
		}
		now.err = c.send(now.offsets)
		close(now.done)
	}
}
