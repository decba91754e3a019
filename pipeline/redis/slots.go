package redis

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// slots is a hook of a cluster client that has its map of slots read again
// before the next command when one has failed as commands to a node that is gone
// do. The client itself asks once a minute and where a node sends it elsewhere; a
// dead node sends nobody anywhere, and a command that may not be repeated is not
// tried at another one.
type slots struct {
	reload func(context.Context) error
	doubt  atomic.Bool
	// When it was last read again, nil: never. It has the reading of the monotonic clock, so that a
	// machine's clock which is set back does not keep a dead node's slots for as long.
	read    atomic.Pointer[time.Time]
	reading atomic.Bool
}

const (
	// slotsPause is the least time between two looks at the map, and the longest that a command waits for one.
	slotsPause = time.Second
	// slotsLimit bounds a look: the client asks one node after the other, and one that hangs costs it a time-out.
	slotsLimit = 30 * time.Second
)

func newSlots(c *goredis.ClusterClient) *slots {
	return &slots{reload: func(ctx context.Context) error {
		// It reads the map before it visits the masters.
		return c.ForEachMaster(ctx, func(context.Context, *goredis.Client) error { return nil })
	}}
}

// DialHook implements goredis.Hook.
func (*slots) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook.
func (s *slots) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		s.look(ctx)
		err := next(ctx, cmd)
		s.heard(err)
		return err
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (s *slots) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		s.look(ctx)
		err := next(ctx, cmds)
		s.heard(err)
		return err
	}
}

// look has the map read again if it is in doubt, and waits for it, but not long: the command may be
// for a node that answers. An error shows in the command that follows.
func (s *slots) look(ctx context.Context) {
	if !s.doubt.Load() {
		return
	}
	last, now := s.read.Load(), time.Now()
	if last != nil && now.Sub(*last) < slotsPause || !s.reading.CompareAndSwap(false, true) {
		return
	}
	s.read.Store(&now)
	s.doubt.Store(false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer s.reading.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), slotsLimit)
		defer cancel()
		if s.reload(ctx) != nil {
			s.doubt.Store(true)
		}
	}()
	waits := time.NewTimer(slotsPause)
	defer waits.Stop()
	select {
	case <-done:
	case <-waits.C:
	case <-ctx.Done():
	}
}

// heard takes what a command came to for a doubt: no answer, or one of a node
// that is not, or not any more, the slot's master.
func (s *slots) heard(err error) {
	var answer goredis.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled):
	case !errors.As(err, &answer), misdirected(err):
		s.doubt.Store(true)
	}
}

func misdirected(err error) bool {
	for _, prefix := range []string{"CLUSTERDOWN", "MASTERDOWN", "MOVED", "READONLY"} {
		if goredis.HasErrorPrefix(err, prefix) {
			return true
		}
	}
	return false
}
