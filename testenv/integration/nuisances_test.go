//go:build unix

package integration

import (
	"context"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestRedisCutsAndForgets: under traffic a Redis closes all connections fifty times a second, forgets its
// scripts, and holds writes up. Every shard is applied once, no checkpoint is taken for lost, and
// no work is given up: a claim ends only where the store says so.
func TestRedisCutsAndForgets(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		if env.Backend == testenv.Embedded {
			t.Log("NOT TESTED: the server inside a process has no commands for it")
			return
		}
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		s := w.start(t)
		s.Readiness(t, 200)
		stop := f.flow(t, 5*time.Millisecond)
		programs.Eventually(t, "records applied", func() (bool, error) {
			return s.Metric(t, "records_consumed_total") > 0, nil
		})
		claims := s.Metric(t, "claims_total")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for i := 0; ctx.Err() == nil; i++ {
			// The server cuts this connection as well at times.
			_ = w.store.Do(ctx, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err()
			switch i % 50 {
			case 10:
				_ = w.store.ScriptFlush(ctx).Err()
			case 20:
				_ = w.store.Do(ctx, "CLIENT", "PAUSE", 300, "WRITE").Err()
			}
			<-time.After(20 * time.Millisecond)
		}
		stop()
		w.caughtUp(t)
		want := f.complete(t, w)
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
		if n := s.Metric(t, "state_rollbacks_total"); n != 0 {
			t.Errorf("state_rollbacks_total is %v: nothing went back", n)
		}
		if n := s.Metric(t, "claims_total"); n != claims {
			t.Errorf("%v claims, %v before", n, claims)
		}
		t.Logf("%d shards", f.shards)
		s.Stop(t)
		w.settle(t, w.apart("-calm")...)
		w.same(t, "in a group that met no fault", want, w.apart("-calm")...)
	})
}
