package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
)

// TestDeleteAndImportOverDamage: what cannot be read any more is replaced and deleted by the
// commands that repair names for it.
func TestDeleteAndImportOverDamage(t *testing.T) {
	w := settled(t)
	want := w.everything()
	file := filepath.Join(t.TempDir(), "s.arrows")
	w.must("state", "export", "--out", file)
	client, p := w.stateRedis(int(home("b")))
	damages := map[string]func(){
		"a field of meta":      func() { client.HSet(t.Context(), p+"meta", "fingerprints", "[{") },
		"another type":         func() { client.Del(t.Context(), p+"meta"); client.RPush(t.Context(), p+"meta", "x") },
		"no meta":              func() { client.Del(t.Context(), p+"meta") },
		"another kind of list": func() { client.Del(t.Context(), p+"keys"); client.RPush(t.Context(), p+"keys", "x") },
	}
	for name, damage := range damages {
		for _, way := range [][][]string{
			{{"state", "import", "--force", "--yes", "--in", file}},
			{{"state", "delete", "--all", "--yes"}},
			{{"state", "delete", "--all", "--yes"}, {"state", "import", "--in", file}},
		} {
			damage()
			if code, _, messages := w.consumer("run", "--until-end"); code != 1 || !strings.Contains(messages, "damaged") {
				t.Errorf("%s: run: exit %d\n%s", name, code, messages)
			}
			if code, out, _ := w.consumer("state", "repair", "--json"); code == 0 || !strings.Contains(out, `"remedy":"r`) && !strings.Contains(out, "state delete --all") {
				t.Errorf("%s: repair: exit %d\n%s", name, code, out)
			}
			for _, args := range way {
				w.must(args...)
			}
			w.must("run", "--until-end")
			w.must("verify")
			if now := w.everything(); !maps.Equal(now, want) {
				t.Errorf("%s, %v: %v, was %v", name, way, now, want)
			}
		}
	}
}

// TestHalfAnImportIsNoGroup: an import that ended between two partitions leaves nothing to go on from: to
// the empty ones the group would look like a new one, that begins where a trimmed log does.
func TestHalfAnImportIsNoGroup(t *testing.T) {
	w := settled(t)
	want := w.everything()
	file := filepath.Join(t.TempDir(), "s.arrows")
	w.must("state", "export", "--out", file)
	client, p := w.stateRedis(int(home("b")))
	w.trim(home("b"), 1)
	third := func(args ...string) []string { return append(args, "--set", "kafka.group=third") }
	last := strings.Replace(p, "/"+w.config().Kafka.Group+"/", "/third/", 1)
	// The set of what was put aside is another type: the import of that partition fails.
	if err := client.Set(t.Context(), last+"aside", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	code, _, messages := w.consumer(third("state", "import", "--in", file)...)
	if code != 1 || !strings.Contains(messages, "run it again: consumers halt until it has come to its end") {
		t.Fatalf("import: exit %d\n%s", code, messages)
	}
	code, _, messages = w.consumer(third("run", "--until-end")...)
	if code != 1 || strings.Count(messages, "halted (partitions)") == 0 || !strings.Contains(messages, "state import has not come to its end") {
		t.Errorf("run: exit %d\n%s", code, messages)
	}
	code, out, _ := w.consumer(third("state", "repair", "--json")...)
	if code != 1 || strings.Count(out, "state import has not come to its end") != connect.Partitions {
		t.Errorf("repair: exit %d\n%s", code, out)
	}
	w.drop(client, last+"aside")
	w.must(third("state", "import", "--in", file)...)
	w.must(third("state", "import", "--force", "--yes", "--in", file)...)
	w.must(third("run", "--until-end")...)
	if now := w.everything("--set", "kafka.group=third"); !maps.Equal(now, want) {
		t.Errorf("%v, was %v", now, want)
	}
}

// TestImportOverAnotherCount: while states for another number of partitions are replaced, none of them
// is gone on from.
func TestImportOverAnotherCount(t *testing.T) {
	w := settled(t)
	file := filepath.Join(t.TempDir(), "s.arrows")
	w.must("state", "export", "--out", file)
	client, p := w.stateRedis(int(home("b")))
	_, topic := w.stateRedis(-1)
	if err := client.HSet(t.Context(), topic+"topic", "partitions", connect.Partitions-1).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Set(t.Context(), p+"aside", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if code, _, messages := w.consumer("state", "import", "--in", file, "--force", "--yes"); code != 1 {
		t.Fatalf("exit %d\n%s", code, messages)
	}
	if layout, err := w.layout(); err != nil || layout.Partitions != pipeline.Rescales {
		t.Errorf("%+v, %v", layout, err)
	}
	w.drop(client, p+"aside")
	w.must("state", "import", "--in", file, "--force", "--yes")
	w.must("verify")
}
