package kafka

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// counting counts the requests of a kind.
func counting(b *kfake.Cluster, key kmsg.Key) *atomic.Int64 {
	n := new(atomic.Int64)
	b.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		n.Add(1)
		return nil, nil, false
	})
	return n
}

// TestGroupMorePartitionsMeanwhile: a partition that comes after the leader of the group has asked for them, and before
// the generation begins, gets an owner.
func TestGroupMorePartitionsMeanwhile(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	var grown atomic.Bool
	looks := counting(b, kmsg.Metadata)
	b.ControlKey(int16(kmsg.SyncGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if grown.CompareAndSwap(false, true) {
			b.SleepControl(func() { grow(t, b.ListenAddrs(), topic, 2) })
		}
		return nil, nil, false
	})
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "two partitions, or looks enough for them", func() bool { return len(w.get()) == 2 || looks.Load() > 30 })
	if n := len(w.get()); n != 2 {
		t.Errorf("%d partitions of 2 have an owner", n)
	}
	w.stop()
}

// TestGroupWithoutTopic: a member of a group whose topic is deleted says what is missing and is ready for nothing, does not
// make the group rebalance without a pause, and works once there is a topic again.
func TestGroupWithoutTopic(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	joins := counting(b, kmsg.JoinGroup)
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 && w.isMember() })
	drop(t, b, topic)
	missing := func() (n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, err := range w.errs {
			if errors.Is(err, pipeline.ErrNoTopic) && errors.Is(err, kafka.UnknownTopicOrPartition) && strings.Contains(err.Error(), topic) && strings.Contains(err.Error(), "create it") {
				n++
			}
		}
		return n
	}
	eventually(t, "what is missing", func() bool { return missing() > 0 && len(w.get()) == 0 })
	before, told := joins.Load(), missing()
	hold := time.NewTimer(2 * time.Second) // ten looks
	defer hold.Stop()
	<-hold.C
	if n := joins.Load() - before; n > 2 || missing()-told > 1 || w.isMember() {
		t.Errorf("without its topic it has joined %d times more, told of it %d times more, and is ready: %v", n, missing()-told, w.isMember())
	}
	if err := c.Create(t.Context(), Topic{Name: topic, Partitions: 2, Replication: 1}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both partitions", func() bool { return len(w.get()) == 2 && w.isMember() })
	w.stop()
}

// TestGroupWithoutTopicForAMoment: a member whose topic is missing when the generation begins, and is there at the next look with
// as many partitions as were given out, is ready again.
func TestGroupWithoutTopicForAMoment(t *testing.T) {
	b := fake(t)
	topic := fresh(t, connect(t, b.ListenAddrs()), 1)
	var looks atomic.Int64 // in generations
	var begun atomic.Bool
	b.ControlKey(int16(kmsg.SyncGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		begun.Store(true)
		return nil, nil, false
	})
	b.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if !begun.Load() || looks.Add(1) > 1 {
			return nil, nil, false
		}
		r := req.ResponseKind().(*kmsg.MetadataResponse)
		rt := kmsg.NewMetadataResponseTopic()
		rt.Topic, rt.ErrorCode = kmsg.StringPtr(topic), kerr.UnknownTopicOrPartition.Code
		r.Topics = append(r.Topics, rt)
		return r, nil, true
	})
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "another assignment, or looks enough for it", func() bool { return w.claimed() == 2 && w.isMember() || looks.Load() > 30 })
	if n := w.claimed(); n != 2 || !w.isMember() {
		t.Errorf("%d assignments of 2, and it is ready: %v", n, w.isMember())
	}
	w.stop()
}

// TestGroupCreatesNoTopic: a group does not create its topic where brokers would.
func TestGroupCreatesNoTopic(t *testing.T) {
	b := fake(t, kfake.AllowAutoTopicCreation())
	c := connect(t, b.ListenAddrs())
	topic := "misspelt"
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "what is missing, or an assignment", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.errs)+len(w.holds) > 0
	})
	if n, err := newLog(t, c).Partitions(t.Context(), topic); !errors.Is(err, pipeline.ErrNoTopic) {
		t.Errorf("the topic has %d partitions, %v", n, err)
	}
	w.stop()
}
