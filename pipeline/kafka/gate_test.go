package kafka

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// gate is what a broker in this process listens to: its answers can be held
// back or be lost.
type gate struct {
	net.Listener
	closed <-chan struct{} // at the end of the test
	frozen atomic.Bool
	lose   atomic.Int64 // one answer of so many is lost, 0: none
	count  atomic.Int64
}

// gated puts a gate before each broker of a cluster.
func gated(t testing.TB, gates *[]*gate) kfake.Opt {
	return kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := new(net.ListenConfig).Listen(context.WithoutCancel(t.Context()), network, address)
		g := &gate{Listener: l, closed: t.Context().Done()}
		*gates = append(*gates, g)
		return g, err
	})
}

// freeze lets no answer out any more.
func (g *gate) freeze() { g.frozen.Store(true) }

func (g *gate) Accept() (net.Conn, error) {
	n, err := g.Listener.Accept()
	return gatedConn{n, g}, err
}

type gatedConn struct {
	net.Conn
	gate *gate
}

func (n gatedConn) Write(b []byte) (int, error) {
	if n.gate.frozen.Load() {
		<-n.gate.closed
	}
	if k := n.gate.lose.Load(); k > 0 && n.gate.count.Add(1)%k == 0 {
		return 0, n.Close()
	}
	return n.Conn.Write(b)
}
