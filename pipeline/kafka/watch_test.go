package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// countRequests counts what a broker is asked from now on.
func countRequests(b *kfake.Cluster, key kmsg.Key) *atomic.Int64 {
	var n atomic.Int64
	b.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		n.Add(1)
		return nil, nil, false
	})
	return &n
}

// followers read partitions until the test ends, as workers do.
func followers(t *testing.T, l *Log, topic string, n int) (got *atomic.Int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	got = new(atomic.Int64)
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); all.Wait() })
	id, err := l.Identity(ctx, pipeline.Partition{Topic: topic}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for p := range int32(n) {
		all.Go(func() {
			at := pipeline.Position{Topic: id.Topic}
			for ctx.Err() == nil {
				f, err := l.Follow(ctx, pipeline.Partition{Topic: topic, ID: p}, at, 1<<20, nil)
				if err != nil {
					if ctx.Err() == nil {
						t.Error(err)
					}
					return
				}
				for i := range f.Records {
					if want := at.Offset + int64(i); f.Records[i].Offset != want {
						t.Errorf("partition %d: offset %d, want %d", p, f.Records[i].Offset, want)
					}
				}
				got.Add(int64(len(f.Records)))
				at = at.After(&f)
			}
		})
	}
	return got
}

// Partitions without records wait with one request for all of them, and any of
// them has its records as soon as they are there.
func TestIdlePartitionsShareARequest(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	const partitions = 400
	topic := fresh(t, c, partitions)
	l := newLog(t, c)
	asked := countRequests(b, kmsg.Fetch)
	got := followers(t, l, topic, partitions)
	eventually(t, "all wait together", func() bool {
		l.watches.mu.Lock()
		defer l.watches.mu.Unlock()
		waiting := 0
		for _, spots := range l.watches.broker {
			for _, x := range spots {
				waiting += len(x.waiters)
			}
		}
		return waiting == partitions
	})
	before, start := asked.Load(), time.Now()
	eventually(t, "two seconds have passed", func() bool { return time.Since(start) > 2*time.Second })
	n, took := asked.Load()-before, time.Since(start)
	if n > int64(20*took.Seconds()) {
		t.Errorf("%d fetches in %v", n, took)
	}
	c.mu.Lock()
	open := 0
	for _, conns := range c.idle {
		open += len(conns)
	}
	c.mu.Unlock()
	if open > 65 {
		t.Errorf("%d connections", open)
	}
	for round := range 3 {
		var outputs []pipeline.Output
		for k := range 100 {
			outputs = append(outputs, pipeline.Output{Topic: topic, Key: fmt.Append(nil, k), Value: make([]byte, 20_000)})
		}
		start := time.Now()
		publish(t, connect(t, b.ListenAddrs()), Plain, outputs...)
		eventually(t, "all have come", func() bool { return got.Load() == int64(100*(round+1)) })
		t.Logf("100 records of 400 partitions have come after %v", time.Since(start))
	}
}

// A partition that has a record now and then has it soon, however long it had none. How
// soon is told, and not asserted: that it is looked at all the time is the next test's.
func TestBusyPartitionDoesNotWaitForTheIdle(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 20)
	l := newLog(t, c)
	got := followers(t, l, topic, 20)
	var worst time.Duration
	p := NewPublisher(connect(t, b.ListenAddrs()), Plain)
	for i := range int64(9) {
		<-time.After(time.Duration(i) * 90 * time.Millisecond)
		start := time.Now()
		if _, err := p.Publish(t.Context(), []pipeline.Output{{Topic: topic, Key: []byte("busy"), Value: []byte("v")}}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it has come", func() bool { return got.Load() == i+1 })
		if i > 0 { // the first wakes the partition up
			worst = max(worst, time.Since(start))
		}
	}
	t.Logf("at most %v", worst)
}

// A partition is among those that are watched before it stops to wait with a
// request of its own: there is no time at which nobody looks.
func TestWatchedBeforeItWaitsAlone(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	l := newLog(t, c)
	looked := make(chan struct{})
	defer close(looked)
	var asked atomic.Int64
	b.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if asked.Add(1) > 1 { // after the first has brought nothing, all is held as it is
			b.SleepControl(func() { <-looked })
		}
		return nil, nil, false
	})
	followers(t, l, topic, 1)
	eventually(t, "it asks a second time", func() bool { return asked.Load() > 1 })
	l.watches.mu.Lock()
	defer l.watches.mu.Unlock()
	spots := 0
	for _, of := range l.watches.broker {
		for at, x := range of {
			spots++
			if times := l.watches.quiet[at.Partition].times; times != 1 || len(x.waiters) != 0 || len(l.watches.polls) != 1 {
				t.Errorf("%+v: %d fetches found nothing, %d wait, %d polls", at, times, len(x.waiters), len(l.watches.polls))
			}
		}
	}
	if spots != 1 {
		t.Errorf("%d partitions are watched while it polls", spots)
	}
}

// What a broker says of a partition other than that it has nothing ends the
// wait, and so does its end.
func TestWaitEndsWithItsBroker(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	l := newLog(t, c)
	topic := fresh(t, c, 1)
	p := pipeline.Partition{Topic: topic}
	publish(t, c, Plain, numbered(topic, 3)...)
	idle := func() {
		t.Helper()
		for range 3 {
			if f, err := l.Fetch(t.Context(), p, 3, 1<<20); err != nil || f.Next != 3 || f.End != 3 || f.High != 3 {
				t.Fatalf("%+v %v", f, err)
			}
		}
	}
	idle()
	var short, refused atomic.Bool
	b.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		resp := r.ResponseKind().(*kmsg.FetchResponse)
		switch {
		case refused.Load():
			resp.ErrorCode = int16(kafka.FetchSessionIDNotFound) // of the whole
		case !short.Load():
			return nil, nil, false
		}
		for _, t := range r.(*kmsg.FetchRequest).Topics {
			x := kmsg.NewFetchResponseTopic()
			x.Topic, x.TopicID = t.Topic, t.TopicID
			y := kmsg.NewFetchResponseTopicPartition()
			y.ErrorCode, y.HighWatermark, y.LastStableOffset = 1, -1, -1 // OFFSET_OUT_OF_RANGE
			x.Partitions = append(x.Partitions, y)
			resp.Topics = append(resp.Topics, x)
		}
		return resp, nil, true
	})
	ends := func() error {
		for range 20 { // what is on its way may say that there is nothing
			if _, err := l.Fetch(t.Context(), p, 3, 1<<20); err != nil {
				return err
			}
		}
		return nil
	}
	short.Store(true)
	if err := ends(); !errors.Is(err, pipeline.ErrOutOfRange) {
		t.Errorf("error %v where the log ends below", err)
	}
	short.Store(false)
	idle()
	refused.Store(true)
	if err := ends(); !errors.Is(err, kafka.FetchSessionIDNotFound) {
		t.Errorf("error %v where all of the request is refused", err)
	}
	refused.Store(false)
	idle()
	idle()
	b.Close()
	if ends() == nil {
		t.Error("no error after the broker's end")
	}
}

// TestSlowRoundIsTheLast: a broker that takes seconds for each answer is heard once, and who waits is told. Four answers took longer
// than a fetch may, and a partition without records was not ready for that.
func TestSlowRoundIsTheLast(t *testing.T) {
	at := spot{Partition: pipeline.Partition{Topic: "in"}, offset: 5}
	for name, c := range map[string]struct {
		until time.Duration
		told  int
	}{"slow": {-time.Second, 1}, "quick": {time.Hour, watchRounds}} {
		w := newWatches(nil)
		me := &waiter{rounds: watchRounds, until: time.Now().Add(c.until), told: make(chan news, 1)}
		w.broker["b"] = map[spot]*watched{at: {waiters: []*waiter{me}}}
		rounds := 0
		for len(me.told) == 0 && rounds < 2*watchRounds {
			w.tell("b", []spot{at}, map[spot]news{at: {stable: 5, high: 5}}, nil)
			rounds++
		}
		if rounds != c.told || len(me.told) == 0 {
			t.Errorf("%s: told after %d rounds, want %d", name, rounds, c.told)
		}
	}
}
