//go:build unix

package integration

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestFaults has servers fail under traffic without going away: a Redis that is stopped and says nothing, one
// that is full and refuses, a broker that is stopped. Each is one outage in the log and in the
// metrics, from its beginning to its end, and costs no shard.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		if env.Backend == testenv.Embedded {
			t.Log("NOT TESTED: servers inside a process are neither stopped nor full")
			return
		}
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		s := w.start(t)
		s.Readiness(t, 200)
		memory := func(limit string) func() error {
			return func() error { return w.store.ConfigSet(context.WithoutCancel(t.Context()), "maxmemory", limit).Err() }
		}
		outages := map[string]int{}
		stop := f.flow(t, 10*time.Millisecond)
		for _, fault := range []struct {
			name, of, why string
			begin, end    func() error
		}{
			{"a frozen Redis", "redis", "", env.PauseRedis, env.ResumeRedis},
			{"a full Redis", "redis", "OOM", memory("1mb"), memory("0")},
			{"a frozen broker", "kafka", "", env.PauseKafka, env.ResumeKafka},
		} {
			applied := s.Metric(t, "records_consumed_total")
			programs.Eventually(t, "records applied before "+fault.name, func() (bool, error) {
				return s.Metric(t, "records_consumed_total") > applied, nil
			})
			t.Cleanup(func() { _ = fault.end() }) // should the test end before
			begun := func() int { return strings.Count(s.Messages.String(), outageBegins+fault.of) }
			before := begun()
			if err := fault.begin(); err != nil {
				t.Fatal(err)
			}
			outages[fault.of]++
			start := time.Now()
			programs.Eventually(t, fault.name+" in the log", func() (bool, error) {
				return begun() > before, nil
			})
			told := time.Since(start)
			lines := strings.Split(s.Messages.String(), outageBegins)
			if line, _, _ := strings.Cut(lines[len(lines)-1], "\n"); !strings.Contains(line, fault.why) {
				t.Errorf("%s is told of as %s", fault.name, line)
			}
			if up := s.Metric(t, "dependency_up", `dependency="`+fault.of+`"`); up != 0 {
				t.Errorf("dependency_up is %g in an outage of %s", up, fault.of)
			}
			if err := fault.end(); err != nil {
				t.Fatal(err)
			}
			start = time.Now()
			w.toldOf(t, s, fault.of, outages[fault.of])
			t.Logf("%s: told of after %.1f s, over %.1f s after its end", fault.name, told.Seconds(), time.Since(start).Seconds())
		}
		stop()
		w.caughtUp(t)
		for of, n := range outages {
			w.toldOf(t, s, of, n)
		}
		want := f.complete(t, w)
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
		s.Stop(t)
		w.settle(t, w.apart("-calm")...)
		w.same(t, "in a group that met no fault", want, w.apart("-calm")...)
	})
}
