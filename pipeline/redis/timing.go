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

const (
	// pipelined is the name of commands that are sent together.
	pipelined = "pipeline"
	// connection is that of one more answer while a connection is made for a command.
	connection = "connection"
)

// Requests are the names of what a consumer asks for all the time: scripts, and commands
// that are sent together.
func Requests() []string {
	return []string{claimScript.name, loadScript.name, saveScript.name, announceScript.name, pipelined, connection}
}

// request is a command under way. Those by which the connection for it is made are requests of their own: each time that
// one is answered its command begins anew, so that a server that answers each of them is not taken for one that is silent.
type request struct {
	timing
	end func(request string, err error)
}

type requestKey struct{}

// ask makes a request of what next does, whose name is known afterwards.
func (m timing) ask(ctx context.Context, name func() string, next func(context.Context) error) error {
	of, _ := ctx.Value(requestKey{}).(*request)
	r := &request{m, m.begin()}
	err := next(context.WithValue(ctx, requestKey{}, r))
	r.end(name(), failure(ctx, err))
	if of != nil {
		of.end(connection, nil)
		of.end = of.begin()
	}
	return err
}

// DialHook implements goredis.Hook.
func (timing) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook.
func (m timing) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		return m.ask(ctx, func() string {
			if o, ok := cmd.(once); ok {
				return o.script
			}
			return cmd.Name()
		}, func(ctx context.Context) error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (m timing) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		return m.ask(ctx, func() string { return pipelined }, func(ctx context.Context) error { return next(ctx, cmds) })
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
