//go:build unix

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestRecreatedTopic deletes the input under a live consumer and makes it again,
// with more records than were applied: none of them may be mixed into the state
// of the old ones.
func TestRecreatedTopic(t *testing.T) {
	recreated(t, func(*testing.T, *programs.Service) {})
}

// TestRecreatedLater is TestRecreatedTopic with so long a time without a topic that the consumer says what is missing.
func TestRecreatedLater(t *testing.T) {
	recreated(t, func(t *testing.T, s *programs.Service) {
		programs.Eventually(t, "the consumer says what is missing", func() (bool, error) {
			if code, body := s.Fetch(t, "/readyz"); code != 503 || !strings.Contains(body, "create it") {
				return false, fmt.Errorf("%d %s", code, body)
			}
			return true, nil
		})
	})
}

func recreated(t *testing.T, meanwhile func(*testing.T, *programs.Service)) {
	t.Helper()
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 1)
		f.send(t, 5)
		w.settle(t)
		s := w.start(t)
		f.send(t, 5)
		programs.Eventually(t, "all records stored", func() (bool, error) {
			return s.Metric(t, "records_consumed_total") == 5 && s.Metric(t, "consumer_lag_records") == 0, nil
		})
		want := w.get(t, f.keys[0])

		if err := env.DeleteTopic(t.Context(), w.input); err != nil {
			t.Fatal(err)
		}
		meanwhile(t, s)
		if err := env.CreateTopic(t.Context(), w.input, 1, nil); err != nil {
			t.Fatal(err)
		}
		w.feeder(t, 1).send(t, 25)
		programs.Eventually(t, "a halt", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="recreated"`) == 1, nil
		})
		if said := s.Readiness(t, 503); !strings.Contains(said, "was recreated") || !strings.Contains(said, "new consumer group") {
			t.Errorf("/readyz says %s", said)
		}
		w.same(t, "it was before the topic was made again", map[string]posterior{f.keys[0]: want})
		s.Stop(t)
		w.same(t, "it was when the consumer was stopped", map[string]posterior{f.keys[0]: want})
		if got := w.consumer(t, "run", "--until-end"); got.Code != 1 || !strings.Contains(got.Messages, "was recreated") {
			t.Errorf("run --until-end: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		w.settle(t, w.apart("-new")...)
		if p := w.get(t, f.keys[0], w.apart("-new")...); p.T != 25 {
			t.Errorf("a new group has applied %d shards of 25", p.T)
		}
	})
}

// TestRecreatedWithFewer makes the input again with fewer partitions under a live consumer: it is another topic, and no
// states are to be moved to them.
func TestRecreatedWithFewer(t *testing.T) {
	recreatedWith(t, 2, "deleted and created again", "2", "6")
}

// TestRecreatedWithMore is TestRecreatedWithFewer with more partitions, which it may have been given otherwise.
func TestRecreatedWithMore(t *testing.T) {
	recreatedWith(t, 6, "was recreated", "6")
}

func recreatedWith(t *testing.T, partitions int, why string, tos ...string) {
	t.Helper()
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		s := w.start(t)
		f.send(t, 12)
		w.caughtUp(t)
		if err := env.DeleteTopic(t.Context(), w.input); err != nil {
			t.Fatal(err)
		}
		if err := env.CreateTopic(t.Context(), w.input, partitions, nil); err != nil {
			t.Fatal(err)
		}
		w.feeder(t, 6).send(t, 40)
		programs.Eventually(t, "a halt", func() (bool, error) {
			_, said := s.Fetch(t, "/readyz")
			return strings.Contains(said, why) && strings.Contains(said, "new consumer group") && !strings.Contains(said, "rescale"), nil
		})
		s.Stop(t)
		commands := [][]string{{"check"}, {"verify"}, {"state", "repair"}}
		for _, to := range tos {
			commands = append(commands, []string{"rescale", "--to", to, "--yes"})
		}
		for _, args := range commands {
			got := w.consumer(t, args...)
			if said := got.Data + got.Messages; got.Code != 1 || !strings.Contains(said, why) || !strings.Contains(said, "new consumer group") {
				t.Errorf("%s: exit %d\n%s", strings.Join(args, " "), got.Code, said)
			}
		}
		w.settle(t, w.apart("-new")...)
	})
}
