package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// given are the ports that this process has given away. Of the thirty of a cluster
// two would be the same in every twentieth otherwise, since none is listened on
// until all are known.
var given sync.Map

// FreePort returns a port of a host that nobody listens on, and none
// twice. It and the port 10,000 above, which a node of Redis Cluster takes as well, lie
// below the range from which others are given theirs, so that it is still free when a
// killed server comes back.
func FreePort(ctx context.Context, host string) (int, error) {
	var err error
	for range 100 {
		port := 10_000 + rand.IntN(12_000)
		if _, before := given.LoadOrStore(port, true); before {
			continue
		}
		var l net.Listener
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no free port: %w", err)
}

// FreeAddress is FreePort as an address of the loopback interface.
func FreeAddress(ctx context.Context) (string, error) {
	const loopback = "127.0.0.1"
	port, err := FreePort(ctx, loopback)
	return net.JoinHostPort(loopback, strconv.Itoa(port)), err
}
