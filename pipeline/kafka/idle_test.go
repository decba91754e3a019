package kafka

import (
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdleConnectionsAreClosed: brokers that come back at other addresses, a thousand times,
// leave no connections to the old ones, nor does a burst of requests leave its own.
func TestIdleConnectionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Options{Brokers: []string{"a:1"}})
		if err != nil {
			t.Fatal(err)
		}
		var all []*pipe
		put := func(addr string) {
			end, _ := net.Pipe()
			all = append(all, &pipe{Conn: end})
			c.put(&conn{net: all[len(all)-1], addr: addr})
		}
		open := func() (n int) {
			for _, p := range all {
				if !p.closed {
					n++
				}
			}
			return n
		}
		for i := range 1000 {
			for range 3 {
				put(fmt.Sprintf("broker-%d:9092", i))
			}
			<-time.After(10 * time.Second) // of the bubble's clock
			// A minute of connections at most: those that wait, and what is swept every half.
			if n := open(); n > 3*6 || len(c.idle) > 6 {
				t.Fatalf("after %d addresses %d connections to %d of them are open", i+1, n, len(c.idle))
			}
		}
		if err := c.Close(); err != nil || open() != 0 {
			t.Errorf("error %v, and %d connections are open after the end", err, open())
		}
	})
}

// pipe is a connection that knows whether it was closed.
type pipe struct {
	net.Conn
	closed bool
}

func (p *pipe) Close() error {
	p.closed = true
	return p.Conn.Close()
}
