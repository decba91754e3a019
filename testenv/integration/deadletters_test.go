//go:build unix

package integration

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// killed runs a command and kills it after a while, if it has not ended.
func (w *world) killed(t *testing.T, after time.Duration, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, "consumer"), append(args, "--config", w.file)...)
	cmd.Env = programs.Surroundings()
	_ = cmd.Run() // SIGKILL is how it is meant to end
}

// TestReplayedOnce mends what kept shards from being applied and replays them,
// with replays that are killed, that run side by side and that come too often:
// every key ends as if nothing had been wrong.
func TestReplayedOnce(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		const keys, shards = 20, 400
		w := newWorld(t, env, setup{})
		w.file = w.limited(t, feederRows-1)
		f := w.feeder(t, keys)
		var sent []*kgo.Record
		for range shards {
			sent = append(sent, f.next(t))
		}
		send(t, f.client, sent...)
		if got := w.consumer(t, "run", "--until-end"); got.Code != 3 {
			t.Fatalf("run --until-end: exit %d, want 3 where all become dead letters\n%s", got.Code, got.Messages)
		}
		if n := len(read(t, env, w.dead)); n != shards {
			t.Fatalf("%d dead letters, want %d", n, shards)
		}
		w.file = w.limited(t, 1000)
		s := w.start(t)
		for _, ms := range []int{20, 60, 120, 200, 300} {
			w.killed(t, time.Duration(ms)*time.Millisecond, "dead-letters", "replay")
		}
		done := make(chan programs.Ended, 2)
		for range 2 {
			go func() { done <- w.consumer(t, "dead-letters", "replay") }()
		}
		for range 2 {
			if got := <-done; got.Code != 0 {
				t.Errorf("one of two replays at once: exit %d\n%s", got.Code, got.Messages)
			}
		}
		// A replay whose notes are lost sends everything again.
		forget := kmsg.NewPtrDeleteGroupsRequest()
		forget.Groups = []string{w.group + ".dlq"}
		if resp, err := forget.RequestWith(t.Context(), w.kafka); err != nil || resp.Groups[0].ErrorCode != 0 {
			t.Fatalf("%+v and error %v", resp, err)
		}
		for i, want := range []string{strconv.Itoa(shards) + " letters sent", "0 letters sent"} {
			if got := w.consumer(t, "dead-letters", "replay"); got.Code != 0 || !strings.Contains(got.Messages, want) {
				t.Errorf("replay %d: exit %d, want %q\n%s", i, got.Code, want, got.Messages)
			}
		}
		w.caughtUp(t)
		n := len(read(t, env, w.input))
		if n < 3*shards {
			t.Errorf("%d records in the input topic: nothing was sent twice, so that this test shows little", n)
		}
		if n := len(read(t, env, w.dead)); n != shards {
			t.Errorf("%d dead letters, want the %d there were", n, shards)
		}
		if repeats := s.Metric(t, "records_skipped_total", `reason="repeat"`); int(repeats) != n-2*shards {
			t.Errorf("%v repeats were skipped, want %d", repeats, n-2*shards)
		}
		s.Stop(t)
		if got := w.consumer(t, "verify"); got.Code != 0 || !strings.Contains(got.Messages, strconv.Itoa(keys)+" keys match the log, 0 differ") {
			t.Errorf("verify: exit %d\n%s\n%s", got.Code, got.Data, got.Messages)
		}
		clean := newWorld(t, env, setup{})
		for _, r := range sent {
			r.Topic = clean.input
			r.Partition, r.Offset = 0, 0
		}
		send(t, clean.kafka, sent...)
		clean.settle(t)
		from := func(p posterior) string { return p.text[strings.Index(p.text, `"n_eff"`):] }
		for _, key := range f.keys {
			got, want := w.get(t, key), clean.get(t, key)
			if got.T != shards/keys || got.N != want.N || from(got) != from(want) {
				t.Errorf("%s is not as if nothing had been wrong: t %d, n %d; want %d, %d", key, got.T, got.N, want.T, want.N)
			}
		}
	})
}

// limited writes the configuration with a limit of rows.
func (w *world) limited(t *testing.T, rows int) string {
	t.Helper()
	return w.configure(t, setup{models: anyModel + "\nlimits: {rows: " + strconv.Itoa(rows) + "}"})
}
