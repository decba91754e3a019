//go:build unix

package integration

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/testenv"
)

// answers is a way to a Redis on which scripts may get another answer than the server's.
type answers struct {
	addr    string
	refusal atomic.Pointer[string] // what they get, nil: the server's
	applied atomic.Bool            // the server does it first
	scripts atomic.Int64           // that came while they were refused
}

func newAnswers(t *testing.T, url string) *answers {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &answers{addr: l.Addr().String()}
	var all sync.WaitGroup
	open := map[net.Conn]bool{}
	var mu sync.Mutex
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := new(net.Dialer).DialContext(t.Context(), "tcp", o.Addr)
			if err != nil {
				_ = client.Close()
				continue
			}
			mu.Lock()
			open[client], open[server] = true, true
			mu.Unlock()
			all.Go(func() {
				a.serve(client, server)
				_, _ = client.Close(), server.Close()
				mu.Lock()
				delete(open, client)
				delete(open, server)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return a
}

// serve takes the commands of a connection one after the other.
func (a *answers) serve(client, server net.Conn) {
	from, back := bufio.NewReader(client), bufio.NewReader(server)
	for {
		var asked strings.Builder
		if copyMessage(&asked, from) != nil {
			return
		}
		_, words, _ := strings.Cut(asked.String(), "\r\n$")
		_, words, _ = strings.Cut(words, "\r\n")
		name, _, _ := strings.Cut(words, "\r\n")
		refusal := a.refusal.Load()
		if !strings.HasPrefix(strings.ToLower(name), "eval") {
			refusal = nil
		}
		if refusal != nil {
			a.scripts.Add(1)
			if !a.applied.Load() {
				if _, err := io.WriteString(client, "-"+*refusal+"\r\n"); err != nil {
					return
				}
				continue
			}
		}
		if _, err := io.WriteString(server, asked.String()); err != nil {
			return
		}
		var answer strings.Builder
		if copyMessage(&answer, back) != nil {
			return
		}
		if refusal != nil && !strings.HasPrefix(answer.String(), "-NOSCRIPT") {
			answer.Reset()
			answer.WriteString("-" + *refusal + "\r\n")
		}
		if _, err := io.WriteString(client, answer.String()); err != nil {
			return
		}
	}
}

// copyMessage copies a message of Redis' protocol, of version 2 or 3.
func copyMessage(to *strings.Builder, from *bufio.Reader) error {
	line, err := from.ReadString('\n')
	if err != nil {
		return err
	}
	to.WriteString(line)
	n, _ := strconv.Atoi(strings.TrimSuffix(line[1:], "\r\n"))
	switch line[0] {
	case '$', '=', '!':
		if n >= 0 {
			_, err = io.CopyN(to, from, int64(n)+2)
		}
		return err
	case '%', '|':
		n *= 2
	case '*', '~', '>':
	default:
		n = 0
	}
	for range n {
		if err := copyMessage(to, from); err != nil {
			return err
		}
	}
	return nil
}

// TestRedisRefuses: a Redis refuses scripts in the ways in which a server or a cluster does for a while, or did what it
// was asked and says otherwise. Each time the consumer says what it was answered, asks again at its pace, gives up
// no claim, and goes on as soon as it may; every shard is applied once.
func TestRedisRefuses(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		way := newAnswers(t, env.RedisURL())
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		s := w.start(t, "--set", "redis.url=redis://"+way.addr)
		f.send(t, 6)
		s.Readiness(t, 200)
		w.caughtUp(t)
		claims := s.Metric(t, "claims_total")
		for _, c := range []struct {
			says    string
			applied bool
		}{
			{"CLUSTERDOWN The cluster is down", false},
			{"READONLY You can't write against a read only replica.", false},
			{"NOSCRIPT No matching script. Please use EVAL.", false},
			{"LOADING Redis is loading the dataset in memory", true},
			{"NOREPLICAS Not enough good replicas to write.", true},
		} {
			way.applied.Store(c.applied)
			way.scripts.Store(0)
			begun := time.Now()
			way.refusal.Store(&c.says)
			f.send(t, 6)
			word, _, _ := strings.Cut(c.says, " ")
			if said := s.Readiness(t, 503); !strings.Contains(said, word) {
				t.Errorf("%s: /readyz says %s", c.says, said)
			}
			way.refusal.Store(nil)
			// Four partitions, each of which waits longer from time to time; NOSCRIPT asks twice.
			if n, most := way.scripts.Load(), int64(80+40*time.Since(begun).Seconds()); n > most {
				t.Errorf("%s: %d scripts, want at most %d", c.says, n, most)
			}
			s.Readiness(t, 200)
			w.caughtUp(t)
		}
		if n := s.Metric(t, "claims_total"); n != claims {
			t.Errorf("%v claims, %v before", n, claims)
		}
		if n := s.Metric(t, "state_rollbacks_total"); n != 0 {
			t.Errorf("state_rollbacks_total is %v: nothing went back", n)
		}
		f.complete(t, w)
		s.Stop(t)
	})
}
