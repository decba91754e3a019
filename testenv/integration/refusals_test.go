//go:build unix

package integration

import (
	"net"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestConfigurationChanged runs over a state of another configuration.
func TestConfigurationChanged(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 1)
		f.send(t, 2)
		w.settle(t)
		first := w.file

		w.file = w.configure(t, setup{models: `[{match: "**", kind: linear, columns: {response: y}, settings: {prior: {beta_variance: 2}}}]`})
		f.send(t, 1)
		got := w.consumer(t, "run", "--until-end")
		if got.Code != 1 || !strings.Contains(got.Messages, "halted (configuration)") {
			t.Errorf("another prior: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		s := w.start(t)
		programs.Eventually(t, "partitions_halted", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="configuration"`) == 1, nil
		})
		if said := s.Readiness(t, 503); !strings.Contains(said, "configuration") {
			t.Errorf("/readyz says %s", said)
		}
		s.Stop(t)

		// What may change in place: publish, and limits that are raised.
		w.file = w.configure(t, setup{models: `[{match: "**", kind: linear, columns: {response: y}, publish: {scale: model}}]`})
		w.settle(t, "--set", "limits.rows=2000000")
		f.send(t, 1)
		w.file = first
		if got := w.consumer(t, "run", "--until-end"); got.Code != 1 || !strings.Contains(got.Messages, "configuration") {
			t.Errorf("lowered limits: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		w.settle(t, "--set", "limits.rows=2000000")
		f.complete(t, w)
		if dead := read(t, env, w.dead); len(dead) != 0 {
			t.Errorf("%d dead letters", len(dead))
		}
	})
}

// TestPartitionsAdded adds partitions under a live consumer: keys move.
func TestPartitionsAdded(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 2})
		f := w.feeder(t, 6)
		f.send(t, 12)
		s := w.start(t)
		w.caughtUp(t)

		req := kmsg.NewPtrCreatePartitionsRequest()
		topic := kmsg.NewCreatePartitionsRequestTopic()
		topic.Topic, topic.Count = w.input, 3
		req.Topics, req.TimeoutMillis = append(req.Topics, topic), 20_000
		resp, err := req.RequestWith(t.Context(), w.kafka)
		if err != nil {
			t.Fatal(err)
		}
		if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
			t.Fatal(err)
		}
		programs.Eventually(t, "all partitions halted", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="partitions"`) == 3, nil
		})
		said := s.Readiness(t, 503)
		for _, want := range []string{"rescale", "3 partitions", "had 2"} {
			if !strings.Contains(said, want) {
				t.Errorf("the error does not say %q: %s", want, said)
			}
		}
		s.Stop(t)
		if got := w.consumer(t, "run", "--until-end"); got.Code != 1 || !strings.Contains(got.Messages, "rescale") {
			t.Errorf("run --until-end: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		w.settle(t, w.apart("-new")...) // the way out
		f.complete(t, w, w.apart("-new")...)
	})
}

// TestEviction runs over a Redis that may throw state away. The embedded one
// never does.
func TestEviction(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		if env.Backend == testenv.Embedded {
			t.Log("the embedded store has one policy only")
			return
		}
		w := newWorld(t, env, setup{})
		set := func(policy string) {
			if err := w.store.ConfigSet(t.Context(), "maxmemory-policy", policy).Err(); err != nil {
				t.Fatal(err)
			}
		}
		set("allkeys-lru")
		defer set("noeviction")
		if got := w.consumer(t, "check"); got.Code != 1 || !strings.Contains(got.Data, "allkeys-lru") || !strings.Contains(got.Data, "fix: CONFIG SET maxmemory-policy noeviction") {
			t.Errorf("check: exit %d\n%s", got.Code, got.Data)
		}
		if got := w.consumer(t, "run"); got.Code != 1 || !strings.Contains(got.Messages, "allkeys-lru") || !strings.Contains(got.Messages, "noeviction") {
			t.Errorf("run: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		set("noeviction")
		if got := w.consumer(t, "check"); got.Code != 0 {
			t.Errorf("check: exit %d\n%s", got.Code, got.Data)
		}

		// Changed while it runs: work stops, and goes on where it was.
		f := w.feeder(t, 4)
		f.send(t, 3)
		s := w.start(t)
		w.caughtUp(t)
		set("allkeys-lru")
		if said := s.Readiness(t, 503); !strings.Contains(said, "allkeys-lru") {
			t.Errorf("/readyz says %s", said)
		}
		published := len(read(t, env, w.output))
		f.send(t, 1)
		programs.Eventually(t, "claims are refused", func() (bool, error) {
			return strings.Contains(s.Messages.String(), "work has stopped"), nil
		})
		if now := len(read(t, env, w.output)); now != published {
			t.Errorf("%d posteriors published by a worker that may lose state", now-published)
		}
		set("noeviction")
		s.Readiness(t, 200)
		w.caughtUp(t)
		f.complete(t, w)
		s.Stop(t)
	})
}

// TestTakenPort listens where somebody else does.
func TestTakenPort(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // nobody was served
		addr := l.Addr().String()
		got := w.consumer(t, "run", "--set", "http.listen="+addr)
		if got.Code != 1 || !strings.Contains(got.Messages, addr) || !strings.Contains(got.Messages, "http.listen") || !strings.Contains(got.Messages, "in use") {
			t.Errorf("exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
	})
}
