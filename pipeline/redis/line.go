package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	// silence is how long a server may take nothing of a request, and say nothing of an answer. It counts from the
	// last byte: what comes slowly, as the answers to many commands at once or a large value, comes to its end.
	silence = 10 * time.Second
	// megabyteSilence is how much longer the first byte of an answer may take for a megabyte of the request, which the
	// system takes at once and sends by and by: at least 26 kB in a second.
	megabyteSilence = 40 * time.Second
	// mouthful is what is written under one limit.
	mouthful = 64 << 10
)

// line is a connection whose limits count from the last byte. The client's deadlines are those of contexts alone.
type line struct {
	net.Conn
	addr string

	mu      sync.Mutex
	readBy  time.Time // zero: there is no such limit
	writeBy time.Time
	sent    int // bytes that nothing was answered to
}

// SyscallConn implements syscall.Conn, by which the client looks whether the server has hung up.
func (l *line) SyscallConn() (syscall.RawConn, error) {
	if c, ok := l.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// SetDeadline implements net.Conn.
func (l *line) SetDeadline(t time.Time) error {
	return errors.Join(l.SetReadDeadline(t), l.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (l *line) SetReadDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readBy = t
	return l.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (l *line) SetWriteDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writeBy = t
	return l.Conn.SetWriteDeadline(t)
}

// Read implements net.Conn.
func (l *line) Read(b []byte) (int, error) {
	l.mu.Lock()
	begun, by, asked := time.Now(), l.readBy, l.sent
	l.mu.Unlock()
	if err := l.Conn.SetReadDeadline(earlier(begun.Add(patience(asked)), by)); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(b)
	if n > 0 {
		l.mu.Lock()
		l.sent = 0
		l.mu.Unlock()
	}
	return n, l.overdue(err, begun, by, asked)
}

// Write implements net.Conn.
func (l *line) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		l.mu.Lock()
		begun, by := time.Now(), l.writeBy
		l.mu.Unlock()
		if err = l.Conn.SetWriteDeadline(earlier(begun.Add(silence), by)); err != nil {
			return n, err
		}
		var some int
		some, err = l.Conn.Write(b[n:min(len(b), n+mouthful)])
		n += some
		l.mu.Lock()
		l.sent += some
		asked := l.sent
		l.mu.Unlock()
		err = l.overdue(err, begun, by, asked)
	}
	return n, err
}

// patience is how long an answer to a number of bytes may say nothing.
func patience(asked int) time.Duration {
	return silence + time.Duration(asked)*megabyteSilence>>20
}

// earlier returns a time, or another one that is earlier and not zero.
func earlier(t, other time.Time) time.Time {
	if other.IsZero() || t.Before(other) {
		return t
	}
	return other
}

// overdue makes an error of a limit one that says whose silence it was.
func (l *line) overdue(err error, begun, by time.Time, asked int) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return &overdueError{l.addr, time.Since(begun), asked, !by.IsZero() && !time.Now().Before(by), err}
}

// overdueError reports a server that is slower than what was asked of it may take. It has no Unwrap, for the
// client takes off one layer of an error.
type overdueError struct {
	addr  string
	took  time.Duration // since the last byte
	asked int           // bytes that nothing was answered to
	given bool          // the limit was the caller's, of all that it asked
	err   error
}

// slowRemedy says what to do about a server that is slow.
const slowRemedy = "it is stopped, overloaded or behind a slow network: look at its load (SLOWLOG, INFO commandstats, --latency of redis-cli) and at the way to it"

func (e *overdueError) Error() string {
	took := e.took.Round(100 * time.Millisecond)
	switch {
	case e.given:
		return fmt.Sprintf("%s is too slow: the time for this request is over, and nothing has come for %v; %s", e.addr, took, slowRemedy)
	case e.asked > mouthful:
		return fmt.Sprintf("%s has not answered a request of %d kB for %v; %s", e.addr, e.asked>>10, took, slowRemedy)
	}
	return fmt.Sprintf("%s has not answered for %v; %s", e.addr, took, slowRemedy)
}

// Advice implements what access.Advice looks for.
func (*overdueError) Advice() string { return slowRemedy }

// Is and As look into the error.
func (e *overdueError) Is(target error) bool { return errors.Is(e.err, target) }
func (e *overdueError) As(target any) bool   { return errors.As(e.err, target) }

// Timeout and Temporary implement net.Error.
func (*overdueError) Timeout() bool   { return true }
func (*overdueError) Temporary() bool { return true }

// late is a hook that says what a time was over for: the library says no more than that it is.
type late struct{}

// DialHook implements goredis.Hook.
func (late) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook.
func (late) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		begun := time.Now()
		err := unserved(next(ctx, cmd), begun)
		if err != nil {
			cmd.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (late) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		begun := time.Now()
		return unserved(next(ctx, cmds), begun)
	}
}

// unserved explains that a request has had no connection until its time was over.
func unserved(err error, begun time.Time) error {
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, goredis.ErrPoolTimeout) || errors.As(err, new(*overdueError)) || errors.As(err, new(*net.OpError)) {
		return err
	}
	return fmt.Errorf("no connection to Redis was free, or came about, for %v: others wait for their answers; %s: %w",
		time.Since(begun).Round(100*time.Millisecond), slowRemedy, err)
}
