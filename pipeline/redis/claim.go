package redis

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Claim implements pipeline.Store. After an error the claim may have been
// written: try again with a fresh token. A partition whose Meta.Format is
// not pipeline.StateFormat was left untouched and is not owned.
func (s *Store) Claim(ctx context.Context, lease pipeline.Lease) (pipeline.Meta, error) {
	k, err := s.leased(lease)
	if err != nil {
		return pipeline.Meta{}, err
	}
	ctx, err = s.guard.pass(ctx)
	if err != nil {
		return pipeline.Meta{}, fmt.Errorf("claim %s: %w", lease.Partition, err)
	}
	reply, err := s.run(ctx, claimScript, k.fixed(0), []any{lease.Token, lease.Generation, pipeline.StateFormat})
	if err != nil {
		return pipeline.Meta{}, fmt.Errorf("claim %s: %w", lease.Partition, err)
	}
	return decodeMeta(lease.Partition, reply)
}

// Meta implements pipeline.Store.
func (s *Store) Meta(ctx context.Context, p pipeline.Partition) (pipeline.Meta, error) {
	k, err := s.space(p)
	if err != nil {
		return pipeline.Meta{}, err
	}
	reply, err := s.client.HMGet(ctx, k.meta(),
		"owner", "gen", "watermark", "origin", "keys", "last", "fingerprints", "gaps", "format", "topic", "weights", "minutes").Result()
	if err != nil {
		return pipeline.Meta{}, fmt.Errorf("meta of %s: %w", p, s.named(ctx, err, k.meta()))
	}
	return decodeMeta(p, reply)
}

// decodeMeta reads the fields in the order in which Meta and the claim script
// ask for them. A partition exists from its first checkpoint on. Of damaged ones it returns
// what can be read: a Clear knows them by owner and watermark.
func decodeMeta(p pipeline.Partition, reply []any) (pipeline.Meta, error) {
	m := pipeline.Meta{Owner: textAt(reply, 0)}
	wrap := func(field string, err error) (pipeline.Meta, error) {
		return m, fmt.Errorf("meta of %s: %s: %w", p, field, err)
	}
	if err := scanInt(reply, 1, &m.Generation); err != nil {
		return wrap("gen", err)
	}
	if m.Exists = textAt(reply, 2) != ""; !m.Exists {
		m.Watermark, m.Last.Offset = -1, -1
		return m, nil
	}
	for i, dst := range []*int64{&m.Watermark, &m.Origin, &m.Keys} {
		if err := scanInt(reply, 2+i, dst); err != nil {
			return wrap([]string{"watermark", "origin", "keys"}[i], err)
		}
	}
	if err := scanInt(reply, 8, &m.Format); err != nil {
		return wrap("format", err)
	}
	if m.Format != pipeline.StateFormat {
		return m, nil // the rest may have another shape
	}
	m.Topic = textAt(reply, 9)
	if text := textAt(reply, 10); text != "" && json.Unmarshal([]byte(text), &m.Weights) != nil {
		m.Weights = quota.Weights{} // they are weighed anew
	}
	if text := textAt(reply, 11); text != "" && json.Unmarshal([]byte(text), &m.Minutes) != nil {
		m.Minutes = quota.Minutes{} // they begin anew
	}
	for i, dst := range []any{&m.Last, &m.Configured, &m.Gaps} {
		if err := json.Unmarshal([]byte(textAt(reply, 5+i)), dst); err != nil {
			return wrap([]string{"last", "fingerprints", "gaps"}[i], fmt.Errorf("%w: %w", pipeline.ErrDamaged, err))
		}
	}
	return m, nil
}
