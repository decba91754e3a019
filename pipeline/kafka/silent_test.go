package kafka

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
)

// silent is the address of something that accepts connections and never answers,
// like a broker that was stopped, and counts them.
func silent(t *testing.T) (addr string, accepted *atomic.Int64) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted = new(atomic.Int64)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			n, err := l.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			defer func() { _ = n.Close() }()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		accepting.Wait()
	})
	return l.Addr().String(), accepted
}

// claims looks n partitions of a topic up at once, as their claims do.
func claims(t *testing.T, l *Log, topic string, n int) time.Duration {
	t.Helper()
	start := time.Now()
	var g errgroup.Group
	for id := range int32(n) {
		g.Go(func() error {
			_, err := l.Partitions(t.Context(), topic)
			if err == nil {
				_, err = l.Identity(t.Context(), pipeline.Partition{Topic: topic, ID: id}, 0)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

// waited is less than a look-up takes that waits for a silent broker until its time is
// over, on a machine where it takes usually this long.
func waited(usually time.Duration) time.Duration { return callTimeout*9/10 + 10*usually }

// TestSilentBroker: a broker that is listed first and never answers costs all
// look-ups together a second, once.
func TestSilentBroker(t *testing.T) {
	b := fake(t)
	topic := fresh(t, connect(t, b.ListenAddrs()), 100)
	first, accepted := silent(t)
	l := newLog(t, connect(t, append([]string{first}, b.ListenAddrs()...)))
	took := claims(t, l, topic, 100)
	met := accepted.Load()
	var asked atomic.Int64
	b.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		asked.Add(1)
		return nil, nil, false
	})
	again := claims(t, l, topic, 100)
	t.Logf("%v with %d connections to the silent broker, then %v with %d look-ups", took, met, again, asked.Load())
	// A busy machine can make the other broker seem silent as well, a few times.
	if took > waited(again) || met > 20 {
		t.Errorf("100 partitions took %v and %d connections to the silent broker, want a second and 1", took, met)
	}
	if n := accepted.Load() - met; n > 20 {
		t.Errorf("later they took %v and %d connections to the silent broker", again, n)
	}
	if n := asked.Load(); n >= 200 {
		t.Errorf("%d look-ups for 100 claims at once", n)
	}
}

// TestFrozenBroker: the broker that answered last stops answering.
func TestFrozenBroker(t *testing.T) {
	var gates []*gate
	b := fake(t, kfake.NumBrokers(3), gated(t, &gates))
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 100)
	l := newLog(t, c)
	usually := claims(t, l, topic, 100)
	gates[0].freeze()
	took := claims(t, l, topic, 100)
	t.Logf("%v, %v before", took, usually)
	if took > waited(usually) {
		t.Errorf("100 partitions took %v, and %v before", took, usually)
	}
	// Another one can seem silent on a busy machine, but not every time.
	var order []string
	for range 20 {
		if order = c.addresses.list(); order[2] == gates[0].Addr().String() {
			return
		}
		claims(t, l, topic, 100)
	}
	t.Errorf("%v are asked in this order, and the first of %v is frozen", order, b.ListenAddrs())
}
