package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// sentinelKeys are those of the configuration that say who asks the sentinels.
const sentinelKeys = "redis.sentinel_username and redis.sentinel_password_file"

// ErrSentinel reports a sentinel that takes its user or password for a wrong one, or that wants
// one where none was given.
var ErrSentinel = errors.New("redis sentinel")

// sentinels are who is logged in to themselves: the library reads their password once.
type sentinels struct{ login }

// behind reports whether a connection leads to a server behind sentinels, and not to a
// sentinel: the library has the same functions called for both.
func behind(c *goredis.Conn) bool { return strings.Contains(c.String(), "<FailoverClient ") }

// connected logs in to a sentinel with the password that is in the file by then.
func (s *sentinels) connected(ctx context.Context, c *goredis.Conn) error {
	if s.file == "" {
		if err := c.Ping(ctx).Err(); locked(err) {
			return fmt.Errorf("%w: %w; it wants a password: give %s", ErrSentinel, err, sentinelKeys)
		}
		return nil
	}
	user, password, err := s.credentials(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSentinel, err)
	}
	if user == "" {
		err = c.Auth(ctx, password).Err()
	} else {
		err = c.AuthACL(ctx, user, password).Err()
	}
	s.heard(err == nil, goredis.HasErrorPrefix(refusal(err), "WRONGPASS"))
	if err != nil {
		return fmt.Errorf("%w (user %q): %w; correct %s", ErrSentinel, user, err, s.keys)
	}
	return nil
}

// SentinelsExhausted is Exhausted for the password of the sentinels.
func (s *Store) SentinelsExhausted() <-chan struct{} {
	if s.sentinelTries == nil {
		return nil
	}
	return s.sentinelTries.Exhausted()
}
