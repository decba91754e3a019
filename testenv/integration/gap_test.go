//go:build unix

package integration

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestTrimmedLog deletes records that were not applied yet.
func TestTrimmedLog(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 1)
		f.send(t, 10)
		w.settle(t)
		f.send(t, 10)
		if err := env.TrimLog(t.Context(), w.input, 0, 15); err != nil {
			t.Fatal(err)
		}

		s := w.start(t)
		said := s.Readiness(t, 503)
		programs.Eventually(t, "partitions_halted", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="gap"`) == 1, nil
		})
		said = s.Readiness(t, 503) + said
		for _, text := range []string{said, s.Messages.String()} {
			for _, want := range []string{"offset 15", "offset 10", "5 records", "restore a newer copy", "on_gap: skip"} {
				if !strings.Contains(text, want) {
					t.Errorf("the error does not say %q: %s", want, programs.Last(text))
				}
			}
		}
		if s.Ended() {
			t.Error("a halted partition has ended the process")
		}
		s.Stop(t)

		got := w.consumer(t, "run", "--until-end")
		if got.Code != 1 || !strings.Contains(got.Messages, "halted (gap)") {
			t.Errorf("run --until-end: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		if p := w.get(t, "k/0"); p.T != 10 {
			t.Errorf("t is %d after the halt, want 10", p.T)
		}

		w.settle(t, "--set", "on_gap=skip")
		f.send(t, 1)
		w.settle(t) // the gap is behind us
		all := w.tail(t)
		for i, p := range all {
			gaps := 0
			if i >= 10 {
				gaps = 1
			}
			if p.Gaps != gaps || p.T != int64(i)+1 {
				t.Errorf("summary %d: t %d, gaps %d, want %d", i, p.T, p.Gaps, gaps)
			}
		}
		if len(all) != 16 {
			t.Errorf("%d summaries, want 16", len(all))
		}
	})
}
