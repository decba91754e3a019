//go:build unix

package integration

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// watch notes the longest time without a summary of each input partition.
type watch struct {
	mu   sync.Mutex
	last map[string]time.Time
	gap  time.Duration
}

// watch reads the output topic until the end of the test.
func (w *world) watch(t *testing.T) *watch {
	t.Helper()
	c := franz(t, w.env, kgo.ConsumeTopics(w.output), kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()),
		kgo.UnknownTopicRetries(-1), kgo.FetchMaxWait(100*time.Millisecond))
	ctx, cancel := context.WithCancel(t.Context())
	s := &watch{last: map[string]time.Time{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			f := c.PollFetches(ctx)
			s.mu.Lock()
			f.EachRecord(func(r *kgo.Record) { s.saw(string(r.Key), time.Now()) })
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

func (s *watch) saw(key string, now time.Time) {
	if before, ok := s.last[key]; ok {
		s.gap = max(s.gap, now.Sub(before))
	}
	s.last[key] = now
}

// longest returns the longest time without a summary of any key since the last
// call, until now.
func (s *watch) longest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.last {
		s.saw(key, time.Now())
	}
	gap := s.gap
	s.gap = 0
	return gap
}

// fresh reports whether each of n keys has a summary since a time.
func (s *watch) fresh(n int, since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.last {
		if at.Before(since) {
			return false
		}
	}
	return len(s.last) == n
}

// TestTakeover kills one of three consumers, with the product's own timings: the
// others publish for its keys long before the group's session timeout, which is
// half a minute. Then each is restarted in turn.
func TestTakeover(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		const keys = 24
		w := newWorld(t, env, setup{partitions: 12})
		f := w.feeder(t, keys)
		start := func() *programs.Service { return w.start(t, "--set", "checkpoint.interval=1s") }
		members := []*programs.Service{start(), start(), start()}
		for _, s := range members {
			s.Readiness(t, 200)
		}
		out := w.watch(t)
		stop := f.flow(t, 5*time.Millisecond)
		settled := func(what string) time.Duration {
			t.Helper()
			since := time.Now()
			programs.Eventually(t, "summaries of all keys "+what, func() (bool, error) { return out.fresh(keys, since), nil })
			return out.longest()
		}
		settled("at first")
		members[0].Kill(t)
		gap := settled("after a kill")
		t.Logf("after SIGKILL: at most %v without a summary of a key", gap.Round(time.Millisecond))
		if gap > 29*time.Second { // its session would end after 30
			t.Errorf("nobody took over for %v", gap)
		}
		members[0] = start()
		members[0].Readiness(t, 200)
		settled("with a third one")
		for i := range members {
			members[i].Stop(t)
			members[i] = start()
			members[i].Readiness(t, 200)
			t.Logf("restart %s: at most %v without a summary of a key", strconv.Itoa(i), settled("after a restart").Round(time.Millisecond))
		}
		stop()
		for _, s := range members {
			s.Stop(t)
		}
		w.settle(t)
		f.complete(t, w)
	})
}
