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
	err = m.call(ctx, Call{Op: "layout", Partition: pipeline.Partition{Topic: topic, ID: -1}}, func() error {
		l = m.data.layout(topic)
		return nil
	})
	return l, err
}

// Begun implements pipeline.LayoutReader.
func (m *Memory) Begun(ctx context.Context, topic string, partitions int) (begun int, err error) {
	err = m.call(ctx, Call{Op: "begun", Partition: pipeline.Partition{Topic: topic, ID: -1}}, func() error {
		for p, x := range m.data.partitions {
			if p.Topic == topic && int(p.ID) < partitions && (x.meta.Exists || len(x.values) > 0) {
				begun++
			}
		}
		return nil
	})
	return begun, err
}

// SetLayout implements pipeline.LayoutAdmin.
func (m *Memory) SetLayout(ctx context.Context, topic string, was, is pipeline.Layout) error {
	return m.call(ctx, Call{Op: "set layout", Partition: pipeline.Partition{Topic: topic, ID: -1}}, func() error {
		if now := m.data.layout(topic); !reflect.DeepEqual(now, was) {
			return fmt.Errorf("%w: the layout is %+v", pipeline.ErrFenced, now)
		}
		m.data.topics[topic] = is
		if is.Partitions == pipeline.Unbegun && is.Past == nil {
			delete(m.data.topics, topic)
		}
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

// Replicated implements pipeline.LayoutAdmin.
func (m *Memory) Replicated(ctx context.Context, topic string, n int) error {
	return m.call(ctx, Call{Op: "replicated", Partition: pipeline.Partition{Topic: topic, ID: -1}}, func() error {
		now := m.data.clone()
		for p, x := range now.partitions {
			if p.Topic == topic && int(p.ID) < n {
				m.replica.partitions[p] = x
			}
		}
		if l, ok := now.topics[topic]; ok {
			m.replica.topics[topic] = l
		}
		return nil
	})
}

// failOver puts a partition, or with the id -1 the layout of its topic, back to what the
// replica has.
func (m *Memory) failOver(p pipeline.Partition) {
	was := m.replica.clone()
	if p.ID >= 0 {
		delete(m.data.partitions, p)
		if x, ok := was.partitions[p]; ok {
			m.data.partitions[p] = x
		}
		return
	}
	delete(m.data.topics, p.Topic)
	if l, ok := was.topics[p.Topic]; ok {
		m.data.topics[p.Topic] = l
	}
}

func (c contents) layout(topic string) pipeline.Layout {
	if l, ok := c.topics[topic]; ok {
		return l
	}
	return pipeline.Layout{Partitions: pipeline.Unbegun}
}
