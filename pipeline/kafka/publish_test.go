package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// TestMurmur2 holds the values of Apache Kafka's own test of its hash.
func TestMurmur2(t *testing.T) {
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := int32(murmur2([]byte(key))); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
	other := kgo.StickyKeyPartitioner(nil).ForTopic("t")
	key := []byte{}
	for i := range 300 {
		for _, n := range []int{1, 4, 7, 64} {
			if got, want := PartitionOf(key, n), other.Partition(&kgo.Record{Key: key}, n); int(got) != want {
				t.Fatalf("%x of %d: %d, want %d", key, n, got, want)
			}
		}
		key = append(key, byte(i*31))
	}
}

func TestPublishPartitions(t *testing.T) {
	c := connect(t, brokers(t))
	topic, l := fresh(t, c, 4), newLog(t, c)
	var outputs []pipeline.Output
	for i := range 400 {
		outputs = append(outputs, pipeline.Output{Topic: topic, Key: fmt.Append(nil, "key", i%40), Value: fmt.Append(nil, i), Offset: int64(i)})
	}
	outputs = append(outputs, pipeline.Output{Topic: topic, Offset: 6, Value: []byte("-1")})
	publish(t, c, LZ4, outputs...)
	seen := map[string]int{}
	total := 0
	for id := range int32(4) {
		got, _ := read(t, l, pipeline.Partition{Topic: topic, ID: id}, 0, 1<<20)
		total += len(got)
		for _, r := range got {
			var v int
			if _, err := fmt.Sscan(string(r.Value), &v); err != nil {
				t.Fatal(err)
			}
			if r.Key == nil {
				if id != 2 {
					t.Errorf("no key, offset 6: partition %d", id)
				}
				continue
			}
			if last, ok := seen[string(r.Key)]; ok && v <= last {
				t.Errorf("%s: %d after %d", r.Key, v, last)
			}
			seen[string(r.Key)] = v
			if want := PartitionOf(r.Key, 4); id != want {
				t.Errorf("%s in partition %d, want %d", r.Key, id, want)
			}
		}
	}
	if total != 401 || len(seen) != 40 {
		t.Errorf("%d records of %d keys", total, len(seen))
	}
}

// TestPublishOrder: whatever fails, first occurrences are in order, because no
// batch leaves before the one in front of it is acknowledged, and what was
// acknowledged is not sent again. Nothing is in the log twice.
func TestPublishOrder(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.NotEnoughReplicas, kerr.KafkaStorageError} {
		t.Run(e.Message, func(t *testing.T) {
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
			outputs := numbered(p.Topic, 12)
			for i := range outputs { // 2 a batch
				outputs[i].Value = fmt.Append(nil, i, " ", strings.Repeat(".", batchBytes*2/5))
			}
			var sent atomic.Int64
			b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e, Count: -1, When: func(kmsg.Request) bool {
				n := sent.Add(1)
				return n == 2 || n == 5 || n == 9 || n == 14
			}})
			publisher := NewPublisher(c, Plain)
			for try := 0; len(outputs) > 0; try++ {
				rest, err := publisher.Publish(t.Context(), outputs)
				var r *pipeline.RefusedError
				if errors.As(err, &r) || (err == nil) != (len(rest) == 0) || try == 20 {
					t.Fatal(len(rest), err)
				}
				outputs = rest
			}
			got, _ := read(t, l, p, 0, 1<<20)
			for i, r := range got {
				if !strings.HasPrefix(string(r.Value[:8]), fmt.Sprint(i, " ")) {
					t.Fatalf("%.8s in place %d", r.Value, i)
				}
			}
			if len(got) != 12 {
				t.Errorf("12 outputs in %d records", len(got))
			}
		})
	}
}

func TestPublishRefused(t *testing.T) {
	for _, tc := range []struct {
		e     *kerr.Error
		limit string
	}{
		{kerr.MessageTooLarge, "max.message.bytes"},
		{kerr.RecordListTooLarge, "segment.bytes"},
		{kerr.InvalidTimestamp, "message.timestamp.before.max.ms"},
		{kerr.TopicAuthorizationFailed, "authorization"},
		{kerr.InvalidRecord, "cleanup.policy"},
	} {
		b := fake(t)
		c := connect(t, b.ListenAddrs())
		topic := fresh(t, c, 1)
		b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: tc.e, Count: -1})
		_, err := NewPublisher(c, Plain).Publish(t.Context(), numbered(topic, 1))
		var r *pipeline.RefusedError
		if !errors.As(err, &r) || r.Topic != topic || !strings.Contains(r.Limit, tc.limit) || r.Remedy == "" {
			t.Errorf("%v: %v", tc.e, err)
		}
	}
}

// TestPublishHalves: a topic may take less than a request carries.
func TestPublishHalves(t *testing.T) {
	c := connect(t, brokers(t))
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1, Config{"max.message.bytes", "5000"})}
	outputs := numbered(p.Topic, 50)
	for i := range outputs {
		outputs[i].Value = fmt.Append(nil, i, strings.Repeat(".", 900))
	}
	publish(t, c, Plain, outputs...)
	got, _ := read(t, l, p, 0, 1<<20)
	if len(got) != 50 {
		t.Fatalf("%d records", len(got))
	}
	for i := range got {
		if !bytes.Equal(got[i].Value, outputs[i].Value) {
			t.Fatalf("record %d: %.10s", i, got[i].Value)
		}
	}
	outputs[20].Value = make([]byte, 6000)
	var large *pipeline.RefusedError
	rest, err := NewPublisher(c, Plain).Publish(t.Context(), outputs)
	if !errors.As(err, &large) || len(rest) != 30 || rest[0].Offset != 20 {
		t.Errorf("%d outputs are left, %v; want those from the refused one on", len(rest), err)
	}
	if got, _ := read(t, l, p, 0, 1<<20); len(got) != 50+20 {
		t.Errorf("%d records, want 20 more than before", len(got))
	}
	outputs[0].Value = make([]byte, 6000)
	var r *pipeline.RefusedError
	if _, err := NewPublisher(c, Plain).Publish(t.Context(), outputs[:1]); !errors.As(err, &r) || r.Limit != "max.message.bytes" {
		t.Errorf("%v", err)
	}
}

// TestPublishToManyPartitions: what one partition refuses does not keep the
// outputs of others back, and comes first in what is left.
func TestPublishToManyPartitions(t *testing.T) {
	c := connect(t, brokers(t))
	l, topic := newLog(t, c), fresh(t, c, 8, Config{"max.message.bytes", "5000"})
	outputs := numbered(topic, 200)
	for i := range outputs {
		outputs[i].Key = fmt.Append(nil, "k", i%40)
	}
	outputs[100].Value = make([]byte, 6000)
	rest, err := NewPublisher(c, Plain).Publish(t.Context(), outputs)
	var r *pipeline.RefusedError
	if !errors.As(err, &r) || len(rest) == 0 || len(rest) > 100 || rest[0].Offset != 100 {
		t.Fatalf("%d outputs are left, %v", len(rest), err)
	}
	home := place(&rest[0], 8)
	for i := range rest {
		if place(&rest[i], 8) != home || i > 0 && rest[i].Offset <= rest[i-1].Offset {
			t.Errorf("output %d of partition %d is left, in place %d", rest[i].Offset, place(&rest[i], 8), i)
		}
	}
	if rest, err = NewPublisher(c, Plain).Publish(t.Context(), rest[1:]); err != nil || len(rest) > 0 {
		t.Fatal(len(rest), err)
	}
	n := 0
	for id := range int32(8) {
		got, _ := read(t, l, pipeline.Partition{Topic: topic, ID: id}, 0, 1<<20)
		n += len(got)
	}
	if n != len(outputs)-1 {
		t.Errorf("%d records, want each of %d once", n, len(outputs)-1)
	}
}

// TestPublishByRule: a topic's rule packs what is sent to it, and a refusal
// names the topic's setting and the one that bounds its outputs.
func TestPublishByRule(t *testing.T) {
	c := connect(t, brokers(t))
	l, topic := newLog(t, c), fresh(t, c, 1, Config{"max.message.bytes", "5000"})
	p := NewPublisher(c, Plain)
	p.Set(topic, TopicRule{Pack: Zstd, Bound: "limits.dead_letter"})
	outputs := numbered(topic, 1)
	outputs[0].Value = make([]byte, 1<<20)
	if rest, err := p.Publish(t.Context(), outputs); err != nil || len(rest) > 0 {
		t.Fatalf("a megabyte of zeros is not packed: %v", err)
	}
	if got, _ := read(t, l, pipeline.Partition{Topic: topic}, 0, 1<<20); len(got) != 1 || !bytes.Equal(got[0].Value, outputs[0].Value) {
		t.Errorf("%d records", len(got))
	}
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(outputs[0].Value)
	_, err := p.Publish(t.Context(), outputs)
	for _, want := range []string{"topic " + topic + " refuses", "raise max.message.bytes of topic " + topic, "message.max.bytes of the brokers", "replica.fetch.max.bytes", "or lower limits.dead_letter", "the batch has 10"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err = NewPublisher(c, Plain).Publish(t.Context(), outputs); err == nil || strings.Contains(err.Error(), "lower") {
		t.Errorf("without a bound: %v", err)
	}
}

func TestPublishCancelled(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	ctx, cancel := context.WithCancel(t.Context())
	b.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel() // and no answer for as long as the publisher waits
		b.SleepControl(func() { <-t.Context().Done() })
		return nil, nil, false
	})
	start := time.Now()
	_, err := NewPublisher(c, Plain).Publish(ctx, numbered(topic, 1))
	if took := time.Since(start); !errors.Is(err, context.Canceled) || took > ackWait/2 {
		t.Errorf("%v after %v", err, took)
	}
}

// TestNotAcknowledged: whoever ends the wait for the replicas, it is no
// acknowledgement.
func TestNotAcknowledged(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend} {
		b := fake(t)
		c := connect(t, b.ListenAddrs())
		outputs := numbered(fresh(t, c, 1), 3)
		b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e})
		rest, err := NewPublisher(c, Plain).Publish(t.Context(), outputs)
		if err == nil || len(rest) != len(outputs) {
			t.Errorf("%s: %d of %d are left, %v", e.Message, len(rest), len(outputs), err)
		}
	}
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	outputs := numbered(fresh(t, c, 1), 3)
	b.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.SleepControl(func() { <-t.Context().Done() })
		return nil, nil, false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	rest, err := NewPublisher(c, Plain).Publish(ctx, outputs)
	if !errors.Is(err, context.DeadlineExceeded) || len(rest) != len(outputs) {
		t.Errorf("no answer: %d of %d are left, %v", len(rest), len(outputs), err)
	}
}

// TestAcknowledgedByAll: the leader alone may lose what it has acknowledged.
func TestAcknowledgedByAll(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	var acks atomic.Int64
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Count: -1, Observe: true, When: func(r kmsg.Request) bool {
		acks.Store(int64(r.(*kmsg.ProduceRequest).Acks))
		return true
	}})
	const all = -1
	if publish(t, c, Plain, numbered(fresh(t, c, 1), 1)...); acks.Load() != all {
		t.Errorf("acknowledgement by %d replicas is asked for", acks.Load())
	}
}

// TestBatchBytes: the same outputs give the same bytes.
func TestBatchBytes(t *testing.T) {
	for c := Plain; c <= Zstd; c++ {
		a, b := stored(t, 0, c, numbered("", 500)...), stored(t, 0, c, numbered("", 500)...)
		if !bytes.Equal(a, b) {
			t.Errorf("compression %d differs", c)
		}
	}
}
