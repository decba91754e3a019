package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.StateAdmin = (*Store)(nil)

// Audit implements pipeline.StateAdmin. All counts are of one moment.
func (s *Store) Audit(ctx context.Context, p pipeline.Partition) (pipeline.Audit, error) {
	var a pipeline.Audit
	k, err := s.space(p)
	if err != nil {
		return a, err
	}
	reply, err := s.run(ctx, auditScript, k.fixed(0), nil)
	if err != nil {
		return a, fmt.Errorf("audit %s: %w", p, err)
	}
	for i, dst := range []*int64{&a.Counted, &a.Held, &a.Listed} {
		if err := scanInt(reply, i, dst); err != nil {
			return a, fmt.Errorf("audit %s: %w", p, err)
		}
	}
	for i := 3; i < len(reply); i++ {
		a.Pending = append(a.Pending, textAt(reply, i))
	}
	slices.Sort(a.Pending)
	return a, nil
}

// Clear implements pipeline.StateAdmin. One script, which takes as long for many
// keys as for few, puts the hashes aside; then one per hash looks for blobs
// and drops it, so that the server is never held up for long. What an error
// leaves of them, the next Clear of the partition removes.
func (s *Store) Clear(ctx context.Context, lease pipeline.Lease, seen pipeline.Meta) error {
	k, err := s.leased(lease)
	if err != nil {
		return err
	}
	at := ""
	if seen.Exists {
		at = strconv.FormatInt(seen.Watermark, 10)
	}
	if _, err := s.run(ctx, clearScript, k.fixed(0), []any{lease.Token, lease.Generation, seen.Owner, at}); err != nil {
		return fmt.Errorf("clear %s: %w", lease.Partition, err)
	}
	if err := s.dropAside(ctx, k); err != nil {
		return fmt.Errorf("clear %s: it is cleared, and what it held is not yet removed: %w", lease.Partition, err)
	}
	return nil
}

// dropAside removes what this Clear and earlier ones have put aside.
func (s *Store) dropAside(ctx context.Context, k space) error {
	tokens, err := s.client.SMembers(ctx, k.aside()).Result()
	if err != nil {
		return s.named(ctx, err, k.aside())
	}
	for _, token := range tokens {
		for b := range buckets {
			if _, err := s.run(ctx, dropScript, []string{k.meta(), k.asideState(token, b)}, nil); err != nil {
				return err
			}
		}
		if err := s.client.SRem(ctx, k.aside(), token).Err(); err != nil {
			return err
		}
	}
	return nil
}

// Unpin implements pipeline.StateAdmin.
func (s *Store) Unpin(ctx context.Context, topic string) error {
	key, err := s.topicKey(topic)
	if err != nil {
		return err
	}
	if err := s.client.Del(ctx, key).Err(); err != nil {
		return fmt.Errorf("unpin %s: %w", topic, err)
	}
	return nil
}
