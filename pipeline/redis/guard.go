package redis

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// Eviction says what a store does with a server that may throw state away.
type Eviction string

const (
	// RefuseEviction is the zero value: no claim, load or save while the server
	// evicts, or does not tell whether it does.
	RefuseEviction Eviction = "refuse"
	// AcceptUnknown takes a server that does not tell for one that does not
	// evict. One that says that it evicts is refused.
	AcceptUnknown Eviction = "accept_unknown"
	// AcceptLoss works on whatever the server does: state that is evicted
	// makes posteriors silently wrong.
	AcceptLoss Eviction = "accept_silent_loss"
)

// accepts returns the error of a look at the policy that stands in the way.
func (e Eviction) accepts(err error) error {
	switch {
	case errors.Is(err, ErrEviction) && e == AcceptLoss:
		return nil
	case errors.Is(err, ErrPolicyUnknown) && (e == AcceptLoss || e == AcceptUnknown):
		return nil
	}
	return err
}

// LookEvery is the time between two looks at the policy of a server that is worked with.
const LookEvery = 5 * time.Second

// guard keeps a store from working on a server that may throw state away. It knows
// what the server said last, and for how many connections: a new one may lead to a
// server that was started with other settings, or to another server, and so asks first.
type guard struct {
	policy      func(context.Context) (Policy, error)
	accept      Eviction
	connections atomic.Uint64           // to servers that may throw state away, made by what need not be kept from them
	verdict     atomic.Pointer[verdict] // nil: it was never looked
	turn        chan struct{}           // holds one for a look under way
}

// verdict is the outcome of a look.
type verdict struct {
	connections uint64
	err         error // ErrEviction or ErrPolicyUnknown; nil: the server may be worked with
}

func newGuard(accept Eviction) *guard {
	return &guard{accept: accept, turn: make(chan struct{}, 1)}
}

// guarded marks the context of a call that must not reach a server that may throw
// state away.
type guarded struct{}

// pass returns an error unless the server may be worked with, looking where that is
// not known of all connections, and the context for what is worked.
func (g *guard) pass(ctx context.Context) (context.Context, error) {
	if g == nil {
		return ctx, nil
	}
	work := context.WithValue(ctx, guarded{}, true)
	if v := g.known(); v != nil {
		return work, v.err
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx, ctx.Err()
	}
	defer func() { <-g.turn }()
	if v := g.known(); v != nil {
		return work, v.err
	}
	return work, g.look(ctx)
}

// known returns the verdict, nil where there are connections since that say otherwise.
func (g *guard) known() *verdict {
	if v := g.verdict.Load(); v != nil && v.connections == g.connections.Load() {
		return v
	}
	return nil
}

// look asks the server. A connection that is made for that is a new one, and is asked
// about once more.
func (g *guard) look(ctx context.Context) error {
	at := g.connections.Load()
	_, err := g.policy(ctx)
	return g.judge(at, err)
}

// judge keeps the verdict of an answer, and returns what stands in the way of work. An
// outage is no verdict. A master of a cluster that does not answer does not stand in the way of
// work with the others: who reaches it again does so by a connection that asks it. What one was
// last known to do still holds.
func (g *guard) judge(at uint64, err error) error {
	err = g.accept.accepts(err)
	if v, silent := g.verdict.Load(), new(silentError); errors.As(err, &silent) && (v == nil || v.err == nil) {
		err = nil
	}
	if err == nil || errors.Is(err, ErrEviction) || errors.Is(err, ErrPolicyUnknown) {
		g.verdict.Store(&verdict{at, err})
	}
	return err
}

// connected is called with every new connection. What passed before it was made is
// stopped here: the server at its end may be another one by now. What need not be kept
// from a server is not, and the next that must be looks at all of them first.
func (g *guard) connected(ctx context.Context, c *goredis.Conn) error {
	_, err := eviction(ctx, c)
	if ctx.Value(guarded{}) == nil {
		if g.accept.accepts(err) != nil {
			g.connections.Add(1)
		}
		return nil
	}
	return g.judge(g.connections.Load(), err)
}

// claimed is pass for what needs a claim: the claim is over, since what it read may be
// gone; the next one, once the server may be worked with, counts what there is.
func (g *guard) claimed(ctx context.Context) (context.Context, error) {
	work, err := g.pass(ctx)
	if errors.Is(err, ErrEviction) || errors.Is(err, ErrPolicyUnknown) {
		err = fmt.Errorf("%w: %w", pipeline.ErrFenced, err)
	}
	return work, err
}

// Unsafe returns why the store does not work on the server as it last said to be, nil
// where it does or was never asked.
func (s *Store) Unsafe() error {
	if s.guard == nil {
		return nil
	}
	if v := s.guard.verdict.Load(); v != nil {
		return v.err
	}
	return nil
}

// Watch looks at the server's policy at intervals until ctx ends, and tells of every
// change: of an error that keeps the store from working, and of nil once it may.
func (s *Store) Watch(ctx context.Context, every time.Duration, tell func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := s.Unsafe()
	for {
		bounded, cancel := context.WithTimeout(ctx, every)
		_ = s.guard.look(bounded) // what it finds is what Unsafe says
		cancel()
		if now := s.Unsafe(); (now == nil) != (last == nil) {
			tell(now)
			last = now
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
