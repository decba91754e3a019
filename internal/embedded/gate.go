package embedded

import (
	"context"
	"net"
	"sync"
	"time"
)

// gate stands between a listener and its clients: it can hold every byte back
// and cut every connection.
type gate struct {
	mu    sync.Mutex
	held  chan struct{} // not nil while paused; closed by resume
	conns map[net.Conn]struct{}
}

func newGate() *gate { return &gate{conns: map[net.Conn]struct{}{}} }

func (g *gate) pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		g.held = make(chan struct{})
	}
}

func (g *gate) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held != nil {
		close(g.held)
		g.held = nil
	}
}

// cut closes every connection and ends a pause.
func (g *gate) cut() {
	g.mu.Lock()
	conns := g.conns
	g.conns = map[net.Conn]struct{}{}
	g.mu.Unlock()
	for c := range conns {
		c.Close() //nolint:errcheck // a cut connection has nothing to report
	}
	g.resume()
}

// wait returns when the gate is not paused.
func (g *gate) wait() {
	g.mu.Lock()
	held := g.held
	g.mu.Unlock()
	if held != nil {
		<-held
	}
}

// adopt returns c behind the gate.
func (g *gate) adopt(c net.Conn) net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
	return &gatedConn{Conn: c, gate: g}
}

// listen listens on addr. A port that was ours a moment ago may still be on
// its way out, so it asks again until ctx ends.
func (g *gate) listen(ctx context.Context, addr string) (net.Listener, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
		if err == nil {
			return &gatedListener{Listener: l, gate: g}, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

type gatedListener struct {
	net.Listener
	gate *gate
}

func (l *gatedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.gate.adopt(c), nil
}

// gatedConn delivers what it read and sends what it was given only while the
// gate is not paused.
type gatedConn struct {
	net.Conn
	gate *gate
}

func (c *gatedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.gate.wait()
	return n, err
}

func (c *gatedConn) Write(b []byte) (int, error) {
	c.gate.wait()
	return c.Conn.Write(b)
}

func (c *gatedConn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c.Conn)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}
