//go:build unix

package integration

import (
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestStoreWentBack puts the store back to an earlier moment under a live
// consumer: while shards arrive, and while there is nothing to do.
func TestStoreWentBack(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		s := w.start(t)
		f.send(t, 60)
		w.caughtUp(t)
		wentBack := func(saved []byte) {
			t.Helper()
			before := s.Metric(t, "state_rollbacks_total")
			if err := env.RestoreRedis(t.Context(), saved); err != nil {
				t.Fatal(err)
			}
			programs.Eventually(t, "state_rollbacks_total grows", func() (bool, error) {
				return s.Metric(t, "state_rollbacks_total") > before, nil
			})
		}
		save := func() []byte {
			t.Helper()
			saved, err := env.SaveRedis(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return saved
		}

		t.Run("idle", func(t *testing.T) {
			saved := save()
			f.send(t, 60)
			w.caughtUp(t)
			before := f.complete(t, w)
			wentBack(saved)
			w.caughtUp(t)
			w.same(t, "before the store went back", before)
		})
		t.Run("busy", func(t *testing.T) {
			saved := save()
			stop := f.flow(t, 5*time.Millisecond)
			was, sent := s.Metric(t, "records_consumed_total"), 200.0
			programs.Eventually(t, "records applied after the copy", func() (bool, error) {
				return s.Metric(t, "records_consumed_total") > was+sent, nil
			})
			wentBack(saved)
			stop()
			w.caughtUp(t)
		})
		t.Run("empty", func(t *testing.T) {
			before := f.complete(t, w)
			if err := w.store.FlushDB(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			w.caughtUp(t)
			w.same(t, "before the store was emptied", before)
		})
		s.Readiness(t, 200)
		t.Logf("%d shards, %v rollbacks", f.shards, s.Metric(t, "state_rollbacks_total"))
		all := f.complete(t, w)
		s.Stop(t)
		w.settle(t, w.apart("-calm")...)
		w.same(t, "in an undisturbed group", all, w.apart("-calm")...)
	})
}
