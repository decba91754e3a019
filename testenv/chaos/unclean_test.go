//go:build linux

package chaos

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv/probe"
)

// unclean elects a leader that lacks records which the group has applied, and
// lets other records take their offsets: none of them may be mixed into the
// states.
func (s *storm) unclean(t *testing.T) {
	ctx := t.Context()
	input := fmt.Sprintf("frail-%d", s.seed)
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = input, -1, -1
	replicas := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
	replicas.Replicas = []int32{1, 2}
	topic.ReplicaAssignment = append(topic.ReplicaAssignment, replicas)
	for name, value := range map[string]string{"min.insync.replicas": "1", "unclean.leader.election.enable": "true"} {
		c := kmsg.NewCreateTopicsRequestTopicConfig()
		c.Name, c.Value = name, kmsg.StringPtr(value)
		topic.Configs = append(topic.Configs, c)
	}
	if err := s.create(ctx, topic, 1); err != nil {
		t.Fatal(err)
	}
	send := func(seed uint64, shards int) {
		t.Helper()
		var err error
		if s.stream, err = newStream(seed, input, shards, 5); err != nil {
			t.Fatal(err)
		}
		if err := s.produce(ctx, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	leads := func(leader int32, inSync int) {
		t.Helper()
		err := s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
			return probe.Until(ctx, func(ctx context.Context) error {
				all, err := partitions(ctx, c, input)
				if err == nil && (all[0].Leader != leader || len(all[0].ISR) != inSync) {
					err = fmt.Errorf("broker %d leads, %v are in sync", all[0].Leader, all[0].ISR)
				}
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	leads(1, 2)
	g := newGroup(t, s.Brokers(), s.SingleURL(), fmt.Sprintf("frail-%d", s.seed), input, "1MiB", hurried)
	o := observe(t, s.client, g, input)
	m, err := s.start(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	send(s.seed+2, 40)
	finish(t, o, []*member{m})
	t.Cleanup(func() { _ = m.signal(syscall.SIGKILL) }) // where it has not ended
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Kafka[1].Kill())
	leads(1, 1)
	send(s.seed+3, 40) // these are with broker 1 only
	finish(t, o, []*member{m})
	before := o.states(t)
	must(s.Kafka[0].Kill())
	must(s.Kafka[1].Start(ctx))
	leads(2, 1)
	send(s.seed+4, 200)
	must(s.Kafka[0].Start(ctx))
	if err := m.says(ctx, "was truncated or recreated"); err != nil {
		t.Errorf("%v\n%s", err, m.tail())
	}
	if err := m.stop(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, m.tail())
	}
	same(t, before, o.states(t))
}
