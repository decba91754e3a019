package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// emptied drops all that the store has.
func (w *world) emptied() {
	w.Helper()
	o, err := redis.ParseURL(w.env.RedisURL())
	if err != nil {
		w.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close() //nolint:errcheck // nothing is pending on it
	if err := client.FlushAll(w.Context()).Err(); err != nil {
		w.Fatal(err)
	}
}

// states prints the states of a group without what is not of them.
func (w *world) states(group string) string {
	w.Helper()
	out, _ := w.must("state", "list", "--format", "csv", "--set", "kafka.group="+group)
	return out
}

// placed sends shards of six keys and returns the records by partition.
func placed(w *world) map[int32][]pipeline.Record {
	w.Helper()
	w.send([]string{"a", "b", "c", "d", "e", "f"}, 3)
	w.send([]string{"a", "b", "c", "d", "e", "f", "late"}, 4)
	c, all := w.config(), map[int32][]pipeline.Record{}
	conn := w.connect(c)
	n, err := conn.Log.Partitions(w.Context(), c.Kafka.Input)
	if err != nil {
		w.Fatal(err)
	}
	for id := range int32(n) {
		p := pipeline.Partition{Topic: c.Kafka.Input, ID: id}
		_, end, err := conn.Log.Bounds(w.Context(), p)
		for at := int64(0); err == nil && at < end; {
			var got pipeline.Fetched
			if got, err = conn.Log.Fetch(w.Context(), p, at, 1<<20); err == nil {
				all[id] = append(all[id], got.Records...)
				at = got.Next
			}
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	return all
}

// TestRunFrom: a new group has what lies at and after the place that it was told, and
// nothing else, verifies, is rebuilt from there when the store is lost, and is not begun
// twice.
func TestRunFrom(t *testing.T) {
	w := newWorld(t, "group: g, input: in, output: out, format: json")
	records := placed(w)
	var list []string
	origins, want := map[int32]int64{}, map[string]int{}
	middle := int64(0)
	for id, of := range records {
		origins[id] = int64(len(of) / 2)
		list = append(list, fmt.Sprintf("%d=%d", id, origins[id]))
		for _, r := range of[origins[id]:] {
			want[string(r.Key)]++
		}
		for _, r := range of {
			if string(r.Key) == "late" && (middle == 0 || r.Time < middle) {
				middle = r.Time
			}
		}
	}
	_, messages := w.must("run", "--until-end", "--from", strings.Join(list, ","), "--group", "new", "--set", "kafka.output=new-out")
	for _, text := range []string{"a new group begins", "backfill done"} {
		if !strings.Contains(messages, text) {
			t.Errorf("%q is not said:\n%s", text, messages)
		}
	}
	states := w.states("new")
	for key, n := range want {
		if !strings.Contains(states, fmt.Sprintf("%s,linear,%d,", key, n)) {
			t.Errorf("key %s: %d shards are not in\n%s", key, n, states)
		}
	}
	verified := func() {
		t.Helper()
		if _, messages := w.must("verify", "--set", "kafka.group=new"); !strings.Contains(messages, fmt.Sprintf("%d keys match the log, 0 differ", len(want))) {
			t.Error(messages)
		}
	}
	verified()

	w.emptied()
	w.must("run", "--until-end", "--group", "new", "--set", "kafka.output=new-out")
	if again := w.states("new"); again != states {
		t.Errorf("rebuilt from nothing:\n%swant\n%s", again, states)
	}
	verified()
	if _, messages := w.must("state", "repair", "--yes", "--set", "kafka.group=new"); strings.Contains(messages, "store_lost") {
		t.Error(messages)
	}

	for _, c := range []struct {
		from, group string
		says        []string
	}{
		{"earliest", "new", []string{"group new has state of 7 keys", "--group NAME", "state delete --all"}},
		{"0=0,1=0,2=0,3=999", "x", []string{"goes from offset 0 to"}},
		{"0=0,1=0,2=0", "x", []string{"partition 3 is not named"}},
		{"7", "x", []string{"an offset is that of one"}},
	} {
		code, _, messages := w.consumer("run", "--until-end", "--from", c.from, "--group", c.group)
		for _, text := range c.says {
			if code != 1 || !strings.Contains(messages, text) {
				t.Errorf("--from %s: exit code %d, no %q in\n%s", c.from, code, text, messages)
			}
		}
	}
	for _, bad := range []string{"yesterday", "0=a", "1=5,1=6", ""} {
		if code, _, messages := w.consumer("run", "--from", bad); code != 2 || !strings.Contains(messages, "--from") {
			t.Errorf("--from %q: exit code %d\n%s", bad, code, messages)
		}
	}

	// The way out that the refusal names.
	w.must("state", "delete", "--all", "--yes", "--set", "kafka.group=new")
	w.must("run", "--until-end", "--from", strings.Join(list, ","), "--group", "new", "--set", "kafka.output=new-out")
	if again := w.states("new"); again != states {
		t.Errorf("begun anew:\n%swant\n%s", again, states)
	}

	at := time.UnixMilli(middle).UTC().Format(time.RFC3339Nano)
	w.must("run", "--until-end", "--from", at, "--group", "timed", "--set", "kafka.output=timed-out")
	late := 0
	for _, of := range records {
		for i, r := range of {
			if r.Time >= middle {
				late += len(of) - i
				break
			}
		}
	}
	sum := 0
	for line := range strings.Lines(w.states("timed")) {
		if f := strings.Split(line, ","); f[1] == "linear" {
			var n int
			if _, err := fmt.Sscan(f[2], &n); err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	if sum != late || sum == 0 {
		t.Errorf("from %s on %d shards are applied, the log has %d", at, sum, late)
	}
	w.must("run", "--until-end", "--from", "latest", "--group", "none", "--set", "kafka.output=none-out")
	if n := strings.Count(w.states("none"), "\n"); n > 1 {
		t.Errorf("a group that begins at the end has states:\n%s", w.states("none"))
	}
}
