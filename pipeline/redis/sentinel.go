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

// errSentinel reports a sentinel that takes its user or password for a wrong one, or that wants
// one where none was given.
var errSentinel = errors.New("redis sentinel")

// sentinels are who is logged in to themselves: the library reads their password once.
type sentinels struct{ login }

// behind reports whether a connection leads to a server behind sentinels, and not to a
// sentinel: the library has the same functions called for both.
func behind(c *goredis.Conn) bool { return strings.Contains(c.String(), "<FailoverClient ") }

// connected logs in to a sentinel with the password that is in the file by then.
func (s *sentinels) connected(ctx context.Context, c *goredis.Conn) error {
	if s.file == "" {
		if err := c.Ping(ctx).Err(); locked(err) {
			return fmt.Errorf("%w: %w; it wants a password: give %s", errSentinel, err, sentinelKeys)
		}
		return nil
	}
	err := s.authenticate(ctx, c)
	if err != nil {
		return fmt.Errorf("%w (user %q): %w; correct %s", errSentinel, s.user, err, s.keys)
	}
	return nil
}

// authenticate sends the password, which all sentinels are asked with at once, to one at a time
// until it was taken.
func (s *sentinels) authenticate(ctx context.Context, c *goredis.Conn) error {
	password, err := s.read()
	if err != nil {
		return err
	}
	done, err := s.tries.Begin(ctx, password)
	if err != nil {
		return err
	}
	if s.user == "" {
		err = c.Auth(ctx, password).Err()
	} else {
		err = c.AuthACL(ctx, s.user, password).Err()
	}
	done(err == nil, goredis.HasErrorPrefix(refusal(err), "WRONGPASS"))
	return err
}

// SentinelsExhausted is Exhausted for the password of the sentinels.
func (s *Store) SentinelsExhausted() <-chan struct{} {
	if s.sentinelTries == nil {
		return nil
	}
	return s.sentinelTries.Exhausted()
}
