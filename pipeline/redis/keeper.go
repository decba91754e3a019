package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.Keeper = (*Store)(nil)

// Audit implements pipeline.Keeper. All counts are of one moment.
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

// Clear implements pipeline.Keeper. It is one script, which takes about a
// second for a million keys; the server does nothing else meanwhile.
func (s *Store) Clear(ctx context.Context, lease pipeline.Lease, seen pipeline.Meta) error {
	if err := checkLease(lease); err != nil {
		return err
	}
	k, err := s.space(lease.Partition)
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
	return nil
}

// Unpin implements pipeline.Keeper.
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
