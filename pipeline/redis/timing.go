package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"
)

// timing is a hook that tells of every command that it begins and that it is over.
type timing struct {
	begin func() (end func(request string, err error))
}

// pipelined is the name of commands that are sent together.
const pipelined = "pipeline"

// Requests are the names of what a consumer asks for all the time: scripts, and commands
// that are sent together.
func Requests() []string {
	return []string{claimScript.name, loadScript.name, saveScript.name, announceScript.name, pipelined}
}

// DialHook implements goredis.Hook.
func (timing) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook.
func (m timing) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		end := m.begin()
		err := next(ctx, cmd)
		name := cmd.Name()
		if o, ok := cmd.(once); ok {
			name = o.script
		}
		end(name, failure(ctx, err))
		return err
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (m timing) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		end := m.begin()
		err := next(ctx, cmds)
		end(pipelined, failure(ctx, err))
		return err
	}
}

// failure returns an error of the server or of the way there: an absent value is none, nor
// is a script that the server does not know yet, nor what the caller gave up.
func failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, goredis.Nil), goredis.HasErrorPrefix(err, "NOSCRIPT"):
		return nil
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	}
	return err
}

// SetLog has the client library's lines, of all stores of the process, taken by a function.
func SetLog(printf func(format string, args ...any)) { goredis.SetLogger(lines(printf)) }

// Until somebody takes them they are nobody's: what goes wrong is in the errors, and the
// library would write on stderr beside what a command says there.
func init() { SetLog(func(string, ...any) {}) }

type lines func(format string, args ...any)

// Printf implements the library's logger.
func (l lines) Printf(_ context.Context, format string, args ...any) {
	l("%s", fmt.Sprintf(format, args...))
}
