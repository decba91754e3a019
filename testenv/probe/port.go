package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// Ports are given away one after the other, from one of them that differs by process:
// none is listened on until all servers of a cluster know all of theirs, and beside this
// process others look for some as well.
const lowest, ports = 10_000, 12_000

var (
	first = rand.Int64N(ports)
	given atomic.Int64
)

// FreePort returns a port of a host that nobody listens on, and one that it has returned
// before only after all others. It and the port 10,000 above, which a node of Redis Cluster
// takes as well, lie below the range from which others are given theirs, so that it is
// still free when a killed server comes back.
func FreePort(ctx context.Context, host string) (int, error) {
	var err error
	for range 100 {
		port := lowest + int((first+given.Add(1))%ports)
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
