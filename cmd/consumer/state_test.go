package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/consumer/state"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

var stateKeys = []string{"a/1", "a/10", "a/2", "b", "ä"}

// settled is a world whose group has come to the end of three shards per key.
func settled(t *testing.T) *world {
	w := newWorld(t, "format: json")
	w.send(stateKeys, 3)
	w.must("run", "--until-end")
	return w
}

// exported is a file of all states.
func (w *world) exported() string {
	w.Helper()
	file := filepath.Join(w.TempDir(), "s.arrows")
	w.must("state", "export", "--out", file)
	return file
}

// everything is what get says of all keys.
func (w *world) everything(args ...string) map[string]string {
	w.Helper()
	all := map[string]string{}
	for _, key := range stateKeys {
		all[key], _ = w.must(append([]string{"get", key}, args...)...)
	}
	return all
}

func TestStateList(t *testing.T) {
	w := settled(t)
	out, messages := w.must("state", "list", "--format", "json")
	var keys []string
	for line := range strings.Lines(out) {
		var l state.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Kind != "linear" || l.T != 3 || l.N != 9 || l.Bytes < 100 || l.Time == "" || l.Fingerprint == "" {
			t.Errorf("%+v", l)
		}
		keys = append(keys, l.Key)
	}
	if !slices.Equal(keys, stateKeys) || !strings.Contains(messages, "5 states of ") {
		t.Errorf("%q: %s", keys, messages)
	}
	if out, _ := w.must("state", "list", "--prefix", "a/1", "--format", "csv"); strings.Count(out, "\n") != 3 {
		t.Errorf("prefix: %s", out)
	}
	if out, _ := w.must("state", "list", "--key", "*", "--format", "table"); strings.Count(out, "\n") != 3 || !strings.HasPrefix(out, "KEY") {
		t.Errorf("glob: %s", out)
	}
	out, messages = w.must("state", "list", "--partitions", "--json")
	if strings.Count(out, "\n") != connect.Partitions || !strings.Contains(out, `"config":"`) || !strings.Contains(messages, "5 keys, 0 records behind") {
		t.Errorf("partitions: %s\n%s", messages, out)
	}
}

// A state with rows that wait for a shard tells how many, and where the last shard ended;
// the others have neither field.
func TestStateListTellsWhatWaits(t *testing.T) {
	w := newWorldOf(t, "format: json", "input: {coalesce: {rows: 6}}\n"+`models: [{match: "**", kind: linear}]`)
	for key, records := range map[string]int{"before the first": 1, "behind a shard": 3, "none": 2} {
		w.send([]string{key}, records) // of 3 rows, one behind the other
	}
	w.must("run", "--until-end")
	out, _ := w.must("state", "list", "--format", "json")
	told := map[string]state.Line{}
	for line := range strings.Lines(out) {
		var l state.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		told[l.Key] = l
		if waits := l.Key != "none"; strings.Contains(line, `"waiting":3,"shard_offset":`) != waits || strings.Contains(line, "waiting\":") != waits {
			t.Errorf("%s", line)
		}
	}
	for key, want := range map[string]struct {
		t, n  int64
		after int64 // records after the last shard, where there is one
	}{"before the first": {0, 0, 0}, "behind a shard": {1, 6, 1}, "none": {1, 6, 0}} {
		l, there := told[key]
		if !there || l.T != want.t || l.N != want.n {
			t.Errorf("%q: %+v", key, l)
		}
		if key == "none" {
			continue
		}
		ended := int64(-1)
		if want.after > 0 {
			ended = l.Offset - want.after
		}
		if l.ShardOffset == nil || *l.ShardOffset != ended {
			t.Errorf("%q: shard_offset in %s is not %d", key, out, ended)
		}
	}
}

// What was exported goes on in another group as if it had been there.
func TestExportImport(t *testing.T) {
	w := settled(t)
	file := filepath.Join(t.TempDir(), "s.arrows")
	if _, messages := w.must("state", "export", "--out", file); !strings.Contains(messages, "5 states") {
		t.Fatal(messages)
	}
	other := []string{"--set", "kafka.group=other", "--set", "kafka.output=others"}
	with := func(args ...string) []string { return append(args, other...) }
	w.must(with("state", "import", "--in", file)...)
	before, after := w.everything(), w.everything(other...)
	for key := range before {
		if before[key] != after[key] {
			t.Errorf("%s is not as it was exported", key)
		}
	}
	w.must(with("verify")...)
	w.send(stateKeys, 4)
	w.must("run", "--until-end")
	w.must(with("run", "--until-end")...)
	before, after = w.everything(), w.everything(other...)
	for key := range before {
		if before[key] != after[key] || !strings.Contains(after[key], `"t":7,`) {
			t.Errorf("four shards later %s is not as in the first group", key)
		}
	}
	if n := len(w.once("others")); n != 4*len(stateKeys) {
		t.Errorf("the other group has sent %d posteriors, want those of the last four shards", n)
	}

	refused := func(why string, args ...string) {
		t.Helper()
		code, _, messages := w.consumer(append([]string{"state", "import", "--in", file}, args...)...)
		if code == 0 || !strings.Contains(messages, why) {
			t.Errorf("import %v: exit %d %s, want %q", args, code, messages, why)
		}
	}
	refused("has state of 5 keys", other...)
	refused("it was made under configuration", "--set", "kafka.group=third", "--set", "seed=99")
	refused("it is of topic shards", "--set", "kafka.group=third", "--set", "kafka.input=posteriors", "--set", "kafka.output=elsewhere")
	refused("needs --yes", with("--force")...)
	w.must(with("state", "import", "--in", file, "--force", "--yes")...)
	w.must(with("run", "--until-end")...)
	for key, text := range w.everything(other...) {
		if text != before[key] {
			t.Errorf("put back and replayed, %s is not as it was", key)
		}
	}
	part := filepath.Join(t.TempDir(), "part.arrows")
	w.must("state", "export", "--out", part, "--key", "a/*")
	if code, _, messages := w.consumer("state", "import", "--in", part, "--set", "kafka.group=third"); code != 1 || !strings.Contains(messages, "only the keys that match") {
		t.Errorf("import of some keys: exit %d %s", code, messages)
	}
}

// A running consumer drops a deleted key from its memory, too, and a rebuild
// comes to the same.
func TestStateDelete(t *testing.T) {
	w := settled(t)
	c := w.config()
	s, err := run.NewService(t.Context(), cli.Apart(), c, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, false) }()
	w.send(stateKeys, 4)
	if code, _, messages := w.consumer("state", "delete", "a/1"); code != 2 || !strings.Contains(messages, "without a terminal this needs --yes") {
		t.Errorf("without --yes: exit %d %s", code, messages)
	}
	if _, messages := w.must("state", "delete", "--key", "a/1*", "--yes"); !strings.Contains(messages, "2 tombstones sent") || !strings.Contains(messages, "are applied") {
		t.Error(messages)
	}
	if code, _, _ := w.consumer("get", "a/1"); code != 1 {
		t.Error("a/1 is still there")
	}
	if code, _, messages := w.consumer("state", "delete", "--all", "--yes"); code != 1 || !strings.Contains(messages, "live members") {
		t.Errorf("delete --all beside a consumer: exit %d %s", code, messages)
	}
	w.send([]string{"a/1"}, 1)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.must("run", "--until-end")
	if out, _ := w.must("get", "a/1"); !strings.Contains(out, `"t":1,`) {
		t.Errorf("after the tombstone a/1 begins again: %s", out)
	}
	before, _ := w.must("state", "list", "--format", "json")
	if _, messages := w.must("state", "delete", "--all", "--yes"); !strings.Contains(messages, "consumer: deleted") {
		t.Error(messages)
	}
	if out, _ := w.must("state", "list"); out != "" {
		t.Errorf("after delete --all: %s", out)
	}
	marks, err := w.connect(c).Client.Marks(t.Context(), c.Kafka.Group, c.Kafka.Input, connect.Partitions)
	if err != nil || slices.ContainsFunc(marks, func(m kafka.Mark) bool { return m.Offset >= 0 }) {
		t.Errorf("offsets that would say that state was lost: %v, error %v", marks, err)
	}
	w.must("run", "--until-end")
	if after, _ := w.must("state", "list", "--format", "json"); after != before {
		t.Errorf("rebuilt:\n%s\nwas\n%s", after, before)
	}
}

// Whatever the damage, the partition is rebuilt from the log, and only it.
func TestStateRepair(t *testing.T) {
	for name, damage := range map[string]func(w *world){
		"checksum": func(w *world) {
			client, hash, cell := w.cell("a/1")
			client.HSet(w.Context(), hash, "a/1", cell[:20]+"?"+cell[21:])
		},
		"count": func(w *world) {
			client, hash, _ := w.cell("a/1")
			client.HDel(w.Context(), hash, "a/1")
		},
		"list": func(w *world) {
			client, hash, _ := w.cell("a/1")
			client.ZRem(w.Context(), hash[:strings.Index(hash, ":state:")]+":keys", "a/1")
		},
		"blob": func(w *world) {
			client, hash, _ := w.cell("a/1")
			client.HSet(w.Context(), hash, "a/1", "\x01token:7")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := settled(t)
			want := w.everything()
			if out, messages := w.must("state", "repair"); !strings.Contains(messages, "nothing is damaged") {
				t.Fatalf("whole: %s\n%s", messages, out)
			}
			damage(w)
			code, out, messages := w.consumer("state", "repair", "--json")
			if code != 2 || strings.Count(out, "rebuilt from the log") != 1 || !strings.Contains(messages, "needs --yes") {
				t.Fatalf("exit %d %s\n%s", code, messages, out)
			}
			w.must("state", "repair", "--yes")
			w.must("run", "--until-end")
			for key, text := range w.everything() {
				if text != want[key] {
					t.Errorf("%s is not as it was", key)
				}
			}
			w.must("verify")
			w.must("state", "repair")
		})
	}
}

// What verify finds is no damage that can be seen; it is rebuilt by name.
func TestRepairOfAPartition(t *testing.T) {
	w := settled(t)
	want := w.everything()
	w.restate("b", func(e *pipeline.Envelope) { e.Snapshot[len(e.Snapshot)-40] ^= 1 })
	code, out, _ := w.consumer("verify", "--json")
	var m state.Mismatch
	if err := json.Unmarshal([]byte(out), &m); code != 3 || err != nil {
		t.Fatalf("exit %d %s %v", code, out, err)
	}
	w.must("state", "repair", "--yes", "--partition", fmt.Sprint(m.Partition))
	w.must("run", "--until-end")
	w.must("verify")
	for key, text := range w.everything() {
		if text != want[key] {
			t.Errorf("%s is not as it was", key)
		}
	}
}
