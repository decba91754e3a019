//go:build unix

package interop

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv/probe"
)

// franz returns a client that is not ours.
func (w *world) franz(t *testing.T, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(w.env.Brokers()...), kgo.MetadataMinAge(50 * time.Millisecond)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// send returns when all records are acknowledged.
func (w *world) send(t *testing.T, records ...*kgo.Record) {
	t.Helper()
	if err := w.franz(t).ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// read returns n records of a topic, which has no fewer, those of a partition
// in its order.
func (w *world) read(t *testing.T, topic string, n int) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	c := w.franz(t, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	var all []*kgo.Record
	for len(all) < n {
		f := c.PollFetches(ctx)
		if err := f.Err(); err != nil {
			t.Fatalf("%d of %d records of %s: %v", len(all), n, topic, err)
		}
		all = append(all, f.Records()...)
	}
	return all
}

// repeated is how many messages of each key again sends, and repeats how many
// these are in all.
const repeated = 2

var repeats = repeated * (len(streams) + 1)

// messages is the number of messages of an output topic as a group leaves it,
// and of the topic of its draws: the latter has no tombstone.
func messages(draws bool) int {
	n := shards * (len(streams) + 1)
	if !draws {
		n++
	}
	return n
}

// again sends the messages of every key's first shards once more, byte for byte
// the same, as a process does that follows one that crashed. Who takes the last
// message of a key for its newest gets it wrong.
func (w *world) again(t *testing.T, topic string) {
	t.Helper()
	n := messages(filepath.Ext(topic) == ".draws")
	all := w.read(t, topic, n)
	if len(all) != n {
		t.Fatalf("%s has %d messages, want %d", topic, len(all), n)
	}
	c := w.franz(t, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	sent := map[string]int{}
	for _, r := range all {
		if key := string(r.Key); sent[key] < repeated {
			sent[key]++
			copied := &kgo.Record{Topic: topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp}
			if err := c.ProduceSync(t.Context(), copied).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
