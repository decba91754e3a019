//go:build unix

package interop

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	jsonevents "github.com/credence-stream/credence/pipeline/events/json"
	"github.com/credence-stream/credence/pipeline/events/registry"
	"github.com/credence-stream/credence/testenv"
)

// TestSchemas reads what fastavro and Python's protobuf write, behind the header of a
// schema registry, and finds what the same rows in JSON hold.
func TestSchemas(t *testing.T) {
	python := testenv.Serializers(t)
	if python == "" {
		t.Skip("no fastavro") // said so, loudly
	}
	const schema = `{"type":"record","name":"Row","fields":[{"name":"y","type":"double"},{"name":"n","type":"long"},{"name":"ok","type":["null","boolean"]},
	  {"name":"g","type":"string"},{"name":"customer","type":{"type":"record","name":"Customer","fields":[{"name":"age","type":"int"}]}}]}`
	file := filepath.Join(t.TempDir(), "row.avsc")
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-B", "testdata/schemas.py", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	server := srfake.New()
	defer server.Close()
	server.SeedSchema("row", 1, 1, sr.Schema{Schema: schema})
	server.SeedSchema("row.proto", 1, 2, sr.Schema{Type: sr.TypeProtobuf, Schema: `syntax = "proto3"; package t;
		message Row { double y = 1; sint64 n = 2; bool ok = 3; string g = 4; Customer customer = 5; } message Customer { int32 age = 1; }`})
	plain := jsonevents.NewDecoder(events.Limits{}, events.Wanted{}, nil)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != 200 {
		t.Fatalf("%d rows", len(lines))
	}
	for _, format := range []string{registry.Avro, registry.Protobuf} {
		r, err := registry.New(registry.Options{URL: server.URL(), Format: format})
		if err != nil {
			t.Fatal(err)
		}
		d := registry.NewDecoder(events.Limits{}, events.Wanted{}, nil)
		for _, line := range lines {
			var of map[string]json.RawMessage
			if err := json.Unmarshal(line, &of); err != nil {
				t.Fatal(err)
			}
			value, err := hex.DecodeString(string(bytes.Trim(of[format], `"`)))
			if err != nil {
				t.Fatal(err)
			}
			all := []pipeline.Record{{Value: value}}
			if _, err := r.Learn(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			got, err := pipeline.Decode(d, &all[0])
			if err != nil {
				t.Fatalf("%s of %s: %v", format, of["row"], err)
			}
			want, err := plain.Decode(of["row"])
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Columns) != len(want.Columns) {
				t.Fatalf("%s of %s: %+v", format, of["row"], got)
			}
			for i := range want.Columns {
				w, g := &want.Columns[i], &got.Columns[i]
				if w.Name != g.Name || w.Type != g.Type || !slices.Equal(w.Number, g.Number) || !slices.Equal(w.Levels, g.Levels) {
					t.Fatalf("%s of %s: %+v, want %+v", format, of["row"], g, w)
				}
			}
		}
	}
}
