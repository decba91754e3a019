package integration

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestDescriptorsRunOut: a process that may open no more files and connections, and loses those that
// it has, waits as in any other outage, says why, and goes on when it may. No shard is lost
// and none becomes a dead letter.
func TestDescriptorsRunOut(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{kafka: ", session_timeout: 6s"})
		f := w.feeder(t, 6)
		s := w.start(t)
		s.Readiness(t, 200)
		stop := f.flow(t, 20*time.Millisecond)
		programs.Eventually(t, "records applied", func() (bool, error) {
			return s.Metric(t, "records_consumed_total") > 0, nil
		})
		var before unix.Rlimit
		limit := func(to *unix.Rlimit) {
			t.Helper()
			if err := unix.Prlimit(s.PID(), unix.RLIMIT_NOFILE, to, &before); err != nil {
				t.Fatal(err)
			}
		}
		limit(nil)
		was := before
		limit(&unix.Rlimit{Cur: 3, Max: was.Max})
		for _, step := range []error{env.KillKafka(), env.KillRedis(), env.StartKafka(t.Context()), env.StartRedis(t.Context())} {
			if step != nil {
				t.Fatal(step)
			}
		}
		// Whichever it asks first: without a broker a worker may have nothing to ask the store.
		programs.Eventually(t, "an outage in the log", func() (bool, error) {
			return strings.Contains(s.Messages.String(), outageBegins), nil
		})
		programs.Eventually(t, "why it is", func() (bool, error) {
			return strings.Contains(s.Messages.String(), "too many open files"), nil
		})
		said := len(strings.Split(s.Messages.String(), "\n"))
		<-time.After(5 * time.Second)
		text := s.Messages.String()
		if n := len(strings.Split(text, "\n")) - said; n > 100 {
			t.Errorf("%d lines in 5 s:\n%s", n, programs.Last(text))
		}
		limit(&was)
		start := time.Now()
		s.Readiness(t, 200)
		t.Logf("ready %.1f s after descriptors were there again", time.Since(start).Seconds())
		stop()
		w.caughtUp(t)
		f.complete(t, w)
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
		s.Stop(t)
	})
}
