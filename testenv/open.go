//go:build unix

package testenv

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
)

// TB is what Open needs of a *testing.T or *testing.B.
type TB interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Backends returns what an integration test runs on, as CREDENCE_BACKEND says:
// a list of embedded, local, compose and real (see Real), separated by commas;
// embedded where it is not set. Where real servers are asked for and can't be
// had, that is a failure in CI (CI=true); elsewhere a loud line says so and
// the test goes on without.
func Backends(t TB) []Backend {
	t.Helper()
	list := os.Getenv("CREDENCE_BACKEND")
	if list == "" {
		return []Backend{Embedded}
	}
	var backends []Backend
	for name := range strings.SplitSeq(list, ",") {
		b := Backend(strings.TrimSpace(name))
		switch b {
		case Embedded, Local, Compose:
		case "real":
			var err error
			if b, err = Real(t.Context(), Options{}); err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("%v", err)
				}
				fmt.Fprintf(os.Stderr, "\n*** NOT TESTED ON REAL KAFKA AND REDIS: %v ***\n\n", err)
				continue
			}
		default:
			t.Fatalf("CREDENCE_BACKEND: unknown back end %q", name)
		}
		backends = append(backends, b)
	}
	return backends
}

// shared is the one place where tests of a binary meet: what Main started for
// them. Real servers take seconds to start, and nothing but the binary's end
// can stop them.
var shared struct {
	sync.Mutex
	on   bool
	envs map[Backend]*Env
}

// Runner is a *testing.M.
type Runner interface{ Run() int }

// Main runs the tests of a binary so that those that open real servers share
// them, stops them at the end and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
func Main(m Runner) (code int) {
	shared.Lock()
	shared.on, shared.envs = true, map[Backend]*Env{}
	shared.Unlock()
	defer func() {
		shared.Lock()
		defer shared.Unlock()
		for b, e := range shared.envs {
			if err := e.Close(); err != nil {
				fmt.Fprintf(os.Stderr, "testenv: stop %s servers: %v\n", b, err)
				code = max(code, 1)
			}
		}
		shared.on, shared.envs = false, nil
	}()
	return m.Run()
}

// Open returns running servers for a test. Embedded ones are the test's own
// and fail it if it spoke a protocol version that Apache Kafka 4 refuses. Real
// ones are shared by the tests under Main: use topic and group names of your
// own, and bring back what you killed (Open does, if a test failed to). A test
// that kills must not run in parallel with others.
func Open(t TB, b Backend) *Env {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if e := shared.envs[b]; e != nil {
		revive(t, e)
		return e
	}
	// Not t.Context: the servers outlive the test's end until Cleanup or Main.
	e, err := Start(context.WithoutCancel(t.Context()), b, Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if shared.on && b != Embedded {
		shared.envs[b] = e
		return e
	}
	t.Cleanup(func() {
		if s, ok := e.Servers.(embeddedServers); ok {
			for _, r := range s.Refused() {
				t.Errorf("refused by the broker: %s", r)
			}
		}
		if err := e.Close(); err != nil {
			t.Errorf("stop %s servers: %v", b, err)
		}
	})
	return e
}

// revive undoes what an earlier test left: a paused server must run before it
// can answer.
func revive(t TB, e *Env) {
	t.Helper()
	e.ResumeKafka() //nolint:errcheck // fails where it is down, which Start mends
	e.ResumeRedis() //nolint:errcheck // fails where it is down, which Start mends
	if err := e.StartKafka(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
	if err := e.StartRedis(t.Context()); err != nil {
		t.Fatalf("%v", err)
	}
}
