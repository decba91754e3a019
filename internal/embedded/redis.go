package embedded

import (
	"context"
	"io"
	"net"
	"path"
	"sync"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

const anyPort = "127.0.0.1:0"

// redisServer is a miniredis behind a gate, because it can neither be paused
// nor lose its connections by itself.
type redisServer struct {
	store *miniredis.Miniredis
	gate  *gate
	addr  string // where clients connect

	mu   sync.Mutex
	down context.CancelFunc // nil while down; waits for every copying goroutine
}

func newRedis() (*redisServer, error) {
	m := miniredis.NewMiniRedis()
	if err := m.StartAddr(anyPort); err != nil {
		return nil, err
	}
	if err := m.Server().Register("CONFIG", config); err != nil {
		m.Close()
		return nil, err
	}
	m.Server().SetPreHook(lex(m.Server()))
	return &redisServer{store: m, gate: newGate()}, nil
}

// config answers CONFIG GET, which miniredis lacks, for the settings that a
// checkpoint store depends on.
func config(c *server.Peer, _ string, args []string) {
	if len(args) < 2 || args[0] != "GET" && args[0] != "get" {
		c.WriteError("ERR only CONFIG GET is supported")
		return
	}
	var out []string
	for _, s := range [][2]string{{"appendonly", "no"}, {"maxmemory", "0"}, {"maxmemory-policy", "noeviction"}} {
		for _, pattern := range args[1:] {
			if ok, err := path.Match(pattern, s[0]); ok && err == nil {
				out = append(out, s[0], s[1])
				break
			}
		}
	}
	c.Block(func(w *server.Writer) {
		w.WriteMapLen(len(out) / 2)
		for _, s := range out {
			w.WriteBulk(s)
		}
	})
}

func (r *redisServer) start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		return nil
	}
	l, err := r.gate.listen(ctx, r.addr)
	if err != nil {
		return err
	}
	if r.addr == anyPort {
		r.addr = l.Addr().String() // kept for every later start
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.serve(serving, l)
	}()
	r.down = func() {
		stop()
		l.Close() //nolint:errcheck // ends serve
		r.gate.cut()
		<-done
	}
	return nil
}

// serve joins every accepted connection to one of its own to the store. It
// returns when the listener and all connections are closed.
func (r *redisServer) serve(ctx context.Context, l net.Listener) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		client, err := l.Accept()
		if err != nil {
			r.gate.cut() // what was accepted after the first cut
			return
		}
		backend, err := new(net.Dialer).DialContext(ctx, "tcp", r.store.Addr())
		if err != nil {
			client.Close() //nolint:errcheck // the client sees a closed connection
			continue
		}
		copyAll := func(to, from net.Conn) {
			io.Copy(to, from) //nolint:errcheck // either side may hang up at any time
			to.Close()        //nolint:errcheck // ends the other direction
			from.Close()      //nolint:errcheck // ends the other direction
		}
		wg.Go(func() { copyAll(backend, client) })
		wg.Go(func() { copyAll(client, backend) })
	}
}

func (r *redisServer) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		r.down()
		r.down = nil
	}
}

func (r *redisServer) close() {
	r.kill()
	r.store.Close()
}
