package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

func kafkaKey(k int16) protocol.ApiKey { return protocol.ApiKey(k) }

func grow(t testing.TB, addrs []string, topic string, n int32) {
	t.Helper()
	req := kmsg.NewCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = topic, n
	req.Topics = append(req.Topics, rt)
	req.TimeoutMillis = 10_000
	r, err := req.RequestWith(t.Context(), franz(t, addrs))
	if err != nil || len(r.Topics) != 1 || r.Topics[0].ErrorCode != 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

// drop deletes a topic.
func drop(t testing.TB, b *kfake.Cluster, topic string) {
	t.Helper()
	req := kmsg.NewPtrDeleteTopicsRequest()
	rt := kmsg.NewDeleteTopicsRequestTopic()
	rt.Topic = kmsg.StringPtr(topic)
	req.Topics, req.TopicNames = append(req.Topics, rt), []string{topic}
	r, err := req.RequestWith(t.Context(), franz(t, b.ListenAddrs()))
	if err != nil || len(r.Topics) != 1 || r.Topics[0].ErrorCode != 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

func TestCreateDescribe(t *testing.T) {
	c := connect(t, brokers(t))
	name := fresh(t, c, 1) + "-out"
	if s, err := c.Describe(t.Context(), name); s.Exists || err != nil {
		t.Fatalf("%+v %v", s, err)
	}
	out := OutputTopic(name, 4, OutputMessageBytes)
	out.Replication = 1
	for range 2 { // the second time they exist
		if err := c.Create(t.Context(), out, InputTopic(name+"-in", 3, 5_000_000)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Describe(t.Context(), name)
	if err != nil || !s.Exists || s.Partitions != 4 || s.Replicas != 1 {
		t.Fatalf("%+v %v", s, err)
	}
	for k, want := range map[string]string{"cleanup.policy": "delete", "retention.ms": "-1",
		"message.timestamp.type": "CreateTime", "max.message.bytes": "33554432"} {
		if s.Configs[k] != want {
			t.Errorf("%s: %q, want %q", k, s.Configs[k], want)
		}
	}
	if s, err = c.Describe(t.Context(), name+"-in"); err != nil || s.Partitions != 3 {
		t.Fatalf("%+v %v", s, err)
	}
	if all, err := c.Advertised(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("advertised addresses %q, error %v", all, err)
	}
	if n, ok := s.Int("max.message.bytes"); n != 5_000_000 || !ok {
		t.Errorf("max.message.bytes %d", n)
	}
	if err := c.Create(t.Context(), Topic{Name: name + "-99", Replication: 99}); err == nil {
		t.Error("99 replicas were created")
	}
}

func TestTail(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic, l := fresh(t, c, 3), newLog(t, c)
	var outputs []pipeline.Output
	for i := range 300 {
		outputs = append(outputs, pipeline.Output{Topic: topic, Key: fmt.Append(nil, i), Value: fmt.Append(nil, i)})
	}
	publish(t, c, Plain, outputs...)
	trim(t, addrs, pipeline.Partition{Topic: topic, ID: 1}, 5)
	last := map[int32]int64{0: -1, 1: 4, 2: -1}
	n := 0
	err := l.Tail(t.Context(), topic, TailOptions{UntilEnd: true}, func(p pipeline.Partition, r *pipeline.Record) error {
		if r.Offset != last[p.ID]+1 {
			t.Errorf("%s: %d after %d", p, r.Offset, last[p.ID])
		}
		last[p.ID] = r.Offset
		n++
		return nil
	})
	if err != nil || n != 295 {
		t.Fatalf("%d records, %v", n, err)
	}
	var visits int
	stop := func(pipeline.Partition, *pipeline.Record) error { visits++; return ErrStop }
	if err := l.Tail(t.Context(), topic, TailOptions{}, stop); err != nil || visits != 1 {
		t.Errorf("stop after %d: %v", visits, err)
	}
	if err := l.Tail(t.Context(), topic, TailOptions{FromEnd: true, UntilEnd: true}, stop); err != nil || visits != 1 {
		t.Errorf("from the end until the end: %d, %v", visits, err)
	}
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		close(started)
		done <- l.Tail(t.Context(), topic, TailOptions{FromEnd: true}, func(_ pipeline.Partition, r *pipeline.Record) error {
			if string(r.Key) != "late" {
				t.Errorf("%s from the end", r.Key)
			}
			return ErrStop
		})
	}()
	<-started
	eventually(t, "end of tail", func() bool {
		publish(t, c, Plain, pipeline.Output{Topic: topic, Key: []byte("late")})
		select {
		case err := <-done:
			return err == nil
		default:
			return false
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Tail(ctx, topic, TailOptions{}, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestTailUntilEnd: the end is the one at the start, although more comes.
func TestTailUntilEnd(t *testing.T) {
	c := connect(t, brokers(t))
	topic, l := fresh(t, c, 1), newLog(t, c)
	for range 4 {
		publish(t, c, Plain, pipeline.Output{Topic: topic, Value: make([]byte, tailBytes*9/10)})
	}
	publish(t, c, Plain, numbered(topic, 1)...)
	n := 0
	err := l.Tail(t.Context(), topic, TailOptions{UntilEnd: true}, func(pipeline.Partition, *pipeline.Record) error {
		if n++; n == 1 { // the reader is at most one answer ahead
			publish(t, c, Plain, numbered(topic, 5)...)
		}
		return nil
	})
	if err != nil || n != 5 {
		t.Errorf("%d records, %v", n, err)
	}
}

// TestCreateTogether: another process creates the topic at the same moment.
func TestCreateTogether(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	h := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.TopicAlreadyExists})
	other := make(chan error, 1)
	go func() {
		if err := h.Wait(t.Context(), 1); err != nil {
			other <- err
			return
		}
		other <- b.CreateTopic("twice", 2, nil)
	}()
	if err := c.Create(t.Context(), Topic{Name: "twice", Partitions: 2}); err != nil {
		t.Error(err)
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
}

func TestProducer(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic, l := fresh(t, c, 4), newLog(t, c)
	var sent atomic.Int64
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, Count: -1, When: func(kmsg.Request) bool {
		n := sent.Add(1)
		return 3 <= n && n < 9
	}})
	var acks, ackBytes, outages atomic.Int64
	p := NewProducer(c, ProducerOptions{Pack: LZ4, InFlight: 10_000,
		OnAck:   func(n int, bytes int64) { acks.Add(int64(n)); ackBytes.Add(bytes) },
		OnError: func(error) { outages.Add(1) }})
	const n = 2000
	err := p.Run(t.Context(), func(_ context.Context, send func(pipeline.Output) error) error {
		for i := range n {
			o := pipeline.Output{Topic: topic, Key: fmt.Append(nil, i%50), Value: fmt.Append(nil, i), Time: 1, Offset: int64(i)}
			if i == 100 {
				o.Value = append(make([]byte, 0, 20_000), fmt.Sprintf("%-20000d", i)...) // above InFlight
			}
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || p.Acked() != n || acks.Load() != n || ackBytes.Load() < n*20 || outages.Load() == 0 {
		t.Fatalf("%v, acked %d, %d records of %d bytes, %d outages", err, p.Acked(), acks.Load(), ackBytes.Load(), outages.Load())
	}
	first := map[string][]int{}
	err = l.Tail(t.Context(), topic, TailOptions{UntilEnd: true}, func(_ pipeline.Partition, r *pipeline.Record) error {
		var v int
		if _, err := fmt.Sscan(string(r.Value), &v); err != nil {
			return err
		}
		if k := string(r.Key); !slices.Contains(first[k], v) {
			first[k] = append(first[k], v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, vs := range first {
		if len(vs) != n/50 || !slices.IsSorted(vs) {
			t.Errorf("key %s: %v", k, vs)
		}
	}
	if len(first) != 50 {
		t.Errorf("%d keys", len(first))
	}
}

func TestProducerStops(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	enough := errors.New("enough")
	run := func(ctx context.Context, after int, end error) error {
		return NewProducer(c, ProducerOptions{InFlight: 5000}).Run(ctx, func(_ context.Context, send func(pipeline.Output) error) error {
			for i := 0; after < 0 || i < after; i++ {
				if err := send(pipeline.Output{Topic: topic, Key: fmt.Append(nil, i), Value: make([]byte, 100)}); err != nil {
					return err
				}
			}
			return end
		})
	}
	if err := run(t.Context(), 100, enough); !errors.Is(err, enough) {
		t.Errorf("feed's error: %v", err)
	}
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, Count: -1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := run(ctx, -1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b2 := fake(t)
	c = connect(t, b2.ListenAddrs())
	topic = fresh(t, c, 2)
	b2.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	var r *pipeline.RefusedError
	if err := run(t.Context(), -1, nil); !errors.As(err, &r) {
		t.Errorf("refused: %v", err)
	}
}
