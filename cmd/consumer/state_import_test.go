package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// TestDeleteAndImportOverDamage: what cannot be read any more is replaced and deleted by the
// commands that repair names for it.
func TestDeleteAndImportOverDamage(t *testing.T) {
	w := settled(t)
	want := w.everything()
	file := w.exported()
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
	file := w.exported()
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
	file := w.exported()
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

// TestImportOfADamagedFile: a file that was cut anywhere, or has one byte turned, is refused before anything
// is changed. One of
// before, which has no checksum, is read.
func TestImportOfADamagedFile(t *testing.T) {
	w := settled(t)
	want := w.everything()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "s.arrows"), filepath.Join(dir, "damaged.arrows")
	w.must("state", "export", "--out", file)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	third := []string{"--set", "kafka.group=third"}
	var same, refused int
	attempt := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(other, data, 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, messages := w.consumer(append([]string{"state", "import", "--in", other}, third...)...)
		switch {
		case code == 1 && strings.Contains(messages, other):
			refused++
			return
		case code != 0:
			t.Errorf("%s: exit %d\n%s", what, code, messages)
		}
		same++
		if now := w.everything(third...); !maps.Equal(now, want) {
			t.Errorf("%s: %v, was %v", what, now, want)
		}
		if metas, before := w.metas("third"), w.metas(w.config().Kafka.Group); !slices.EqualFunc(metas, before, func(a, b pipeline.Meta) bool {
			a.Owner, b.Owner, a.Generation, b.Generation = "", "", 0, 0
			a.Gaps, b.Gaps = append([]pipeline.Gap{}, a.Gaps...), append([]pipeline.Gap{}, b.Gaps...)
			a.Weights, b.Weights = quota.Weights{}, quota.Weights{}
			return reflect.DeepEqual(a, b)
		}) {
			t.Errorf("%s: %+v, was %+v", what, metas, before)
		}
		w.must(append([]string{"state", "delete", "--all", "--yes"}, third...)...)
	}
	step := 31
	if testing.Short() {
		step = 407
	}
	for at := 0; at < len(whole); at += step {
		turned := bytes.Clone(whole)
		turned[at] ^= 1 << (at % 8)
		attempt(fmt.Sprintf("byte %d of %d turned", at, len(whole)), turned)
	}
	for at := 0; at < len(whole)-8; at += 9 * step { // the last eight bytes only say that it ends
		attempt(fmt.Sprintf("cut at byte %d of %d", at, len(whole)), whole[:at])
	}
	t.Logf("%d bytes: %d refused, %d said the same", len(whole), refused, same)
	if metas := w.metas("third"); slices.ContainsFunc(metas, func(m pipeline.Meta) bool { return m.Exists }) {
		t.Errorf("%+v", metas)
	}
	if same > 0 || refused < 20 {
		t.Errorf("%d refused, %d said the same", refused, same)
	}
	attempt("whole", whole)
	attempt("of before", bytes.Replace(whole[:len(whole)-len("credence-crc32c:")-4], []byte("credence.sum"), []byte("credence.old"), 1))
	if same != 2 {
		t.Error("whole, or without a checksum as from before, it is refused")
	}
}
