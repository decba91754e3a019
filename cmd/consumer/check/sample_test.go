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

// baselined is a model that refuses a shard without the level b, as every row of another
// level alone is.
const baselined = `input: {format: json, coalesce: {rows: %d}}
models: [{match: "**", kind: linear, columns: {response: y, features: [{name: c, levels: first, baseline: b}]}}]`

// sampledRows are records of one row each of a key, of the levels of c; a dash lacks the
// column.
func sampledRows(levels string) (all []*connect.Sampled) {
	for i, level := range levels {
		b := &cdf.Batch{Rows: 1, Columns: []cdf.Column{
			{Name: "y", Number: []float64{float64(i * i % 5)}}, {Name: "c", Type: cdf.Text, Levels: []string{string(level)}, Code: []int32{0}},
		}}
		if level == '-' {
			b.Columns = b.Columns[:1]
		}
		all = append(all, &connect.Sampled{Partitions: 1, Record: &pipeline.Record{Key: []byte("k"), Offset: int64(i), Time: int64(1000 * i)}, Batch: b})
	}
	return all
}

// The newest records are tried as the shards that a worker would make of them.
func TestSampleIsGatheredAsAWorkerDoes(t *testing.T) {
	for _, c := range []struct {
		name, levels string
		rows         int // of input.coalesce
		want         []string
	}{
		{"single rows", "ab", 0, []string{`warning models[0]: 1 of the 2 newest shards that match "**" would go to the dead letters; the first: partition 0, offset 0: key "k": `}},
		{"gathered", "abbbabaabbab", 4, []string{"ok topic shards: the 12 newest events in json fit"}},
		{"some wait", "abbbab", 4, []string{"ok topic shards: the 6 newest events in json fit", "note topic shards: 2 rows of the newest records, of 1 key, wait for a shard"}},
		{"all wait", "aaa", 4, []string{"ok topic shards: the 3 newest", "note topic shards: 3 rows of the newest records, of 1 key, wait"}},
		{"a record that is refused alone", "ab-bb", 4, []string{`warning models[0]: 1 of the 5 newest records that match "**"`, "partition 0, offset 2: ", `column "c"`}},
		{"a shard that is refused", "aaaa", 4, []string{`error models[0]: 4 of the 4 newest records that match "**" would go to the dead letters, or be let go with one that does`,
			"partition 0, offset 3: ", "the shard had 4 rows of 4 records, of this key from offset 0 to 3, and none of them is applied"}},
		{"goes on after it", "aaaaabbb", 4, []string{`warning models[0]: 4 of the 8 newest records`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &checker{names: cli.Apart(), config: configtest.Parse(t, fmt.Sprintf(baselined, c.rows))}
			rules, err := connect.NewRules(k.config)
			if err != nil {
				t.Fatal(err)
			}
			i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
			for _, s := range sampledRows(c.levels) {
				i.visit(s)
			}
			i.report(k)
			var got strings.Builder
			for _, f := range k.findings {
				got.WriteString(string(f.Level) + " " + f.Subject + ": " + f.Message + "\n")
			}
			for _, want := range c.want {
				if !strings.Contains(got.String(), want) {
					t.Errorf("found\n%swant %q", got.String(), want)
				}
			}
			if n := strings.Count(got.String(), "\n"); n > 2 || n == 2 && !strings.Contains(got.String(), "note") {
				t.Errorf("%d findings:\n%s", n, got.String())
			}
		})
	}
}

// Where rows are gathered, as many shards are tried as where each record is one.
func TestSampleTriesSoManyShards(t *testing.T) {
	k := &checker{names: cli.Apart(), config: configtest.Parse(t, fmt.Sprintf(baselined, 2))}
	rules, err := connect.NewRules(k.config)
	if err != nil {
		t.Fatal(err)
	}
	i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
	for _, s := range sampledRows(strings.Repeat("ab", looked/2)) {
		i.visit(s)
	}
	if m := &i.models[0]; m.shards != tried || m.records != 2*tried || i.keys["k"].filter.T() != tried {
		t.Errorf("%+v, want %d shards of 2 records", m, tried)
	}
}
