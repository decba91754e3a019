package storetest

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.StateAdmin = (*Memory)(nil)

// Audit implements pipeline.StateAdmin. Values are their own list.
func (m *Memory) Audit(ctx context.Context, p pipeline.Partition) (a pipeline.Audit, err error) {
	err = m.call(ctx, Call{Op: "audit", Partition: p}, func() error {
		part := m.data.at(p)
		n := int64(len(part.values))
		a = pipeline.Audit{Counted: part.meta.Keys, Held: n, Listed: n}
		return nil
	})
	return a, err
}

// Clear implements pipeline.StateAdmin.
func (m *Memory) Clear(ctx context.Context, lease pipeline.Lease, seen pipeline.Meta) error {
	return m.call(ctx, Call{Op: "clear", Partition: lease.Partition, Token: lease.Token}, func() error {
		now := m.data.at(lease.Partition).meta
		if now.Owner != seen.Owner || now.Exists != seen.Exists || now.Exists && now.Watermark != seen.Watermark {
			return fmt.Errorf("%w: owner %q, watermark %d", pipeline.ErrFenced, now.Owner, now.Watermark)
		}
		delete(m.data.partitions, lease.Partition)
		p := m.data.at(lease.Partition)
		p.meta.Owner, p.meta.Generation = lease.Token, lease.Generation
		m.data.partitions[lease.Partition] = p
		return nil
	})
}

// Unpin implements pipeline.StateAdmin.
func (m *Memory) Unpin(ctx context.Context, topic string) error {
	return m.call(ctx, Call{Op: "unpin", Partition: pipeline.Partition{Topic: topic}}, func() error {
		delete(m.data.topics, topic)
		return nil
	})
}
