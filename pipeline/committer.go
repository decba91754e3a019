package pipeline

import (
	"context"
	"sync"
	"time"
)

// committer moves the group offset of an assignment, one commit at a time, so that
// none overtakes a later one, and one in an interval. Nothing depends on it: a
// refusal is not looked at, and an offset that is not the newest any more is left
// out.
type committer struct {
	commit   func(context.Context, GroupOffset) error
	interval time.Duration
	hurry    chan struct{} // closed when the last commit is waited for

	mu   sync.Mutex
	next GroupOffset
	done chan struct{} // nil: no goroutine commits
}

func newCommitter(commit func(context.Context, GroupOffset) error, interval time.Duration) *committer {
	return &committer{commit: commit, interval: interval, hurry: make(chan struct{})}
}

// to asks for an offset.
func (c *committer) to(ctx context.Context, at GroupOffset) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = at
	if c.done == nil {
		c.done = make(chan struct{})
		go c.run(context.WithoutCancel(ctx), c.done)
	}
}

func (c *committer) run(ctx context.Context, done chan struct{}) {
	defer close(done)
	for at := (GroupOffset{Offset: -1}); ; {
		c.mu.Lock()
		if at == c.next {
			c.done = nil
			c.mu.Unlock()
			return
		}
		at = c.next
		c.mu.Unlock()
		bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
		_ = c.commit(bounded, at)
		cancel()
		c.rest()
	}
}

// rest lets an interval pass, unless the last commit is waited for.
func (c *committer) rest() {
	t := time.NewTimer(c.interval)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.hurry:
	}
}

// lastWord is how long the end of an assignment waits for its last commit, and
// the end of the process for calls.
const lastWord = time.Second / 2

// wait returns when nothing is left to commit, or it takes too long. Nobody
// asks for an offset afterwards.
func (c *committer) wait() {
	close(c.hurry)
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(lastWord):
	}
}
