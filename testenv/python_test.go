//go:build unix

package testenv

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// pythonRoundTrip has librdkafka carry a table that pyarrow wrote, and pandas and
// polars read it back. Arguments: brokers, topic.
const pythonRoundTrip = `
import sys
import pandas, polars, pyarrow as pa
from confluent_kafka import Consumer, Producer, TopicPartition

brokers, topic = sys.argv[1:]
sink = pa.BufferOutputStream()
table = pa.table({"y": [1.5, 2.5], "x": [3.0, None]})
with pa.ipc.new_stream(sink, table.schema) as w:
    w.write_table(table)

failures = []
p = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random"})
p.produce(topic, key="k", value=sink.getvalue().to_pybytes(), on_delivery=lambda e, m: e and failures.append(e))
assert p.flush(300) == 0 and not failures, failures

c = Consumer({"bootstrap.servers": brokers, "group.id": topic, "enable.auto.commit": False})
c.assign([TopicPartition(topic, 0, 0)])
m = c.poll(300)
assert m is not None and m.error() is None, m
read = pa.ipc.open_stream(m.value()).read_all()
c.close()
print(m.key().decode(), read.to_pandas()["y"].sum(), polars.from_arrow(read)["x"].null_count())
`

// TestPython shows that the interpreter has what Python promises and that
// each back end talks to librdkafka.
func TestPython(t *testing.T) {
	start := time.Now()
	python := Python(t)
	if python == "" {
		return // said so, loudly
	}
	t.Logf("python after %v", time.Since(start))
	for _, b := range Backends(t) {
		t.Run(string(b), func(t *testing.T) {
			e := Open(t, b)
			topic := fmt.Sprintf("python-%d", time.Now().UnixNano())
			if err := e.CreateTopic(t.Context(), topic, 1, nil); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), python, "-c", pythonRoundTrip, strings.Join(e.Brokers(), ","), topic)
			var told strings.Builder // librdkafka is chatty
			cmd.Stderr = &told
			out, err := cmd.Output()
			if got := strings.TrimSpace(string(out)); err != nil || got != "k 4.0 1" {
				t.Errorf("printed %q, %v; want \"k 4.0 1\"; %s", got, err, told.String())
			}
		})
	}
}
