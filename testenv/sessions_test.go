//go:build unix

package testenv

import (
	"context"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/testenv/probe"
)

// TestDeadJoinerLeaves kills a member while it waits for the answer to its
// JoinGroup: its session must end all the same, and the partitions that it
// never heard of go back to those who live.
func TestDeadJoinerLeaves(t *testing.T) {
	e, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	const topic, group, partitions = "sessions", "sessions", 2
	admin := kafka.Client{Addr: kafka.TCP(e.Brokers()...)}
	if _, err := admin.CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	alive, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: group, Brokers: e.Brokers(), Topics: []string{topic},
		HeartbeatInterval: time.Second, SessionTimeout: 4 * time.Second, RebalanceTimeout: 10 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close() //nolint:errcheck // nothing is pending on it
	first, err := alive.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(first.Assignments[topic]); n != partitions {
		t.Fatalf("alone, the member has %d partitions", n)
	}
	joinAndDie(ctx, t, e.Brokers(), group, topic)
	short := false
	for {
		g, err := alive.Next(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%v; the dead member took partitions: %t", err, short)
		}
		if err != nil { // where the machine stood still, its own session has ended
			continue
		}
		switch n := len(g.Assignments[topic]); {
		case n == partitions && short:
			return
		case n < partitions:
			short = true
		}
	}
}

// joinAndDie asks to join and hangs up before the answer, for which the
// broker waits until the other member has joined again.
func joinAndDie(ctx context.Context, t *testing.T, brokers []string, group, topic string) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	join := kmsg.NewPtrJoinGroupRequest()
	join.Group, join.ProtocolType = group, "consumer"
	join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = 4000, 10_000
	meta := kmsg.NewConsumerMemberMetadata()
	meta.Topics = []string{topic}
	for _, name := range []string{"range", "roundrobin"} {
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = name, meta.AppendTo(nil)
		join.Protocols = append(join.Protocols, p)
	}
	// The first answer names the member, the second would be the assignment.
	answer, err := join.RequestWith(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	join.MemberID = answer.MemberID
	dead, die := context.WithCancel(ctx)
	defer die()
	ended := make(chan error, 1)
	go func() {
		_, err := join.RequestWith(dead, c)
		ended <- err
	}()
	observer, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	probe.Eventually(t, "the broker waits for the other member", func() bool { // until that one's next heartbeat
		ask := kmsg.NewPtrDescribeGroupsRequest()
		ask.Groups = []string{group}
		told, err := ask.RequestWith(ctx, observer)
		return len(ended) > 0 || err == nil && len(told.Groups) == 1 && told.Groups[0].State == "PreparingRebalance"
	})
	die()
	if err := <-ended; err == nil {
		t.Log("the broker answered before the member was dead: nothing is shown")
	}
	c.Close()
}
