package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/internal/access"
)

// ownKeys are those of the configuration that say who comes to the servers.
const ownKeys = "redis.password_file, and the user in redis.url"

// login gives every connection the password that is in the file when it is made, and none
// once the server has refused it too often. It is a hook of the commands that send it.
type login struct {
	user, password, file string
	tries                *access.Tries
	keys                 string // of the configuration that a user corrects
}

// credentials implements goredis.Options.CredentialsProviderContext.
func (l *login) credentials(context.Context) (user, password string, err error) {
	password, err = l.read()
	if err == nil {
		err = l.tries.Left(password)
	}
	if err != nil {
		return "", "", fmt.Errorf("redis user %q: %w; correct %s", l.user, err, l.keys)
	}
	return l.user, password, nil
}

func (l *login) read() (string, error) {
	if l.file == "" {
		return l.password, nil
	}
	return access.Password(l.file)
}

// taken says that a connection is there.
func (l *login) taken(context.Context) { l.heard(true, false) }

func (l *login) heard(taken, refused bool) {
	if password, err := l.read(); err == nil && l.tries.Left(password) == nil {
		l.tries.Heard(password, taken, refused)
	}
}

// DialHook implements goredis.Hook.
func (*login) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook. A connection sends the password with HELLO, and where
// that is refused once more with AUTH.
func (l *login) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if name := cmd.Name(); name != "hello" && name != "auth" {
			return next(ctx, cmd)
		}
		if _, _, err := l.credentials(ctx); err != nil {
			cmd.SetErr(err)
			return err
		}
		err := next(ctx, cmd)
		if err != nil && cmd.Name() == "hello" {
			err = access.HungUp(err, "compare redis.url with its port: rediss is with TLS, redis without")
			cmd.SetErr(err)
		}
		switch refused := refusal(err); {
		case goredis.HasErrorPrefix(refused, "WRONGPASS"):
			l.heard(false, true)
		case goredis.HasErrorPrefix(refused, crowded):
			// The client would take a refusal of HELLO for an old server's, and tell of the connection that ended behind it.
			err = fmt.Errorf("redis takes no more connections: raise its maxclients, or end some: %v", err) //nolint:errorlint // it must not be one of the server's
			cmd.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (*login) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// Exhausted is closed when the server has refused the password access.MostTries times: it is
// not sent again. Nil, which never is, for a store that New made.
func (s *Store) Exhausted() <-chan struct{} {
	if s.tries == nil {
		return nil
	}
	return s.tries.Exhausted()
}
