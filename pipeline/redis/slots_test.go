package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// reply is an error that a server answers.
type reply string

func (r reply) Error() string { return string(r) }
func (reply) RedisError()     {}

// The map is read again before the command after one that no master answered,
// and after no other; not twice within a second.
func TestMapOfSlotsIsReadAgain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {goredis.Nil, 0}, {reply("OOM command not allowed"), 0}, {reply("NOSCRIPT No matching script"), 0}, {context.Canceled, 0},
		{io.EOF, 1}, {fmt.Errorf("dial: %w", errors.New("connection refused")), 1}, {context.DeadlineExceeded, 1},
		{reply("CLUSTERDOWN The cluster is down"), 1}, {reply("READONLY You can't write"), 1}, {reply("MOVED 1 127.0.0.1:1"), 1},
	} {
		reloads, sent := 0, 0
		s := &slots{reload: func(context.Context) error { reloads++; return nil }}
		first := func() error {
			if sent++; sent == 1 {
				return c.err
			}
			return nil
		}
		one := s.ProcessHook(func(context.Context, goredis.Cmder) error { return first() })
		many := s.ProcessPipelineHook(func(context.Context, []goredis.Cmder) error { return first() })
		for range 3 {
			_ = one(t.Context(), nil)
		}
		if at := s.read.Load(); c.want > 0 && !strings.Contains(at.String(), " m=") {
			t.Errorf("%v: read at %v, which a clock that is set back changes", c.err, at)
		}
		s.read.Store(nil)
		sent = 0
		for range 3 {
			_ = many(t.Context(), nil)
		}
		if reloads != 2*c.want {
			t.Errorf("%v: read %d times, want %d", c.err, reloads, 2*c.want)
		}
		later := time.Now().Add(time.Hour)
		s.read.Store(&later)
		s.heard(c.err)
		if _ = one(t.Context(), nil); reloads != 2*c.want {
			t.Errorf("%v: read again within a second", c.err)
		}
	}
}

// A node that hangs holds a look at the map up, which it may be asked for. The command before which it is
// looked may be for another node, and waits a second; those after it do not wait, and there is one look at a time.
func TestHangingLookIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32
		s := &slots{reload: func(ctx context.Context) error {
			looks.Add(1)
			<-ctx.Done()
			return ctx.Err()
		}}
		command := s.ProcessHook(func(context.Context, goredis.Cmder) error { return nil })
		s.heard(io.EOF)
		for i, want := range []time.Duration{slotsPause, 0, 0} {
			begin := time.Now()
			_ = command(t.Context(), nil)
			if took := time.Since(begin); took != want {
				t.Errorf("command %d waits %v for a look that hangs, want %v", i, took, want)
			}
			<-time.After(2 * slotsPause)
			s.heard(io.EOF)
		}
		if n := looks.Load(); n != 1 {
			t.Errorf("%d looks at once, want 1", n)
		}
		<-time.After(slotsLimit)
		if _ = command(t.Context(), nil); looks.Load() != 2 {
			t.Errorf("%d looks after the first has ended, want 2", looks.Load())
		}
		<-time.After(slotsLimit)
		synctest.Wait()
	})
}
