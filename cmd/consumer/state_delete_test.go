package main

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// Tombstones behind a transaction that is open are in the log and applied by nobody: it is not
// said that they are. The partition's end for readers lies before them.
func TestStateDeleteBehindATransaction(t *testing.T) {
	w := settled(t)
	home := kafka.PartitionOf([]byte("a/1"), connect.Partitions)
	c, err := kgo.NewClient(kgo.SeedBrokers(w.env.Brokers()...), kgo.TransactionalID("open"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := c.ProduceSync(t.Context(), &kgo.Record{Topic: "shards", Partition: home, Key: []byte("b")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	code, _, messages := w.consumer("state", "delete", "a/1", "--yes", "--wait", "10ms")
	if code != 1 || strings.Contains(messages, "are applied") || !strings.Contains(messages, "once the transaction of a producer ends that is open at offset ") {
		t.Errorf("exit %d: %s", code, messages)
	}
	if err := c.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	w.eventually("the tombstone is applied", func() bool {
		w.must("run", "--until-end")
		code, _, _ := w.consumer("get", "a/1")
		return code == 1
	})
	if out, _ := w.must("get", "b"); !strings.Contains(out, `"t":3,`) {
		t.Errorf("what was aborted has changed b: %s", out)
	}
}

// A key that another partitioner has put into a second partition has a tombstone in both, and
// is one key.
func TestStateDeleteCountsKeys(t *testing.T) {
	w := settled(t)
	for _, r := range w.read("shards") {
		if string(r.Key) == "a/1" {
			other := (kafka.PartitionOf(r.Key, connect.Partitions) + 1) % connect.Partitions
			w.records(kgo.Record{Topic: "shards", Partition: other, Key: r.Key, Value: r.Value})
			break
		}
	}
	w.must("run", "--until-end")
	_, messages := w.must("state", "delete", "a/1", "--yes", "--wait", "0")
	for _, want := range []string{"2 tombstones sent", ": state delete, group credence, topic shards: 1 key\n"} {
		if !strings.Contains(messages, want) {
			t.Errorf("no %q in %s", want, messages)
		}
	}
}

// TestDeleteAllThatFails: a store that fails in the middle is not taken for a consumer that was started, and
// run again it deletes the rest.
func TestDeleteAllThatFails(t *testing.T) {
	w := settled(t)
	client, prefix := w.stateRedis(int(home("b")))
	if err := client.Set(t.Context(), prefix+"aside", "no set", 0).Err(); err != nil {
		t.Fatal(err)
	}
	code, _, messages := w.consumer("state", "delete", "--all", "--yes")
	if code != 1 || !strings.Contains(messages, "run this again") || strings.Contains(messages, "a consumer was started") {
		t.Errorf("exit %d\n%s", code, messages)
	}
	w.drop(client, prefix+"aside")
	w.must("state", "delete", "--all", "--yes")
	if out, _ := w.must("state", "list"); out != "" {
		t.Errorf("left: %s", out)
	}
}
