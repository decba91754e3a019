//go:build unix

package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"
)

// flightModels are for the rows of python/send_shards.py.
const flightModels = `
  - match: "**"
    kind: linear
    columns:
      response: delay
      features: [distance, hour, weekend, {name: carrier, levels: [AA, DL, WN], baseline: AA}]`

// sent is what the example sends by itself, and absorbed how many of its rows
// have both a response and all features.
const (
	sentShards, sentRows = 5, 20
	absorbed             = 84
)

// flights are rows of python/send_shards.py as an Arrow stream.
func flights(t *testing.T, start int) []byte {
	t.Helper()
	var rows strings.Builder
	rows.WriteString("[")
	for i := start; i < start+sentRows; i++ {
		distance, hour := float64(100+37*i%900), i%24
		h, d := fmt.Sprint(hour), fmt.Sprint(distance/128+float64(hour)/4+float64(i*i%17)/8)
		if i%11 == 10 {
			h = "null"
		}
		if i%13 == 12 {
			d = "null"
		}
		if i > start {
			rows.WriteString(",")
		}
		fmt.Fprintf(&rows, `{"distance":%v,"hour":%s,"weekend":%t,"carrier":%q,"delay":%s}`, distance, h, i%7 >= 5, []string{"AA", "DL", "WN"}[i%3], d)
	}
	rows.WriteString("]")
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "distance", Type: arrow.PrimitiveTypes.Float64},
		{Name: "hour", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "weekend", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "carrier", Type: arrow.BinaryTypes.String},
		{Name: "delay", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows.String()))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := out.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writes has a client send the rows of the example under keys, beside the same
// rows from here under another, and compares what they lead to.
func writes(t *testing.T, w *world, client string, keys []string, send func(topic string)) {
	t.Helper()
	topic := w.id + "-" + client
	w.create(t, topic)
	send(topic)
	w.placed(t, topic, keys)
	for shard := range sentShards {
		w.send(t, &kgo.Record{Topic: topic, Key: []byte("go"), Value: flights(t, shard*sentRows)})
	}
	g := w.group(t, "by-"+client, topic, "arrow", flightModels)
	w.settle(t, g)
	get := func(key string) posterior {
		return parseJSON(t, w.consumer(t, g, "get", key, "--format", "json"))[0]
	}
	want := get("go")
	if want.t != sentShards || want.n != absorbed {
		t.Fatalf("t %d, n %d; want %d, %d", want.t, want.n, sentShards, absorbed)
	}
	for _, key := range keys {
		got := get(key)
		if got.t != want.t {
			t.Errorf("%s: t %d, want %d", key, got.t, want.t)
		}
		if d := got.difference(want); d != "" {
			t.Errorf("%s leads elsewhere: %s", key, d)
		}
	}
	if said := w.consumer(t, g, "check"); strings.Contains(said, "its shards may be spread over two models") {
		t.Errorf("check: %s", said)
	}
}

// placed fails unless every record lies in the partition that murmur2, as
// another client computes it, gives its key.
func (w *world) placed(t *testing.T, topic string, keys []string) {
	t.Helper()
	beside := topic + "-murmur2"
	w.create(t, beside)
	want, partitions := map[string]int32{}, map[int32]bool{}
	for _, key := range keys {
		r := &kgo.Record{Topic: beside, Key: []byte(key)}
		w.send(t, r)
		want[key], partitions[r.Partition] = r.Partition, true
	}
	if len(partitions) < 2 {
		t.Fatalf("all of %q lie in one partition: they prove nothing", keys)
	}
	for _, r := range w.read(t, topic, sentShards*len(keys)) {
		if r.Partition != want[string(r.Key)] {
			t.Errorf("a record of %s lies in partition %d, want %d", r.Key, r.Partition, want[string(r.Key)])
		}
	}
}

// pyarrowWrites sends plain and compressed Arrow, and one run twice, whose
// shards are applied once.
func pyarrowWrites(t *testing.T, w *world) {
	program := python(t)
	kinds := map[string][]string{"none": nil, "lz4": {"--compression", "lz4"}, "zstd": {"--compression", "zstd"}}
	var keys []string
	for kind := range kinds {
		keys = append(keys, "py/"+kind+"/a", "py/"+kind+"/b")
	}
	writes(t, w, "pyarrow", keys, func(topic string) {
		for kind, args := range kinds {
			args = append(args, "--key", "py/"+kind+"/a", "--key", "py/"+kind+"/b", "--brokers", w.broker(), "--topic", topic)
			run(t, nil, program, append([]string{example(t, "python/send_shards.py")}, args...)...)
			if kind == "lz4" {
				run(t, nil, program, append([]string{example(t, "python/send_shards.py")}, args...)...)
			}
		}
	})
}

// someKeys are of clients that send one key per call.
var someKeys = []string{"a", "b/ü", "c"}

func javaWrites(t *testing.T, w *world) {
	j := compiled(t, "SendShards")
	paths := files(t)
	writes(t, w, "java", someKeys, func(topic string) {
		for _, key := range someKeys {
			run(t, nil, j.java, append([]string{"-cp", j.path, "SendShards", w.broker(), topic, key}, paths...)...)
		}
	})
}

func kcatWrites(t *testing.T, w *world) {
	program(t, "kcat", "kcat")
	paths := files(t)
	writes(t, w, "kcat", someKeys, func(topic string) {
		for _, key := range someKeys {
			run(t, nil, example(t, "shell/send_shards.sh"), append([]string{w.broker(), topic, key}, paths...)...)
		}
	})
}

// files are the rows of the example, a shard each.
func files(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for shard := range sentShards {
		path := filepath.Join(dir, fmt.Sprintf("%d.arrows", shard))
		if err := os.WriteFile(path, flights(t, shard*sentRows), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}
