package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// wrongType reports an answer that a Redis key is of another type than we made it: that does not end by itself.
func wrongType(err error) bool {
	answer := goredis.Error(nil)
	return errors.As(err, &answer) && strings.Contains(answer.Error(), "WRONGTYPE")
}

// named says of an error of the Redis keys of a command which of them somebody has made something else of. Of a
// partition's that is damage, which is repaired as any other; errors of other kinds are returned as they are.
func (s *Store) named(ctx context.Context, err error, keys ...string) error {
	if !wrongType(err) {
		return err
	}
	key, is := s.other(ctx, keys)
	if prefix, all := strings.CutSuffix(keys[0], "}:meta"); key == "" && all { // scripts find it themselves
		key, is = s.other(ctx, []string{prefix + "}:aside"})
	}
	switch {
	case key == "":
		return fmt.Errorf("%w: somebody has made something else of a Redis key: %w", pipeline.ErrDamaged, err)
	case key == s.members():
		return fmt.Errorf("%w: somebody has made something else of %s, which is %s: delete it (redis-cli DEL '%[2]s'), and the members of the group make it anew: %[4]w", pipeline.ErrOtherType, key, is, err)
	case strings.HasSuffix(key, "}:aside"):
		return fmt.Errorf("%w: somebody has made something else of %s, which is %s: delete it (redis-cli DEL '%[2]s'), and do this again: %[4]w", pipeline.ErrOtherType, key, is, err)
	case strings.HasSuffix(key, "}:topic"):
		return fmt.Errorf("%w: somebody has made something else of %s, which is %s: restore it or, if the topic was never rescaled, delete it (redis-cli DEL '%[2]s'), and it is made anew: %[4]w", pipeline.ErrOtherType, key, is, err)
	}
	return fmt.Errorf("%w: somebody has made something else of the Redis key %s, which is %s: %w", pipeline.ErrDamaged, key, is, err)
}

// other returns the first of some Redis keys of one slot that is of another type than we made it, and what it is with
// us; "" where each is as it should be, or cannot be looked at. It looks with the commands that a consumer may give.
func (s *Store) other(ctx context.Context, keys []string) (key, is string) {
	shapes, looks := make([]string, len(keys)), make([]goredis.Cmder, len(keys))
	_, _ = s.client.Pipelined(ctx, func(pipe goredis.Pipeliner) error { // each look has its own error
		for i, key := range keys {
			switch last := key[strings.Index(key, "}:")+2:]; {
			case last == "keys":
				shapes[i], looks[i] = "a sorted set", pipe.ZCard(ctx, key)
			case last == "pending", last == "aside":
				shapes[i], looks[i] = "a set", pipe.SMembers(ctx, key)
			case strings.HasPrefix(last, "blob:"):
				shapes[i], looks[i] = "a string", pipe.StrLen(ctx, key)
			default:
				shapes[i], looks[i] = "a hash", pipe.HLen(ctx, key)
			}
		}
		return nil
	})
	for i, look := range looks {
		if wrongType(look.Err()) {
			return keys[i], shapes[i]
		}
	}
	return "", ""
}
