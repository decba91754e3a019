package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// testLimit is the memory of a batch.
const testLimit = 8 << 20

// fake starts a broker in this process.
func fake(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// brokers returns the addresses of the brokers to test against: those that
// CREDENCE_KAFKA names, or one in this process.
func brokers(t testing.TB) []string {
	t.Helper()
	if a := os.Getenv("CREDENCE_KAFKA"); a != "" {
		return strings.Split(a, ",")
	}
	return fake(t).ListenAddrs()
}

func connect(t testing.TB, addrs []string) *Client {
	t.Helper()
	return connectAs(t, Options{Brokers: addrs})
}

func connectAs(t testing.TB, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func newLog(t testing.TB, c *Client) *Log {
	t.Helper()
	l, err := NewLog(c, testLimit/batchLimit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// fresh creates a topic of its own for a test.
func fresh(t testing.TB, c *Client, partitions int, configs ...Config) string {
	t.Helper()
	name := fmt.Sprintf("%s-%08x", strings.NewReplacer("/", "-", " ", "-", "#", "-").Replace(t.Name()), rand.Uint32())
	configs = append([]Config{{"max.message.bytes", "33554432"}}, configs...)
	if err := c.Create(t.Context(), Topic{Name: name, Partitions: partitions, Replication: 1, Configs: configs}); err != nil {
		t.Fatal(err)
	}
	return name
}

func publish(t testing.TB, c *Client, pack Compression, outputs ...pipeline.Output) {
	t.Helper()
	if _, err := NewPublisher(c, pack).Publish(t.Context(), outputs); err != nil {
		t.Fatal(err)
	}
}

// numbered makes n outputs with values "0", "1", ...
func numbered(topic string, n int) []pipeline.Output {
	outputs := make([]pipeline.Output, n)
	for i := range outputs {
		outputs[i] = pipeline.Output{Topic: topic, Key: []byte("k"), Value: fmt.Append(nil, i), Time: int64(1000 + i), Offset: int64(i)}
	}
	return outputs
}

// read fetches from offset from to the end of the log.
func read(t testing.TB, l *Log, p pipeline.Partition, from int64, maxBytes int) ([]pipeline.Record, int64) {
	t.Helper()
	_, end, err := l.Bounds(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var all []pipeline.Record
	for from < end {
		f, err := l.Fetch(t.Context(), p, from, maxBytes)
		if err != nil {
			t.Fatal(err)
		}
		if f.Lack.Count > 0 {
			t.Fatalf("from %d: the log lacks %d offsets from %d on", from, f.Lack.Count, f.Lack.First)
		}
		for _, r := range f.Records {
			if r.Offset < from || r.Offset >= f.Next {
				t.Fatalf("record %d from %d, next %d", r.Offset, from, f.Next)
			}
			from = r.Offset + 1
		}
		all = append(all, f.Records...)
		if f.Next < from {
			t.Fatalf("next %d below %d", f.Next, from)
		}
		from = f.Next
	}
	return all, from
}

func values(records []pipeline.Record) string {
	var b strings.Builder
	for _, r := range records {
		b.Write(r.Value)
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

var eventually = probe.Eventually

func franz(t testing.TB, addrs []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	k, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addrs...)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// trim removes what is below offset from a log.
func trim(t testing.TB, addrs []string, p pipeline.Partition, offset int64) {
	t.Helper()
	req := kmsg.NewDeleteRecordsRequest()
	topic := kmsg.NewDeleteRecordsRequestTopic()
	topic.Topic = p.Topic
	part := kmsg.NewDeleteRecordsRequestTopicPartition()
	part.Partition, part.Offset = p.ID, offset
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	req.TimeoutMillis = 10_000
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	if _, err := req.RequestWith(ctx, franz(t, addrs)); err != nil {
		t.Fatal(err)
	}
}

// stored makes the bytes of a batch as a log holds it.
func stored(t testing.TB, base int64, pack Compression, outputs ...pipeline.Output) []byte {
	t.Helper()
	var ps []*pipeline.Output
	for i := range outputs {
		ps = append(ps, &outputs[i])
	}
	var set recordSet
	if err := set.put(ps, pack); err != nil {
		t.Fatal(err)
	}
	b := bytes.Join(set.pieces, nil)
	binary.BigEndian.PutUint64(b, uint64(base))
	nobody.stamp(b)
	return b
}

// sealed corrects the checksum of a batch.
func sealed(b []byte) []byte {
	binary.BigEndian.PutUint32(b[crcAt:], crc32.Checksum(b[attrsAt:], castagnoli))
	return b
}

// leftOut is the id of a partition that an answer is not about.
const leftOut = -1

// answering makes the broker answer fetches by f, until f returns false.
func answering(c *kfake.Cluster, f func(from int64, p *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) bool) {
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		q := req.(*kmsg.FetchRequest)
		r := req.ResponseKind().(*kmsg.FetchResponse)
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic = q.Topics[0].Topic
		part := kmsg.NewFetchResponseTopicPartition()
		part.Partition = q.Topics[0].Partitions[0].Partition
		part.PreferredReadReplica = -1
		if !f(q.Topics[0].Partitions[0].FetchOffset, &part, r) {
			return nil, nil, false
		}
		if part.Partition != leftOut {
			topic.Partitions = append(topic.Partitions, part)
			r.Topics = append(r.Topics, topic)
		}
		return r, nil, true
	})
}
