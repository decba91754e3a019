package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/internal/access"
)

const (
	callTimeout = 10 * time.Second
	// idleTimeout is below what brokers and load balancers grant.
	idleTimeout = 30 * time.Second
	// atOnce is how many requests one broker is sent at a time: more would
	// only wait there, each on a connection of its own.
	atOnce = 64
)

var errClosed = errors.New("client closed")

// Client holds the connections of this process to one cluster. It is safe
// for concurrent use; a connection carries one request at a time.
type Client struct {
	prepared
	options Options

	mu     sync.Mutex
	closed bool
	idle   map[string][]*conn
	swept  time.Time                // when idle was last looked through
	turns  map[string]chan struct{} // by address, each holds one per request
	routes map[string]route         // by topic

	addresses *addresses
	lookups   lookups
}

// New reads the files that the options name. It does not connect.
func New(o Options) (*Client, error) {
	p, err := o.prepare()
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return &Client{
		prepared: p, options: o,
		idle: map[string][]*conn{}, turns: map[string]chan struct{}{}, routes: map[string]route{},
		addresses: newAddresses(p.brokers), lookups: lookups{next: map[string]*lookup{}},
	}, nil
}

// ClusterID returns the id that the cluster gave itself when it was formatted.
func (c *Client) ClusterID(ctx context.Context) (string, error) {
	m, err := c.metadata(ctx, "")
	if err != nil {
		return "", fmt.Errorf("cluster id: %w", err)
	}
	if m.cluster == "" {
		return "", errors.New("cluster id: the brokers do not name one")
	}
	return m.cluster, nil
}

// Advertised returns the addresses that the brokers give themselves: what is
// read from a partition comes from one of them, whatever address was configured.
func (c *Client) Advertised(ctx context.Context) ([]string, error) {
	m, err := c.metadata(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("addresses of the brokers: %w", err)
	}
	return slices.Sorted(maps.Values(m.brokers)), nil
}

// Close closes the connections that wait; those in use close when their
// request ends. Every later call fails.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, conns := range c.idle {
		for _, n := range conns {
			_ = n.net.Close()
		}
	}
	c.idle = nil
	return nil
}

// grab returns a waiting connection, or nil.
func (c *Client) grab(addr string) (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	for conns := c.idle[addr]; len(conns) > 0; conns = c.idle[addr] {
		n := conns[len(conns)-1]
		c.idle[addr] = conns[:len(conns)-1]
		if time.Since(n.idle) < idleTimeout {
			return n, nil
		}
		_ = n.net.Close()
	}
	return nil, nil
}

func (c *Client) put(n *conn) {
	n.idle = time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = n.net.Close()
		return
	}
	c.idle[n.addr] = append(c.idle[n.addr], n)
	if n.idle.Sub(c.swept) >= idleTimeout {
		c.swept = n.idle
		c.sweep(n.idle)
	}
}

// sweep closes what has waited for too long: there were more requests at once than now, or
// the broker has another address, and nobody will ask at this one again.
func (c *Client) sweep(now time.Time) {
	for addr, conns := range c.idle {
		conns = slices.DeleteFunc(conns, func(n *conn) bool {
			late := now.Sub(n.idle) >= idleTimeout
			if late {
				_ = n.net.Close()
			}
			return late
		})
		if c.idle[addr] = conns; len(conns) == 0 {
			delete(c.idle, addr)
		}
	}
}

// turn waits until a broker may be sent another request, which done ends.
func (c *Client) turn(ctx context.Context, addr string) (done func(), err error) {
	c.mu.Lock()
	turns := c.turns[addr]
	if turns == nil {
		turns = make(chan struct{}, atOnce)
		c.turns[addr] = turns
	}
	c.mu.Unlock()
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do runs one request on a connection to addr. A kafka.Error leaves the
// connection in order, every other error closes it, and so does the end of
// ctx. A connection that waited may have been closed by the broker in the
// meantime, so its failure is followed by one attempt on a new one.
func (c *Client) do(ctx context.Context, addr string, limit time.Duration, f func(*conn) error) error {
	done, err := c.turn(ctx, addr)
	if err != nil {
		return err
	}
	defer done()
	n, err := c.grab(addr)
	if err != nil {
		return err
	}
	for {
		waited := n != nil
		if !waited {
			end := c.begin()
			n, err = c.dial(ctx, addr)
			if end(connecting, gaveUp(ctx, err)); err != nil {
				return err
			}
		}
		if err := n.unmuted(ctx); err != nil {
			c.put(n)
			return err
		}
		end, begun := c.begin(), time.Now()
		err = n.run(ctx, limit, f)
		end(n.asked(), gaveUp(ctx, err))
		var code kafka.Error
		switch {
		case err == nil || errors.As(err, &code):
			c.put(n)
			return err
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fmt.Errorf("broker %s: %w", addr, n.unanswered(ctx.Err(), begun))
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("broker %s: %w", addr, n.unanswered(err, begun))
		case !waited && c.sasl == nil: // after the versions, which a broker tells everybody
			return fmt.Errorf("broker %s: %w", addr, access.HungUp(err, compareListener))
		case !waited:
			return fmt.Errorf("broker %s: %w", addr, err)
		}
		n = nil
	}
}

// gaveUp tells a request that its caller gave up from one that failed.
func gaveUp(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	return err
}

func (c *Client) begin() func(string, error) {
	if c.options.Begin == nil {
		return func(string, error) {}
	}
	return c.options.Begin()
}

// run calls f with a time limit; the end of ctx closes the connection.
func (n *conn) run(ctx context.Context, limit time.Duration, f func(*conn) error) error {
	if err := n.net.SetDeadline(time.Now().Add(limit)); err != nil {
		_ = n.net.Close()
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = n.net.Close() })
	err := f(n)
	if !stop() {
		return ctx.Err()
	}
	var code kafka.Error
	if err != nil && !errors.As(err, &code) {
		_ = n.net.Close()
	}
	return err
}
