//go:build unix

package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// away is how long servers are away.
func away(env *testenv.Env) time.Duration {
	if env.Backend == testenv.Embedded || testing.Short() {
		return 5 * time.Second
	}
	return 30 * time.Second
}

// TestOutages takes the broker away and then the store, while shards arrive. Where brokers have users the
// consumer is one, and logs in to a broker that is just back.
func TestOutages(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		// The broker, once back, waits so long for the member that it knew.
		w := newWorld(t, env, setup{kafka: ", session_timeout: 6s"})
		f := w.feeder(t, 6)
		var as []string
		if servers, ok := env.Servers.(guardedServers); ok {
			as = w.guarded(t, servers).inKafka()
		}
		s := w.start(t, as...)
		s.Readiness(t, 200)
		for _, server := range []struct {
			name  string
			kill  func() error
			start func(context.Context) error
		}{
			{"kafka", env.KillKafka, env.StartKafka},
			{"redis", env.KillRedis, env.StartRedis},
		} {
			stop := f.flow(t, 20*time.Millisecond)
			programs.Eventually(t, "records applied before the outage", func() (bool, error) {
				return s.Metric(t, "records_consumed_total") > 0, nil
			})
			if err := server.kill(); err != nil {
				t.Fatal(err)
			}
			published := s.Metric(t, "summaries_published_total")
			said := s.Readiness(t, 503)
			t.Logf("%s away: %s", server.name, said)
			// Not ready all the time: not only until something is given up.
			back := time.After(away(env))
			for waiting := true; waiting; {
				select {
				case <-back:
					waiting = false
				case <-time.After(200 * time.Millisecond):
					if status, said := s.Fetch(t, "/readyz"); status != 503 {
						t.Fatalf("/readyz says %d while %s is away: %s", status, server.name, said)
					}
					if status, _ := s.Fetch(t, "/livez"); status != 200 {
						t.Fatalf("/livez says %d while %s is away", status, server.name)
					}
				}
			}
			if err := server.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			s.Readiness(t, 200)
			t.Logf("ready %.1f s after %s was back", time.Since(start).Seconds(), server.name)
			stop()
			w.caughtUp(t)
			w.toldOf(t, s, server.name, 1)
			if n := s.Metric(t, "summaries_published_total"); n <= published {
				t.Errorf("%g posteriors are acknowledged after the outage, %g were before", n, published)
			}
		}
		s.Readiness(t, 200)
		f.complete(t, w)
		t.Logf("%d shards", f.shards)
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
		if n := s.Metric(t, "state_rollbacks_total"); n != 0 {
			t.Errorf("state_rollbacks_total is %v: nothing went back", n)
		}
		s.Stop(t)
	})
}

const (
	outageBegins = `level=WARN msg="dependency unavailable" dependency=`
	outageEnds   = `level=INFO msg="dependency available" dependency=`
)

// toldOf waits until the log has a warning for each outage there was, a line of its end, and the
// count says the same. A broker of a machine that stands still may be away once more.
func (w *world) toldOf(t *testing.T, s *programs.Service, dependency string, outages int) {
	t.Helper()
	programs.Eventually(t, "the end of the outage in the log", func() (bool, error) {
		text := s.Messages.String()
		begun, ended := strings.Count(text, outageBegins+dependency), strings.Count(text, outageEnds+dependency+" seconds=")
		counted := s.Metric(t, "outages_total", `dependency="`+dependency+`"`)
		if ended < outages || begun != ended || counted != float64(ended) {
			return false, fmt.Errorf("%s was away %d times, the log has %d beginnings and %d ends of it, and outages_total is %g", dependency, outages, begun, ended, counted)
		}
		return true, nil
	})
}
