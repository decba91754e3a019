package kafka

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/protocol"
)

// What any broker can answer is asked of one after another.

const (
	// silence is how long a broker is waited for alone; it can still answer
	// while the next one is asked. One that was stopped accepts connections and
	// says nothing.
	silence = time.Second
	// anyTimeout bounds the wait for all of them, with the answers by which a connection is made.
	anyTimeout = 2 * callTimeout
)

// addresses holds the addresses of a cluster's brokers, each once, in the order in
// which they are asked: the one that answered last is the first, and those that
// failed or were silent are the last.
type addresses struct {
	given []string // stay in it
	mu    sync.Mutex
	addrs []string
}

func newAddresses(given []string) *addresses {
	a := &addresses{given: given}
	for _, addr := range given {
		if !slices.Contains(a.addrs, addr) {
			a.addrs = append(a.addrs, addr)
		}
	}
	return a
}

func (a *addresses) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.addrs)
}

func (a *addresses) answered(addr string) { a.move(addr, 0) }

func (a *addresses) failed(addr string) { a.move(addr, -1) }

// move puts an address first, 0, or last, -1.
func (a *addresses) move(addr string, to int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(a.addrs, addr)
	if i < 0 {
		return // no longer a broker
	}
	a.addrs = slices.Delete(a.addrs, i, i+1)
	if to < 0 {
		to = len(a.addrs)
	}
	a.addrs = slices.Insert(a.addrs, to, addr)
}

// named replaces the brokers that the cluster named before. Those that are new
// come behind the one that named them.
func (a *addresses) named(addrs []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addrs = slices.DeleteFunc(a.addrs, func(addr string) bool {
		return !slices.Contains(addrs, addr) && !slices.Contains(a.given, addr)
	})
	for _, addr := range addrs {
		if !slices.Contains(a.addrs, addr) {
			a.addrs = slices.Insert(a.addrs, min(1, len(a.addrs)), addr)
		}
	}
}

// ask sends a request to the first broker that answers.
func (c *Client) ask(ctx context.Context, req protocol.Message) (protocol.Message, error) {
	return anywhere(ctx, c, func(n *conn) (protocol.Message, error) { return n.call(req) })
}

// anywhere runs a request on one broker after another, and returns the first
// answer. The next one is asked when one has failed, and beside one that is
// silent. F may run on several connections at once.
func anywhere[T any](ctx context.Context, c *Client, f func(*conn) (T, error)) (T, error) {
	type answer struct {
		addr  string
		value T
		err   error
	}
	var none T
	waiting := c.addresses.list()
	answers := make(chan answer, len(waiting))
	var asked sync.WaitGroup
	defer asked.Wait()
	bounded, cancel := context.WithTimeout(ctx, anyTimeout)
	defer cancel() // closes the connections of those that did not answer
	patience := time.NewTimer(silence)
	defer patience.Stop()
	var first error
	for open := 0; ; {
		last := ""
		if len(waiting) > 0 {
			last, waiting = waiting[0], waiting[1:]
			open++
			asked.Go(func() {
				a := answer{addr: last}
				a.err = c.do(bounded, last, anyTimeout, func(n *conn) (err error) {
					a.value, err = f(n)
					return err
				})
				answers <- a
			})
			patience.Reset(silence)
		} else if open == 0 {
			return none, first
		}
		select {
		case a := <-answers:
			open--
			switch {
			case a.err == nil:
				c.addresses.answered(a.addr)
				return a.value, nil
			case ctx.Err() != nil:
				return none, ctx.Err()
			case first == nil && bounded.Err() != nil:
				first = fmt.Errorf("broker %s: no answer within %s", a.addr, anyTimeout)
			case first == nil:
				first = a.err
			}
			c.addresses.failed(a.addr)
		case <-patience.C:
			if last != "" {
				c.addresses.failed(last)
			}
		}
	}
}
