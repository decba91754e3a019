//go:build unix

package integration

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestRescaled gives a topic of 4 partitions 12, with runs that are killed, and compares
// everything that is published with a topic that had 12 from the start. Then it loses the
// store. CREDENCE_RESCALE_KEYS sets the number of keys, for make rescale.
func TestRescaled(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		keys, kills, rounds := 40, 3, 4
		// Rows of three records are a shard: some wait while their key moves.
		models := anyModel + "\ninput: {coalesce: {rows: 12}}"
		if n, err := strconv.Atoi(os.Getenv("CREDENCE_RESCALE_KEYS")); err == nil {
			keys, kills, rounds, models = n, 20, 1, anyModel
		}
		kept := map[string]string{"retention.ms": "-1"} // the records are of 2023
		w := newWorld(t, env, setup{partitions: 4, models: models, topic: kept})
		always := newWorld(t, env, setup{partitions: 12, models: models, topic: kept})
		f := w.feeder(t, keys)
		// feed sends the same to both.
		feed := func(n int) {
			t.Helper()
			all, same := make([]*kgo.Record, n), make([]*kgo.Record, n)
			for i := range all {
				all[i] = f.next(t)
				all[i].Timestamp = time.UnixMilli(1_700_000_000_000 + f.shards)
				same[i] = &kgo.Record{Topic: always.input, Key: all[i].Key, Value: all[i].Value, Timestamp: all[i].Timestamp}
			}
			sender := franz(t, env) // knows the partitions of now
			defer sender.Close()
			send(t, sender, all...)
			send(t, sender, same...)
		}
		feed(keys*rounds + keys/2)
		if got := w.consumer(t, "rescale", "--to", "12", "--yes"); got.Code != 1 || !strings.Contains(got.Messages, "nothing is stored") {
			t.Fatalf("rescale of a new group: exit %d\n%s", got.Code, got.Messages)
		}
		s := w.start(t)
		w.caughtUp(t)
		if got := w.consumer(t, "rescale", "--to", "12", "--yes"); got.Code != 1 || !strings.Contains(got.Messages, "live members") {
			t.Fatalf("rescale beside a consumer: exit %d\n%s", got.Code, got.Messages)
		}
		s.Stop(t)

		export := filepath.Join(t.TempDir(), "moved.arrows")
		command := []string{"rescale", "--to", "12", "--yes", "--export", export}
		start := time.Now()
		rng := rand.New(rand.NewPCG(1, 9))
		for range kills {
			w.killed(t, time.Duration(30+rng.IntN(20*kills+keys/25))*time.Millisecond, command...)
		}
		got := w.consumer(t, command...)
		if done := got.Code == 1 && strings.Contains(got.Messages, "of 12 partitions already"); got.Code != 0 && !done {
			t.Fatalf("rescale: exit %d\n%s", got.Code, got.Messages)
		}
		t.Logf("%d keys moved after %d kills in %v", keys, kills, time.Since(start))
		w.verified(t, keys)

		// In the middle of it workers halt.
		layout := "credence:{" + w.cluster + "/" + w.group + "/" + w.input + "}:topic"
		partitions := func(n int) {
			t.Helper()
			if err := w.store.HSet(t.Context(), layout, "partitions", n).Err(); err != nil {
				t.Fatal(err)
			}
		}
		partitions(0)
		s = w.start(t)
		programs.Eventually(t, "all partitions halt", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="partitions"`) == 12, nil
		})
		if why := s.Readiness(t, 503); !strings.Contains(why, "has not come to its end") {
			t.Errorf("in the middle a worker says %s", why)
		}
		s.Stop(t)
		partitions(12)

		feed(keys * rounds)
		w.settle(t)
		always.settle(t)
		w.verified(t, keys)
		same := func(when string) {
			t.Helper()
			got, want := w.said(t), always.said(t)
			differ := 0
			for id, text := range want {
				if got[id] != text {
					if differ++; differ < 4 {
						t.Errorf("%s, %s:\n%s%s", when, id, got[id], text)
					}
				}
			}
			t.Logf("%s: %d posteriors of %d keys compared, %d differ", when, len(want), keys, differ)
			if len(got) != len(want) || len(want) < keys {
				t.Errorf("%s: %d posteriors, and %d with 12 partitions from the start", when, len(got), len(want))
			}
		}
		same("rescaled")

		if err := w.store.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		s = w.start(t)
		programs.Eventually(t, "all partitions halt", func() (bool, error) {
			return s.Metric(t, "partitions_halted", `reason="store_lost"`) == 12, nil
		})
		if why := s.Readiness(t, 503); !strings.Contains(why, export) {
			t.Errorf("the halt does not name %s: %s", export, why)
		}
		s.Stop(t)
		if got := w.consumer(t, "state", "delete", "--all", "--yes"); got.Code != 1 || !strings.Contains(got.Messages, "was rescaled") {
			t.Errorf("state delete --all: exit %d\n%s", got.Code, got.Messages)
		}
		if got := w.consumer(t, "state", "import", "--in", export); got.Code != 0 {
			t.Fatalf("state import: exit %d\n%s", got.Code, got.Messages)
		}
		w.settle(t)
		w.verified(t, keys)
		same("after the store was lost")
	})
}

// verified fails unless verify finds all keys in the log.
func (w *world) verified(t *testing.T, keys int) {
	t.Helper()
	got := w.consumer(t, "verify")
	said := strings.ReplaceAll(got.Messages, ",", "") // large numbers have some
	if want := strconv.Itoa(keys) + " keys match the log 0 differ"; got.Code != 0 || !strings.Contains(said, want) {
		t.Fatalf("verify: exit %d, want %q\n%s%s", got.Code, want, programs.Last(got.Data), programs.Last(got.Messages))
	}
}

var sourceField = regexp.MustCompile(`"source":\{[^}]*\},?`)

// said returns the posteriors that were published, by key and shard, without where their
// records were. A repeat says the same.
func (w *world) said(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, p := range w.tail(t) {
		id, text := p.Key+" "+strconv.FormatInt(p.T, 10), sourceField.ReplaceAllString(p.text, "")
		if was, ok := all[id]; ok && was != text {
			t.Errorf("%s was published as\n%sand as\n%s", id, was, text)
		}
		all[id] = text
	}
	return all
}
