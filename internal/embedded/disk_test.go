package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv/probe"
)

// A broker that cannot write says which file and why, and takes no record.
func TestABrokerThatCannotWrite(t *testing.T) {
	dir := t.TempDir()
	e, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() }) // which cannot write either
	partitions := filepath.Join(dir, "partitions")
	if err := os.WriteFile(partitions, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(e.Brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	create := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "t", 1, 1
	create.Topics = append(create.Topics, topic)
	if made, err := create.RequestWith(t.Context(), client); err != nil || made.Topics[0].ErrorCode != 0 {
		t.Fatal(made, err)
	}
	client.Produce(t.Context(), &kgo.Record{Topic: "t", Value: []byte("x")}, func(_ *kgo.Record, err error) {
		if err == nil {
			t.Error("what could not be written was acknowledged")
		}
	})
	var failed error
	probe.Eventually(t, "the broker tells", func() bool {
		select {
		case <-e.kafka.disk.failed:
			failed = e.Watch(t.Context())
			return true
		default:
			return false
		}
	})
	if failed == nil || !strings.Contains(failed.Error(), partitions) || !strings.Contains(failed.Error(), "not a directory") {
		t.Errorf("it does not say what is wrong: %v", failed)
	}
}
