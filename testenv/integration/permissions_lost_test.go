//go:build unix

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// TestPermissionsTakenAway: a worker that loses a permission while it runs is not ready, says there what to
// allow, and goes on by itself once it is allowed again.
func TestPermissionsTakenAway(t *testing.T) {
	eachGuarded(t, func(t *testing.T, w *guardedWorld) {
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
			s.Readiness(t, 200)
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
