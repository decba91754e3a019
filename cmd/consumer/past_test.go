package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// ofAllKinds are shards that every kind takes: y is 0 or 1, x a number, g a level.
func ofAllKinds(n int) (shards []*cdf.Batch) {
	random := rand.New(rand.NewPCG(16, 3))
	for range n {
		const rows = 12
		b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{
			{Name: "x", Number: make([]float64, rows)}, {Name: "y", Number: make([]float64, rows)}, {Name: "g", Type: cdf.Text, Code: make([]int32, rows), Levels: []string{"p", "q", "r"}},
		}}
		for i := range rows {
			b.Columns[0].Number[i], b.Columns[1].Number[i], b.Columns[2].Code[i] = random.NormFloat64(), float64(random.IntN(2)), int32(i%3)
		}
		shards = append(shards, b)
	}
	return shards
}

// TestGetPast: at every offset of the log a key's posterior is what was published last by
// then, bit for bit, for every kind, also those that draw, in both formats; nothing is
// written, and what cannot be known is said.
func TestGetPast(t *testing.T) {
	for _, format := range []string{"arrow", "json"} {
		t.Run(format, func(t *testing.T) {
			var entries []string
			var keys []string
			for _, k := range models.Kinds() {
				keys = append(keys, k.Name+"/a", k.Name+"/b")
				columns := "{response: y, features: [x]}"
				switch k.Name {
				case "anova":
					columns = "{response: y, group: g}"
				case "dlm":
					columns = "{response: y}"
				}
				entries = append(entries, fmt.Sprintf("{match: %q, kind: %s, columns: %s}", k.Name+"/*", k.Name, columns))
			}
			w := newWorldOf(t, "group: g, input: in, output: out, format: "+format, "models: ["+strings.Join(entries, ", ")+"]")
			w.sendShards(keys, ofAllKinds(4))
			w.must("run", "--until-end")
			before, _ := w.must("state", "list", "--partitions", "--format", "csv")
			posteriors := w.read("out")
			if len(posteriors) < 4*len(keys)/2 {
				t.Fatalf("%d posteriors of %d keys", len(posteriors), len(keys))
			}
			out, _ := w.must("tail", "--until-end", "--format", "json")
			said := map[string]string{} // by key and ce_id
			for line := range strings.Lines(out) {
				var of struct {
					Key    string
					Source struct{ Offset int64 }
				}
				if err := json.Unmarshal([]byte(line), &of); err != nil {
					t.Fatal(err)
				}
				said[fmt.Sprintf("%s@%d", of.Key, of.Source.Offset)] = strings.TrimSuffix(line, "\n")
			}
			asked := 0
			for at, want := range said {
				key, offset, _ := strings.Cut(at, "@")
				if !strings.HasSuffix(key, "/a") {
					continue
				}
				asked++
				if got, _ := w.must("get", key, "--format", "json", "--at-offset", offset); strings.TrimSuffix(got, "\n") != want {
					t.Errorf("%s:\n%.300s\nwas published as\n%.300s", at, got, want)
				}
			}
			if asked < 8 {
				t.Errorf("%d posteriors were asked for", asked)
			}
			if after, _ := w.must("state", "list", "--partitions", "--format", "csv"); after != before {
				t.Errorf("state has changed:\n%swas\n%s", after, before)
			}
			if n := len(w.read("out")); n != len(posteriors) {
				t.Errorf("%d posteriors, there were %d", n, len(posteriors))
			}

			r := &posteriors[len(posteriors)-1]
			key, now := string(r.Key), time.UnixMilli(r.Time).Add(time.Hour).UTC().Format(time.RFC3339)
			want := said[key+"@"+header(r, "ce_id")]
			if got, _ := w.must("get", key, "--format", "json", "--at-time", now); strings.TrimSuffix(got, "\n") != want {
				t.Errorf("%s at %s:\n%swas published as\n%s", key, now, got, want)
			}
			for _, c := range []struct {
				code int
				says string
				args []string
			}{
				{1, "is not known yet", []string{"--at-offset", "99999"}},
				{1, "is not known yet", []string{"--at-offset", "9223372036854775807"}},
				{1, "had no model", []string{"--at-time", "2001-01-01T00:00:00Z"}},
				{2, "exclude each other", []string{"--at-time", "1h", "--at-offset", "1"}},
				{2, "--at-offset -3", []string{"--at-offset", "-3"}},
				{2, "neither a time", []string{"--at-time", "noon"}},
				{1, "another configuration", []string{"--at-offset", "1", "--set", "models.0.forget=0.5"}},
			} {
				if code, _, messages := w.consumer(append([]string{"get", key}, c.args...)...); code != c.code || !strings.Contains(messages, c.says) {
					t.Errorf("%q: exit code %d, %s", c.args, code, messages)
				}
			}
		})
	}
}
