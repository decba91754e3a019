//go:build unix

package integration

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestMembersApart: processes of one group that publish to other topics, or that were given another database of
// Redis, say so of each other, those of one mind do not, and no shard is lost or applied twice in what is left when they are corrected.
func TestMembersApart(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{kafka: ", session_timeout: 6s"})
		f := w.feeder(t, 6)
		stop := f.flow(t, 20*time.Millisecond)
		const stores, topics = `msg="members show nothing in this store"`, `msg="members publish elsewhere"`
		told := func(s *programs.Service, what string) {
			t.Helper()
			programs.Eventually(t, what, func() (bool, error) {
				return strings.Contains(s.Messages.String(), what), nil
			})
		}
		a, b := w.start(t), w.start(t, "--set", "kafka.output="+w.output+"-b")
		told(a, topics)
		told(b, topics)
		elsewhere, err := url.Parse(env.RedisURL())
		if err != nil {
			t.Fatal(err)
		}
		elsewhere.Path = "/1"
		c := w.start(t, "--set", "redis.url="+elsewhere.String())
		for _, s := range []*programs.Service{a, b, c} {
			told(s, stores)
		}
		b.Stop(t)
		c.Stop(t)
		d := w.start(t)
		programs.Eventually(t, "both are at work", func() (bool, error) {
			return d.Metric(t, "claims_total") > 0, nil
		})
		stop()
		w.caughtUp(t)
		want := f.complete(t, w)
		for _, s := range []*programs.Service{a, d} {
			s.Stop(t)
		}
		if text := d.Messages.String(); strings.Contains(text, stores) || strings.Contains(text, topics) {
			t.Errorf("of processes of one mind:\n%s", text)
		}
		if n := strings.Count(a.Messages.String(), stores); n != 1 {
			t.Errorf("the first told of the other store %d times", n)
		}
		w.settle(t, w.apart("-calm")...)
		w.same(t, "in a group of one mind", want, w.apart("-calm")...)
	})
}
