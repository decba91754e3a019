package redis

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.Roster = (*Store)(nil)

// members names the hash of the group's members: id -> newest beat.
func (s *Store) members() string { return "credence:{" + s.scope + "}:members" }

// Beat implements pipeline.Roster.
func (s *Store) Beat(ctx context.Context, member, beat string) (map[string]string, error) {
	pipe := s.client.Pipeline()
	if member != "" {
		pipe.HSet(ctx, s.members(), member, beat)
	}
	all := pipe.HGetAll(ctx, s.members())
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("beats of group members: %w", s.named(ctx, err, s.members()))
	}
	return all.Val(), nil
}

// Forget implements pipeline.Roster.
func (s *Store) Forget(ctx context.Context, member string) error {
	if err := s.client.HDel(ctx, s.members(), member).Err(); err != nil {
		return fmt.Errorf("forget group member %s: %w", member, s.named(ctx, err, s.members()))
	}
	return nil
}
