package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.LayoutAdmin = (*Store)(nil)

// layout is what the field of that name holds beside the count, which is as it always
// was: programs that know no more halt where it is not that of the topic.
type layout struct {
	Past   []pipeline.Era   `json:"past,omitempty"`
	Moving *pipeline.Moving `json:"moving,omitempty"`

	Importing *pipeline.Importing `json:"importing,omitempty"`
}

// Layout implements pipeline.LayoutAdmin.
func (s *Store) Layout(ctx context.Context, topic string) (pipeline.Layout, error) {
	key, err := s.topicKey(topic)
	if err != nil {
		return pipeline.Layout{}, err
	}
	reply, err := s.client.HMGet(ctx, key, "partitions", "layout").Result()
	if err != nil {
		return pipeline.Layout{}, fmt.Errorf("layout of %s: %w", topic, s.named(ctx, err, key))
	}
	l := pipeline.Layout{Partitions: pipeline.Unbegun}
	if err := scanInt(reply, 0, &l.Partitions); err != nil {
		return l, fmt.Errorf("layout of %s: partitions: %w", topic, err)
	}
	var rest layout
	if text := textAt(reply, 1); text != "" {
		if err := json.Unmarshal([]byte(text), &rest); err != nil {
			return l, fmt.Errorf("layout of %s: %w: %w", topic, pipeline.ErrDamaged, err)
		}
	}
	l.Past, l.Moving, l.Importing = rest.Past, rest.Moving, rest.Importing
	return l, nil
}

// begunBatch is how many partitions a call of Begun asks for.
const begunBatch = 500

// Begun implements pipeline.LayoutReader: a round trip for some hundred partitions. What
// somebody has made something else of is left of a state, too.
func (s *Store) Begun(ctx context.Context, topic string, partitions int) (int, error) {
	begun := 0
	for from := 0; from < partitions; from += begunBatch {
		spaces := make([]space, min(begunBatch, partitions-from))
		for i := range spaces {
			var err error
			if spaces[i], err = s.space(pipeline.Partition{Topic: topic, ID: int32(from + i)}); err != nil {
				return 0, err
			}
		}
		metas, lists := make([]*goredis.SliceCmd, len(spaces)), make([]*goredis.IntCmd, len(spaces))
		_, err := s.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error {
			for i, k := range spaces {
				metas[i], lists[i] = pipe.HMGet(ctx, k.meta(), "watermark"), pipe.ZCard(ctx, k.keys())
			}
			return nil
		})
		if err != nil && !wrongType(err) {
			return 0, fmt.Errorf("partitions of %s that have states: %w", topic, err)
		}
		for i := range spaces {
			for _, err := range []error{metas[i].Err(), lists[i].Err()} {
				if err != nil && !wrongType(err) {
					return 0, fmt.Errorf("partitions of %s that have states: %w", topic, err)
				}
			}
			if metas[i].Err() != nil || lists[i].Err() != nil || textAt(metas[i].Val(), 0) != "" || lists[i].Val() > 0 {
				begun++
			}
		}
	}
	return begun, nil
}

// SetLayout implements pipeline.LayoutAdmin.
func (s *Store) SetLayout(ctx context.Context, topic string, was, is pipeline.Layout) error {
	key, err := s.topicKey(topic)
	if err != nil {
		return err
	}
	var args []any
	for _, l := range []pipeline.Layout{was, is} {
		count, text := "", []byte(nil)
		if l.Partitions >= 0 {
			count = strconv.Itoa(l.Partitions)
		}
		if l.Past != nil || l.Moving != nil || l.Importing != nil {
			if text, err = json.Marshal(layout{l.Past, l.Moving, l.Importing}); err != nil {
				return err
			}
		}
		args = append(args, count, text)
	}
	if _, err := s.run(ctx, layoutScript, []string{key}, args); err != nil {
		return fmt.Errorf("layout of %s: %w", topic, err)
	}
	return nil
}

// Amend implements pipeline.LayoutAdmin.
func (s *Store) Amend(ctx context.Context, lease pipeline.Lease, c pipeline.Checkpoint) error {
	k, err := s.leased(lease)
	if err != nil {
		return err
	}
	if c.From < 0 || c.To != c.From {
		return fmt.Errorf("amend %s: a checkpoint from %d to %d", lease.Partition, c.From, c.To)
	}
	if err := s.save(ctx, k, lease, c); err != nil {
		return fmt.Errorf("amend %s at %d: %w", lease.Partition, c.To, err)
	}
	return nil
}
