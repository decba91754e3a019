package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
)

// amend replaces text in the configuration.
func (w *world) amend(old, with string) {
	w.Helper()
	b, err := os.ReadFile(w.file)
	if err != nil {
		w.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		w.Fatalf("no %q in the configuration", old)
	}
	if err := os.WriteFile(w.file, []byte(strings.Replace(string(b), old, with, 1)), 0o600); err != nil {
		w.Fatal(err)
	}
}

// must runs a command line that has to succeed and returns its data and
// messages.
func (w *world) must(args ...string) (out, messages string) {
	w.Helper()
	code, out, messages := w.consumer(args...)
	if code != 0 {
		w.Fatalf("consumer %v: exit %d\n%s\n%s", args, code, out, messages)
	}
	return out, messages
}

// allDie runs the consumer over records that all become dead letters.
func (w *world) allDie() {
	w.Helper()
	if code, _, messages := w.consumer("run", "--until-end"); code != 3 || !strings.Contains(messages, "became dead letters") {
		w.Fatalf("run --until-end: exit %d\n%s", code, messages)
	}
}

const tightLimits = `models: [{match: "**", kind: linear}]
limits: {rows: 2}`

// Records that died of a limit that was raised are applied once, however often
// they are replayed and wherever a replay was killed.
func TestReplayAppliesOnce(t *testing.T) {
	w := newWorldOf(t, "format: json", tightLimits)
	keys := []string{"a", "b/1", "c"}
	w.send(keys, 4)
	w.allDie()
	input := w.read("shards")

	out, _ := w.must("dead-letters", "list", "--format", "json")
	if n := strings.Count(out, "\n"); n != 12 || strings.Count(out, `"stage":"check"`) != 12 || strings.Count(out, `"state":"open"`) != 12 {
		t.Fatalf("%d letters:\n%s", n, out)
	}
	out, _ = w.must("dead-letters", "list", "--key", "b/*", "--format", "csv", "--limit", "3")
	if strings.Count(out, "\n") != 4 || strings.Count(out, "b/1") != 3 {
		t.Errorf("list of a key:\n%s", out)
	}

	w.amend("rows: 2", "rows: 100")
	w.must("run", "--until-end") // the group takes the new limit up
	out, messages := w.must("dead-letters", "replay", "--dry-run")
	if strings.Count(out, "\n") != 12 || !strings.Contains(messages, "12 letters would be sent") || len(w.read("shards")) != 12 {
		t.Errorf("dry run: %s\n%s", messages, out)
	}
	w.must("dead-letters", "replay", "--key", "b/*", "--limit", "2")
	if got := w.read("shards"); len(got) != 14 {
		t.Fatalf("%d records in the input topic, want 14", len(got))
	}
	c := w.config()
	conn := w.connect(c)
	group, topic := c.Kafka.Group+".dlq", c.Kafka.DeadLetters
	early, err := conn.Client.Marks(t.Context(), group, topic, connect.Partitions)
	if err != nil {
		t.Fatal(err)
	}
	if _, messages := w.must("dead-letters", "replay"); !strings.Contains(messages, "10 letters sent") {
		t.Errorf("replay: %s", messages)
	}
	if _, messages := w.must("dead-letters", "replay"); !strings.Contains(messages, "0 letters sent to shards, 12 were dealt with before") {
		t.Errorf("replay again: %s", messages)
	}
	sent := w.read("shards")
	if len(sent) != 24 {
		t.Fatalf("%d records in the input topic, want 24", len(sent))
	}
	replayedAsTheyWere(t, input, sent)
	// Killed before its last note, and before any: what was sent is sent again.
	w.must("run", "--until-end")
	for id, m := range early {
		if m.Offset >= 0 {
			if err := conn.Client.SetMark(t.Context(), group, topic, int32(id), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.must("dead-letters", "replay")
	w.must("run", "--until-end")
	if err := conn.Client.DeleteGroup(t.Context(), group); err != nil {
		t.Fatal(err)
	}
	w.must("dead-letters", "replay")
	if n := len(w.read("shards")); n < 36 {
		t.Fatalf("%d records in the input topic: nothing was sent twice, so this test shows nothing", n)
	}
	w.must("run", "--until-end")
	if n := len(w.once("shards.dead")); n != 12 {
		t.Errorf("%d dead letters, want the 12 there were", n)
	}
	clean := newWorldOf(t, "format: json", strings.Replace(tightLimits, "rows: 2", "rows: 100", 1))
	clean.send(keys, 4)
	clean.must("run", "--until-end")
	for _, key := range keys {
		got, _ := w.must("get", key)
		want, _ := clean.must("get", key)
		from := func(s string) string { return s[strings.Index(s, `"n_eff"`):] }
		if !strings.Contains(got, `"t":4,"n":12,`) || from(got) != from(want) {
			t.Errorf("%s is not as if its shards had never died:\n%s%s", key, got, want)
		}
	}
	out, _ = w.must("dead-letters", "list", "--format", "json")
	if strings.Count(out, `"state":"replayed"`) != 12 {
		t.Errorf("list afterwards:\n%s", out)
	}
}

// replayedAsTheyWere holds what came after the first records against them.
func replayedAsTheyWere(t *testing.T, input, all []pipeline.Record) {
	t.Helper()
	left := slices.Clone(input)
	for _, r := range all {
		id, _ := r.Header(pipeline.ShardHeader)
		if !strings.HasPrefix(string(id), "dlq.shards.") {
			continue
		}
		i := slices.IndexFunc(left, func(o pipeline.Record) bool {
			return reflect.DeepEqual(o.Key, r.Key) && reflect.DeepEqual(o.Value, r.Value) && o.Time == r.Time &&
				reflect.DeepEqual(o.Headers, r.Headers[:len(r.Headers)-1])
		})
		if i < 0 {
			t.Errorf("offset %d, %s: no such record died: %v", r.Offset, id, r.Headers)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		t.Errorf("%d records were not replayed", len(left))
	}
}

// What would break an order asks first, and the group's own work is left to it.
func TestReplayAsks(t *testing.T) {
	w := newWorldOf(t, "format: json", `models: [{match: "s/*", kind: dlm}, {match: "**", kind: linear}]
limits: {rows: 2}`)
	w.send([]string{"s/1", "a"}, 2)
	w.allDie()
	w.amend("rows: 2", "rows: 100")
	code, _, messages := w.consumer("dead-letters", "replay")
	if code != 1 || !strings.Contains(messages, "order of its steps in time is lost") || !strings.Contains(messages, "2 letters sent") {
		t.Errorf("replay: exit %d %s", code, messages)
	}
	if _, messages := w.must("dead-letters", "replay", "--yes"); !strings.Contains(messages, "2 letters sent") {
		t.Errorf("replay --yes: %s", messages)
	}
	code, _, messages = w.consumer("dead-letters", "replay", "--set", "kafka.group=another")
	if code != 1 || !strings.Contains(messages, "0 letters sent") || !strings.Contains(messages, "has not reached the record yet") {
		t.Errorf("replay by a group that never ran: exit %d %s", code, messages)
	}
}
