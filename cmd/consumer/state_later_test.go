package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// altered is an export with its first row changed.
func altered(t *testing.T, file string, change func(*arrow.State)) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, about, err := arrow.NewStateReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	delete(about, "credence.sum")
	var out bytes.Buffer
	w := arrow.NewStateWriter(&out, about)
	for n := 0; ; n++ {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && n == 0 {
			change(row)
		}
		if err == nil {
			err = w.Write(row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "altered.arrows")
	if err := errors.Join(w.Close(), os.WriteFile(name, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestImportOfALaterFile: a file that has one state which no worker of this release can read is refused before the
// states of the group are gone.
func TestImportOfALaterFile(t *testing.T) {
	w := settled(t)
	file := w.exported()
	want, group := w.everything(), w.config().Kafka.Group
	metas := w.metas(group)
	layout, err := w.layout()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, why string
		change    func(*arrow.State)
	}{
		{"a snapshot of a later version", "later release", func(s *arrow.State) { s.Snapshot[4] = 99; s.Snapshot = seal(s.Snapshot) }},
		{"a section of a later release", "later release", func(s *arrow.State) { s.Sections = append(s.Sections, 'Z', 1, 1) }},
		{"a section that is cut", "cut short", func(s *arrow.State) { s.Sections = append(s.Sections, 'W', 9) }},
		{"repeats that are none", "", func(s *arrow.State) { s.Repeats = []byte{1, 200} }},
		{"a model that is cut", "bytes", func(s *arrow.State) { s.Snapshot = seal(append(s.Snapshot, 0)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := altered(t, file, c.change)
			code, _, messages := w.consumer("state", "import", "--in", other, "--force", "--yes")
			if code != 1 || !strings.Contains(messages, c.why) || !strings.Contains(messages, "row 1") {
				t.Errorf("exit %d, want %q of row 1\n%s", code, c.why, messages)
			}
			if now, err := w.layout(); err != nil || !reflect.DeepEqual(now, layout) || !reflect.DeepEqual(w.metas(group), metas) || !maps.Equal(w.everything(), want) {
				t.Errorf("refused, and the group has %+v, %+v, %v", now, w.metas(group), err)
			}
		})
	}
	w.must("state", "import", "--in", altered(t, file, func(*arrow.State) {}), "--force", "--yes")
	w.must("verify")
}

// TestImportSaysWhoImports: an import that was killed has left its mark: consumers halt and name it, and another
// takes its place where it is told to.
func TestImportSaysWhoImports(t *testing.T) {
	w := settled(t)
	file := w.exported()
	want := w.everything()
	c := w.config()
	conn := w.opened(c)
	was, err := w.layout()
	if err != nil {
		t.Fatal(err)
	}
	dead := pipeline.Layout{Partitions: pipeline.Rescales, Importing: &pipeline.Importing{ID: "deadbeef00", File: "of-monday.arrows", Since: 1795660589280}}
	if err := conn.Store.SetLayout(t.Context(), c.Kafka.Input, was, dead); err != nil {
		t.Fatal(err)
	}
	const says = "from of-monday.arrows since 2026-11-26T02:36:29Z (import deadbeef)"
	for _, args := range [][]string{{"run", "--until-end"}, {"state", "repair"}, {"check"}, {"state", "export", "--out", file + "2"}, {"state", "import", "--in", file}} {
		code, out, messages := w.consumer(args...)
		if text := out + messages; code != 1 || !strings.Contains(text, says) || !strings.Contains(text, "--force") {
			t.Errorf("%v: exit %d, no %q\n%s", args, code, says, text)
		}
	}
	if _, messages := w.must("state", "import", "--in", file, "--force", "--yes"); !strings.Contains(messages, says) {
		t.Error(messages)
	}
	if now, err := w.layout(); err != nil || now.Importing != nil || now.Partitions != connect.Partitions {
		t.Errorf("%+v, %v", now, err)
	}
	w.must("run", "--until-end")
	if now := w.everything(); !maps.Equal(now, want) {
		t.Errorf("%v, was %v", now, want)
	}
	w.must("verify")
}

// TestImportThatChangedNothing: the next import takes back the mark of one that was killed before it had
// changed anything, also where it is refused for another reason.
func TestImportThatChangedNothing(t *testing.T) {
	w := settled(t)
	file := w.exported()
	want := w.everything()
	c := w.config()
	conn := w.opened(c)
	was, err := w.layout()
	if err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		_ = (&admin.Refill{
			Topic: c.Kafka.Input, Count: connect.Partitions, Mark: pipeline.Importing{ID: "deadbeef00", File: "of-monday.arrows"}, Metas: w.metas(c.Kafka.Group), Layout: was,
			Store: conn.Store, Admin: conn.Store, Layouts: conn.Store,
			MayNote: func(context.Context) error { return nil },
			Note:    func(context.Context, map[int32]pipeline.GroupOffset) error { runtime.Goexit(); return nil },
		}).Run(t.Context())
	}()
	<-killed
	if code, _, messages := w.consumer("run", "--until-end"); code != 1 || !strings.Contains(messages, "run it again: it says whether that needs --force") {
		t.Errorf("exit %d\n%s", code, messages)
	}
	code, _, messages := w.consumer("state", "import", "--in", file)
	for _, says := range []string{"an import from of-monday.arrows", "has changed nothing: its mark is taken back", "or replace it by --force"} {
		if code != 1 || !strings.Contains(messages, says) {
			t.Errorf("exit %d, no %q\n%s", code, says, messages)
		}
	}
	if now, err := w.layout(); err != nil || !reflect.DeepEqual(now, was) {
		t.Errorf("%+v, was %+v, %v", now, was, err)
	}
	w.must("run", "--until-end")
	if now := w.everything(); !maps.Equal(now, want) {
		t.Errorf("%v, was %v", now, want)
	}
}

// TestImportIsNoted: a new group whose store is lost behind an import is not taken for a new one, though no
// consumer has been at work yet.
func TestImportIsNoted(t *testing.T) {
	w := settled(t)
	file := w.exported()
	third := func(args ...string) []string { return append(args, "--set", "kafka.group=third") }
	w.must(third("state", "import", "--in", file)...)
	w.trim(home("b"), 1)
	client, p := w.stateRedis(int(home("b")))
	lost, err := client.Keys(t.Context(), strings.NewReplacer("{", "*", "}", "*", "/"+w.config().Kafka.Group+"/", "/third/").Replace(p[:strings.LastIndexByte(p, '/')])+"*").Result()
	if err != nil || len(lost) < 3 {
		t.Fatalf("%q, %v", lost, err)
	}
	w.drop(client, lost...)
	if code, _, messages := w.consumer(third("run", "--until-end")...); code != 1 || !strings.Contains(messages, "halted (store_lost)") {
		t.Errorf("exit %d\n%s", code, messages)
	}
	w.must(third("state", "import", "--in", file, "--force", "--yes")...)
	w.must(third("run", "--until-end")...)
}

// TestImportBeginsTheRestAnew: a partition that the file has nothing of begins with the log as it is, whatever the
// group had applied of it before.
func TestImportBeginsTheRestAnew(t *testing.T) {
	w := newWorld(t, "format: json")
	w.topic(kafka.Topic{Name: "shards", Partitions: connect.Partitions})
	one, other := "b", ""
	for _, key := range []string{"a/1", "a/2", "ä", "a/10", "c", "d", "e"} {
		if home(key) != home(one) {
			other = key
		}
	}
	w.send([]string{one}, 2)
	w.must("run", "--until-end")
	c := w.config()
	conn := w.opened(c)
	none := pipeline.Partition{Topic: c.Kafka.Input, ID: home(other)}
	if err := conn.Store.Clear(t.Context(), pipeline.NewLease(none), w.metas(c.Kafka.Group)[none.ID]); err != nil {
		t.Fatal(err)
	}
	file := w.exported()
	w.send([]string{other}, 3)
	w.must("run", "--until-end")
	w.trim(home(other), 1)
	w.must("state", "import", "--in", file, "--force", "--yes")
	w.must("run", "--until-end")
	if out, _ := w.must("get", other); !strings.Contains(out, `"t":2,`) {
		t.Errorf("%s", out)
	}
}
