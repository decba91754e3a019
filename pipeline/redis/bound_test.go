package redis

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// meter notes the most bytes that one command or pipeline sends and receives.
type meter struct{ sent, received atomic.Int64 }

func (m *meter) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (m *meter) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		m.note(cmd)
		return err
	}
}

func (m *meter) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		err := next(ctx, cmds)
		m.note(cmds...)
		return err
	}
}

func (m *meter) note(cmds ...goredis.Cmder) {
	sent, received := int64(0), int64(0)
	for _, cmd := range cmds {
		for _, arg := range cmd.Args() {
			sent += length(arg)
		}
		switch c := cmd.(type) {
		case once:
			received += length(c.Val())
		case *goredis.StringCmd:
			received += length(c.Val())
		}
	}
	m.sent.Store(max(m.sent.Load(), sent))
	m.received.Store(max(m.received.Load(), received))
}

// length is that of the text and bytes in a value.
func length(v any) (n int64) {
	switch v := v.(type) {
	case string:
		return int64(len(v))
	case *string:
		return int64(len(*v))
	case []byte:
		return int64(len(v))
	case []any:
		for _, e := range v {
			n += length(e)
		}
	case nil, bool, int, int32, int64, pipeline.LeaderEpoch: // short, or no answer
	default:
		panic(fmt.Sprintf("the length of %T is not known", v))
	}
	return n
}

// pings asks a server without a break, on a connection of its own, until the
// function that it returns is called, which tells the longest wait.
func pings(t *testing.T, b backend) func() time.Duration {
	c := plain(t, b.raw.Options().Addr)
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		longest := time.Duration(0)
		for {
			at := time.Now()
			if err := c.Ping(context.Background()).Err(); err != nil {
				t.Error(err)
			}
			longest = max(longest, time.Since(at))
			select {
			case <-stop:
				worst <- longest
				return
			default:
			}
		}
	}()
	return func() time.Duration { close(stop); return <-worst }
}

// loadAll reads all of keys, in as many calls as it takes.
func loadAll(t *testing.T, s *Store, watermark int64, keys []string) (values []pipeline.Stored) {
	t.Helper()
	for len(values) < len(keys) {
		some, err := s.Load(t.Context(), lease("a"), []int64{watermark}, keys[len(values):], 1<<30)
		must(t, err)
		values = append(values, some...)
	}
	return values
}

// Whatever a checkpoint and a load are made of, no call is larger than a
// script may be, so that none holds the server for long.
func TestCallsAreBounded(t *testing.T) {
	const slack = 64 << 10 // names of hashes, numbers
	for _, c := range []struct{ n, size int }{{512, 200 << 10}, {2000, 2 << 10}, {3, 700 << 10}} {
		t.Run(fmt.Sprintf("%dx%d", c.n, c.size), func(t *testing.T) {
			b := openServer(t)
			m := &meter{}
			s := b.store(t, "credence", m)
			claim(t, s, "a")
			must(t, b.raw.ConfigSet(t.Context(), "slowlog-log-slower-than", "1000").Err())
			keys, list := changes(c.n, c.size)
			for round := range int64(2) {
				must(t, b.raw.Do(t.Context(), "slowlog", "reset").Err())
				worst := pings(t, b)
				check := put(round-1, round)
				check.Changes = list
				start := time.Now()
				save(t, s, "a", check)
				saved := time.Now()
				for i, v := range loadAll(t, s, round, keys) {
					if string(v) != string(list[i].Value) {
						t.Fatalf("key %s holds %d bytes that were not saved", keys[i], len(v))
					}
				}
				loaded, ping := time.Now(), worst()
				slow, err := b.raw.SlowLogGet(t.Context(), 128).Result()
				must(t, err)
				longest := time.Duration(0)
				for _, l := range slow {
					longest = max(longest, l.Duration)
				}
				t.Logf("saved in %v, loaded in %v; the longest call took %v, a PING %v; a call sent %d bytes and received %d",
					saved.Sub(start), loaded.Sub(saved), longest, ping, m.sent.Load(), m.received.Load())
			}
			if most := max(m.sent.Load(), m.received.Load()); most > scriptBytes+slack {
				t.Errorf("a call of %d bytes, want %d at most", most, scriptBytes+slack)
			}
			check := put(1, 2)
			for _, key := range keys {
				check.Changes = append(check.Changes, pipeline.Change{Key: key, Value: pipeline.Stored("small")})
			}
			save(t, s, "a", check)
			if left := b.named(t, "}:blob:"); len(left) > 0 {
				t.Errorf("%d blobs are left, such as %s", len(left), left[0])
			}
		})
	}
}

// Thousands of blobs that a worker left are counted and swept as few are.
func TestManyPendingBlobs(t *testing.T) {
	b := openServer(t)
	s := b.store(t, "credence", &tap{match: runs(saveScript), before: first(func() error { return errCut })})
	claim(t, s, "a")
	_, list := changes(9000, 400)
	check := put(-1, 10)
	check.Changes = list
	if err := s.Save(t.Context(), lease("a"), check); err == nil {
		t.Fatal("the test wants a save that does not come to its end")
	}
	a, err := s.Audit(t.Context(), part)
	if err != nil || len(a.Pending) < 8000 {
		t.Errorf("%d blobs are pending and error %v: more than Lua's stack takes", len(a.Pending), err)
	}
	claim(t, s, "b")
	if left := strings.Join(b.named(t, "}:"), " "); left != prefix+"meta" {
		t.Errorf("after the next claim: %.200s", left)
	}
}
