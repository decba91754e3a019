package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/segmentio/kafka-go"
)

// The group library can look for new partitions itself, and is not let to: it takes the first number that it sees for the
// one that was given out, so that partitions that come between the two are nobody's until the group rebalances for another
// reason, and while a topic is missing it ends each generation as soon as it has begun.

// attend ends a generation when a topic has another number of partitions than was given out, and tells of one that is
// missing. dealt is by topic; where another member gave them out it is nil, and the first number seen stands for it.
func (g *Group) attend(ended context.Context, gen *kafka.Generation, dealt map[string]int, m *membership, running *sync.WaitGroup) {
	for _, topic := range g.options.Topics {
		n, ok := dealt[topic]
		if !ok {
			n = -1
		}
		running.Add(1)
		gen.Start(func(context.Context) { // the generation ends when this returns
			defer running.Done()
			g.compare(ended, topic, n, func(err error) {
				g.options.OnError(fmt.Errorf("group %s: %w", gen.GroupID, err))
				m.over(gen)
			})
		})
	}
}

// compare returns when a topic has another number of partitions than dealt, -1 for one that is not known, or is there again,
// or the generation has ended. It looks twice at least, so that brokers that do not agree do not make the group rebalance without a pause.
// missing is told once of a topic that is not there, which has no partitions. Other errors are left to the heartbeats.
func (g *Group) compare(ended context.Context, topic string, dealt int, missing func(error)) {
	var told bool
	for looks := 1; ; looks++ {
		n, err := g.client.partitions(ended, g.options.Group, topic)
		gone := errors.Is(err, kafka.UnknownTopicOrPartition)
		if gone && !told {
			told = true
			missing(err)
		}
		switch {
		case err != nil && !gone:
		case told && !gone: // perhaps as many as before, and who was told that there are none is told of them
			return
		case dealt < 0:
			dealt = n
		case n != dealt && looks > 1:
			return
		}
		if pause(ended, g.options.Watch) != nil {
			return
		}
	}
}

// partitions returns how many partitions a topic has in the eyes of the broker that looks after a group: the one that gives
// them out is told by it.
func (c *Client) partitions(ctx context.Context, group, topic string) (n int, err error) {
	addr, err := c.coordinator(ctx, group)
	if err != nil {
		return 0, err
	}
	err = c.do(ctx, addr, callTimeout, func(on *conn) error {
		m, err := metadataOf(on, topic)
		if err != nil {
			return err
		}
		t, err := m.only(topic)
		n = len(t.leaders)
		return err
	})
	return n, err
}
