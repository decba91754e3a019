// Package slow is a way to a server on which everything takes longer, as to one that is far, at its limits, or behind
// a narrow line.
package slow

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// Pace is how slow a way is. The zero value takes no time.
type Pace struct {
	Trip time.Duration // that every byte of an answer is under way
	Rate int           // bytes in a second, of all connections in one direction; 0: any number
}

// Way is a proxy to one server.
type Way struct {
	Addr string

	server string
	ended  <-chan struct{}

	mu    sync.Mutex
	pace  Pace
	free  [2]time.Time // when the line has room again, to the server and back
	open  map[net.Conn]bool
	bytes [2]int64
	dials int
}

const there, back = 0, 1

// Open returns a way to a server at host:port that is open until the test ends.
func Open(t testing.TB, server string) *Way {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(context.WithoutCancel(t.Context()))
	w := &Way{Addr: l.Addr().String(), server: server, ended: ended.Done(), open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { w.serve(ended, client) })
		}
	})
	t.Cleanup(func() {
		end()
		_ = l.Close()
		w.mu.Lock()
		for c := range w.open {
			_ = c.Close()
		}
		w.mu.Unlock()
		all.Wait()
	})
	return w
}

// Set changes the pace of all that comes from now on.
func (w *Way) Set(p Pace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pace, w.free = p, [2]time.Time{}
}

// Sent returns how many bytes have gone to the server.
func (w *Way) Sent() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes[there]
}

// Dials returns how many connections were made.
func (w *Way) Dials() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials
}

// serve is one connection.
func (w *Way) serve(ctx context.Context, client net.Conn) {
	server, err := new(net.Dialer).DialContext(ctx, "tcp", w.server)
	if err != nil {
		_ = client.Close()
		return
	}
	_ = client.(*net.TCPConn).SetReadBuffer(16 << 10) // what a system holds for us has not come through
	w.mu.Lock()
	w.dials++
	w.open[client], w.open[server] = true, true
	w.mu.Unlock()
	var both sync.WaitGroup
	for direction, ends := range [2][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			w.carry(direction, ends[0], ends[1])
			_, _ = client.Close(), server.Close()
		})
	}
	both.Wait()
	w.mu.Lock()
	delete(w.open, client)
	delete(w.open, server)
	w.mu.Unlock()
}

// piece is what has come, and when it arrives.
type piece struct {
	due  time.Time
	text []byte
}

// carry takes what comes in one direction to its end.
func (w *Way) carry(direction int, from, to net.Conn) {
	pieces, gone := make(chan piece, 1), make(chan struct{})
	go func() {
		defer close(pieces)
		for {
			text := make([]byte, 4<<10)
			n, err := from.Read(text)
			if n > 0 {
				select {
				case pieces <- piece{w.due(direction, n), text[:n]}:
				case <-gone:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	defer close(gone)
	for p := range pieces {
		timer := time.NewTimer(time.Until(p.due))
		select {
		case <-timer.C:
		case <-w.ended:
			timer.Stop()
			return
		}
		if _, err := to.Write(p.text); err != nil {
			return
		}
	}
}

// due returns when n bytes arrive that have come now.
func (w *Way) due(direction, n int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes[direction] += int64(n)
	at := time.Now()
	if w.pace.Rate > 0 {
		if w.free[direction].After(at) {
			at = w.free[direction]
		}
		at = at.Add(time.Duration(n) * time.Second / time.Duration(w.pace.Rate))
		w.free[direction] = at
	}
	if direction == back {
		at = at.Add(w.pace.Trip)
	}
	return at
}
