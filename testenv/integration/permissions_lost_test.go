//go:build unix

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestPermissionsTakenAway: a worker that loses a permission while it runs is not ready, says there what to
// allow, and goes on by itself once it is allowed again.
func TestPermissionsTakenAway(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		servers, ok := env.Servers.(guardedServers)
		if !ok {
			t.Logf("NOT TESTED: the %s servers have no users", env.Backend)
			return
		}
		w := newGuardedWorld(t, env, servers)
		more := func() {
			w.works(t, "producer", w.produce("simulate", "--scenario", "linear", "--shards", "5", "--keys", "3", "--topic", w.input))
		}
		more()
		s := w.start(t, w.as()...)
		for _, c := range []struct {
			lost permission
			said string
		}{
			{permission{"credence", "topic", "shards", "READ"}, "allow this user READ and DESCRIBE on the topic"},
			{permission{"credence", "group", "credence", "READ"}, "allow this user READ on the group"},
			{permission{"credence", "topic", "posteriors", "WRITE"}, "allow this user DESCRIBE and WRITE on the topic"},
		} {
			programs.Eventually(t, "the worker is ready", func() (bool, error) {
				if code, body := s.Fetch(t, "/readyz"); code != 200 {
					return false, fmt.Errorf("%d %s", code, body)
				}
				return true, nil
			})
			w.withdraw(t, c.lost)
			more()
			programs.Eventually(t, "the worker says what to allow", func() (bool, error) {
				if code, body := s.Fetch(t, "/readyz"); code != 503 || !strings.Contains(body, c.said) {
					return false, fmt.Errorf("without %s: %d %s", c.lost, code, body)
				}
				return true, nil
			})
			w.grant(t, c.lost)
		}
		w.caughtUp(t)
		s.Stop(t)
	})
}
