package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// check tells of keys that differ in spelling alone, and of features that are dates.
func TestKeysAndDates(t *testing.T) {
	for _, c := range []struct {
		name     string
		features string
		keys     []string
		value    func(n int) int64
		want     string // "": nothing
	}{
		{"plain", "[at]", []string{"A-1", "A-2"}, func(n int) int64 { return int64(n) }, ""},
		{"keys", "[at]", []string{"A-1", "B", "a-1 ", "B\u200b"}, func(n int) int64 { return int64(n) }, `note topic shards: keys are spelt in several ways, and each has a model of its own: "A-1", "a-1 " (make`},
		{"days", "[at]", []string{"a"}, func(n int) int64 { return 20240101 + int64(n%28) }, `note models[0]: "at" is a feature and looks like dates that are written as numbers (20240101 is a day) (send it as a time`},
		{"months of every number", "null", []string{"a"}, func(n int) int64 { return 202401 + int64(n%12) }, `(202401 is a month)`},
		{"amounts", "[at]", []string{"a"}, func(n int) int64 { return 20240101 + 777*int64(n%28) }, ""},
		{"no feature", "[x]", []string{"a"}, func(n int) int64 { return 20240101 + int64(n%28) }, ""},
	} {
		k := &checker{names: cli.Apart(), config: configtest.Parse(t, "models: [{match: '**', kind: linear, columns: {response: y, features: "+c.features+"}}]")}
		rules, err := connect.NewRules(k.config)
		if err != nil {
			t.Fatal(err)
		}
		i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
		for n := range 60 {
			v := c.value(n)
			b := &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{float64(n % 7)}}, {Name: "x", Number: []float64{float64(n % 5)}},
				{Name: "at", Type: cdf.Integer, Int: []int64{v}, Number: []float64{float64(v)}}}}
			i.visit(&connect.Sampled{Partitions: 1, Record: &pipeline.Record{Key: []byte(c.keys[n%len(c.keys)]), Offset: int64(n)}, Batch: b})
		}
		i.report(k)
		said := ""
		for _, f := range k.findings {
			if strings.Contains(f.Message, "spelt") || strings.Contains(f.Message, "dates") {
				said += fmt.Sprintf("%s %s: %s (%s)\n", f.Level, f.Subject, f.Message, f.Fix)
			}
		}
		if (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
}

// check tells of listed levels that no record has, and of several spellings.
func TestLevelsThatNobodyHas(t *testing.T) {
	for _, c := range []struct {
		listed string
		levels []string // of records
		want   string   // "": nothing
	}{
		{"[a, b]", []string{"a", "b"}, ""},
		{"[a, b, c]", []string{"a", "b"}, `note models[0]: none of the 120 newest rows has these levels of "c", which are listed: "c"; nothing is learnt of them until some do`},
		{"[a, b, c, d, e, f, g]", []string{"a", "b"}, ""}, // by chance
		{"[a, Berlin]", []string{"a", "berlin "}, `warning models[0]: no record looked at has the level "Berlin" of "c", and some have "berlin ", which is none of the levels listed (write "berlin " in models[0].columns.features)`},
		{"[a, b]", []string{"a", "c", "d", "e"}, `note models[0]: 3 levels of "c" that are not listed share one coefficient, and are 75 % of the rows looked at: "c", "d", "e" (list those that matter in models[0].columns.features`},
		{"[a, b], other: drop", []string{"a", "c", "d", "e"}, "none of the 120"},
		{"[a, b]", []string{"a", "b", "a", "b", "a", "b", "a", "b", "c", "d"}, ""},
		{"[a, b]", []string{"a", "b", "c"}, ""}, // one level more, by another name
		{"[a, Rome]", []string{"a", "Rome", "ROME"}, `note models[0]: levels of "c" are spelt in several ways, and each is one of its own: "Rome", "ROME"`},
	} {
		k := &checker{names: cli.Apart(), config: configtest.Parse(t, "models: [{match: '**', kind: linear, columns: {response: y, features: [{name: c, levels: "+c.listed+", baseline: a}]}}]")}
		rules, err := connect.NewRules(k.config)
		if err != nil {
			t.Fatal(err)
		}
		i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
		for n := range 60 {
			b := &cdf.Batch{Rows: 2, Columns: []cdf.Column{{Name: "y", Number: []float64{float64(n % 7), float64(n % 5)}},
				{Name: "c", Type: cdf.Text, Levels: []string{c.levels[n%len(c.levels)], c.levels[(n+1)%len(c.levels)]}, Code: []int32{0, 1}}}}
			i.visit(&connect.Sampled{Partitions: 1, Record: &pipeline.Record{Key: []byte("k"), Offset: int64(n)}, Batch: b})
		}
		i.report(k)
		said := ""
		for _, f := range k.findings {
			if strings.Contains(f.Message, "level") {
				said += fmt.Sprintf("%s %s: %s (%s)\n", f.Level, f.Subject, f.Message, f.Fix)
			}
		}
		if (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s, %q: %q, want %q", c.listed, c.levels, said, c.want)
		}
	}
}
