package storetest

import (
	"context"
	"fmt"
	"reflect"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.LayoutAdmin = (*Memory)(nil)

// Layout implements pipeline.LayoutAdmin.
func (m *Memory) Layout(ctx context.Context, topic string) (l pipeline.Layout, err error) {
	err = m.call(ctx, Call{Op: "layout", Partition: pipeline.Partition{Topic: topic}}, func() error {
		l = m.data.layout(topic)
		return nil
	})
	return l, err
}

// SetLayout implements pipeline.LayoutAdmin.
func (m *Memory) SetLayout(ctx context.Context, topic string, was, is pipeline.Layout) error {
	return m.call(ctx, Call{Op: "set layout", Partition: pipeline.Partition{Topic: topic}}, func() error {
		if now := m.data.layout(topic); !reflect.DeepEqual(now, was) {
			return fmt.Errorf("%w: the layout is %+v", pipeline.ErrFenced, now)
		}
		m.data.topics[topic] = is
		return nil
	})
}

// Amend implements pipeline.LayoutAdmin.
func (m *Memory) Amend(ctx context.Context, lease pipeline.Lease, c pipeline.Checkpoint) error {
	return m.call(ctx, Call{"amend", lease.Partition, lease.Token, &c}, func() error {
		if c.From < 0 || c.To != c.From {
			return fmt.Errorf("amend from %d to %d", c.From, c.To)
		}
		return m.data.save(lease, c)
	})
}

func (c contents) layout(topic string) pipeline.Layout {
	if l, ok := c.topics[topic]; ok {
		return l
	}
	return pipeline.Layout{Partitions: -1}
}
