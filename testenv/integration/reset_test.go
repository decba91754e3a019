//go:build unix

package integration

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestResetOffsets sets the group's offset to the log's start and end, back and ahead, as kafka-consumer-groups does:
// every record is applied once and published once all the same, and the offset follows the state
// again, also where nothing is left to apply.
func TestResetOffsets(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		w.kafka = franz(t, env, kgo.MaxVersions(kversion.V2_8_0())) // topics by name
		f := w.feeder(t, 1)
		sent := int64(0)
		more := func() { f.send(t, 5); sent += 5 }
		more()
		w.settle(t)
		for _, to := range []func() int64{
			func() int64 { return 0 }, func() int64 { return sent }, func() int64 { return sent - 7 }, func() int64 { return sent - 2 },
		} {
			more()
			if err := w.setOffset(t, to()); err != nil {
				t.Fatal(err)
			}
			ahead := to() > sent-5
			got := w.consumer(t, "run", "--until-end")
			if got.Code != 0 || strings.Contains(got.Messages, "somebody set the offset") != ahead {
				t.Fatalf("set to %d of %d: exit %d\n%s", to(), sent, got.Code, got.Messages)
			}
			if err := w.setOffset(t, to()-1); to() > 0 && err != nil {
				t.Fatal(err)
			}
			s := w.start(t) // with nothing to apply
			programs.Eventually(t, "the offset follows the state", func() (bool, error) { return w.offset(t) == sent, nil })
			if err := w.setOffset(t, 0); !errors.Is(err, kerr.UnknownMemberID) {
				t.Errorf("the offset is set while there are members: %v", err)
			}
			s.Stop(t)
			if p := w.get(t, f.keys[0]); p.T != sent {
				t.Fatalf("set to %d: t is %d of %d", to(), p.T, sent)
			}
		}
		if all := w.tail(t); int64(len(all)) != sent {
			t.Errorf("%d outputs of %d records", len(all), sent)
		}
	})
}

// setOffset sets the group's offset of partition 0, and takes away what was noted beside it.
func (w *world) setOffset(t *testing.T, at int64) error {
	t.Helper()
	partition := kmsg.NewOffsetCommitRequestTopicPartition()
	partition.Offset = at
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.Partitions = w.input, append(topic.Partitions, partition)
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Group, r.Topics = w.group, append(r.Topics, topic)
	got, err := r.RequestWith(t.Context(), w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	return kerr.ErrorForCode(got.Topics[0].Partitions[0].ErrorCode)
}

// offset is the group's of partition 0.
func (w *world) offset(t *testing.T) int64 {
	t.Helper()
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = w.input, []int32{0}
	r := kmsg.NewPtrOffsetFetchRequest()
	r.Group, r.Topics = w.group, append(r.Topics, topic)
	got, err := r.RequestWith(t.Context(), w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	return got.Topics[0].Partitions[0].Offset
}
