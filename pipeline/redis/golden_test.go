package redis

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

const fingerprint = "15f2445bb7539f160696d6bc03895648ebc58fccd7b425e023dd3cf8c67489bd"

var configured = pipeline.Configured{
	Fingerprint: fingerprint, Core: "3b3420c56e40deecc232d4332d547309a3ecf094ddaddc6733ecce65276f0ff8",
	Limits: `{"record":33554432,"rows":1000000,"columns":5000,"groups":100000,"summary":16777216}`,
}

// noIdentity is the meta of a program that did not keep which log a state is of, as such
// a one (commit 340720d) wrote it; identity is what is written now.
var (
	noIdentity = pipeline.Meta{
		Exists: true, Owner: "452afae8980f48e3414e78fd0d6a66a3", Generation: 1, Watermark: 5, Keys: 1, Format: 1,
		Last: pipeline.Last{Offset: 4, Time: 1795660589280, CRC: 2595592842}, Configured: []pipeline.Configured{configured},
	}
	identity = pipeline.Meta{
		Exists: true, Owner: "a", Generation: 7, Watermark: 40, Origin: 30, Keys: 1, Format: pipeline.StateFormat, Topic: "topic id",
		Last: pipeline.Last{Offset: 39, Time: 1795660589280, CRC: 7, Epoch: 3}, Configured: []pipeline.Configured{configured},
		Gaps: []pipeline.Gap{{From: 31, To: 33}},
	}
	// rescaled and moving are layouts of a topic that had three partitions, after a
	// rescaling and in the middle of another one.
	rescaled = pipeline.Layout{Partitions: 4, Past: []pipeline.Era{{ID: "one", Partitions: []pipeline.Stretch{
		{From: 0, To: 10, Keys: 3, Configured: []pipeline.Configured{configured}},
		{From: 2, To: 12, Gaps: []pipeline.Gap{{From: 4, To: 5}}, Configured: []pipeline.Configured{configured}},
		{From: 0, To: 0, Configured: []pipeline.Configured{configured}},
	}}}}
	moving = pipeline.Layout{Partitions: pipeline.Rescales, Past: rescaled.Past, Moving: &pipeline.Moving{
		ID: "two", From: 4, To: 8, Step: pipeline.MoveGrow, Era: pipeline.Era{ID: "two", Partitions: rescaled.Past[0].Partitions[:1]},
	}}
	// importing is the layout while an import is under way that has failed.
	importing = pipeline.Layout{Partitions: pipeline.Rescales, Past: rescaled.Past, Importing: &pipeline.Importing{ID: "three", File: "s.arrows", Since: 1795660589280, Ended: true}}
)

// TestStoredFieldsGolden reads what every release has kept of a partition and of a topic
// beside the states. The files load for ever; a field that is added makes another one.
func TestStoredFieldsGolden(t *testing.T) {
	b := openMini(t)
	s := b.store(t, "credence")
	topic := prefix[:len(prefix)-len("/3}:")] + "}:topic"
	fields := func(key string) map[string]string {
		t.Helper()
		all, err := b.raw.HGetAll(t.Context(), key).Result()
		must(t, err)
		return all
	}
	meta := func() any {
		t.Helper()
		m, err := s.Meta(t.Context(), part)
		must(t, err)
		return m
	}
	layout := func() any {
		t.Helper()
		l, err := s.Layout(t.Context(), part.Topic)
		must(t, err)
		return l
	}
	set := func(is pipeline.Layout) func() {
		return func() { must(t, s.SetLayout(t.Context(), part.Topic, pipeline.Layout{Partitions: -1}, is)) }
	}
	cases := map[string]struct {
		key   string
		write func() // nil: no program writes it any more
		read  func() any
		want  any
	}{
		"meta_no_identity.json": {prefix + "meta", nil, meta, noIdentity},
		"meta.json": {prefix + "meta", func() {
			claim(t, s, "a")
			save(t, s, "a", pipeline.Checkpoint{
				From: -1, To: 40, Origin: 30, Topic: identity.Topic, Last: identity.Last, Configured: identity.Configured, Gaps: identity.Gaps,
				Changes: []pipeline.Change{{Key: "k", Value: pipeline.Stored("value")}},
			})
		}, meta, identity},
		"layout_rescaled.json":  {topic, set(rescaled), layout, rescaled},
		"layout_moving.json":    {topic, set(moving), layout, moving},
		"layout_importing.json": {topic, set(importing), layout, importing},
	}
	files, err := filepath.Glob("testdata/*.json")
	must(t, err)
	for name, c := range cases {
		file := filepath.Join("testdata", name)
		var written map[string]string
		must(t, b.raw.FlushAll(t.Context()).Err())
		if c.write != nil {
			c.write()
			written = fields(c.key)
		}
		if _, err := os.Stat(file); *update && os.IsNotExist(err) && c.write != nil {
			text, err := json.MarshalIndent(written, "", "  ")
			must(t, err)
			must(t, os.WriteFile(file, append(text, '\n'), 0o644))
		}
		text, err := os.ReadFile(file)
		must(t, err)
		var golden map[string]string
		must(t, json.Unmarshal(text, &golden))
		if c.write != nil && !reflect.DeepEqual(written, golden) {
			t.Errorf("%s: what is written now is %v", file, written)
		}
		must(t, b.raw.FlushAll(t.Context()).Err())
		must(t, b.raw.HSet(t.Context(), c.key, golden).Err())
		if got := c.read(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: read as\n%+v, want\n%+v", file, got, c.want)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return f == file })
	}
	if len(files) > 0 {
		t.Errorf("no test opens %q", files)
	}
}
