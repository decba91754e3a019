package web

import "sync"

// mostPerClient is how many of the streams one client may have, so that it leaves room for
// others. A proxy in front of the server is one client.
const mostPerClient = mostStreams / 2

// crowd counts the streams of each client.
type crowd struct {
	most int

	mu sync.Mutex
	of map[string]int
}

// enter counts a stream of a client, unless it has as many as it may.
func (c *crowd) enter(client string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[client] >= c.most {
		return false
	}
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[client]++
	return true
}

func (c *crowd) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[client]--; c.of[client] == 0 {
		delete(c.of, client)
	}
}
