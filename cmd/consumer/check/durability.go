package check

import (
	"context"
	"fmt"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// durable judges whether a topic of a cluster of several brokers outlasts the loss of one
// of them, with every record that was acknowledged.
func (k *checker) durable(topic string, s topicState, brokers int) {
	if brokers < 2 || s.replicas == 0 {
		return
	}
	subject := "topic " + topic
	if s.replicas < min(3, brokers) {
		loss := "while one is repaired or restarted no other may fail"
		if s.replicas == 1 {
			loss = "while the only one is away its partitions stand still, and with its disk their records are lost"
		}
		k.add(levelWarning, subject, fmt.Sprintf("kafka-reassign-partitions.sh with %d replicas for each partition, and default.replication.factor=%[1]d for topics to come", min(3, brokers)),
			"the replication factor is %d on %d brokers: %s", s.replicas, brokers, loss)
	}
	switch insync, ok := s.number("min.insync.replicas"); {
	case !ok:
	case insync > int64(s.replicas):
		k.add(levelError, subject, alter(topic, fmt.Sprintf("min.insync.replicas=%d", max(1, s.replicas-1))),
			"min.insync.replicas is %d and a partition has %d replicas: nothing that waits for all of them can be written", insync, s.replicas)
	case s.replicas >= 3 && insync == int64(s.replicas):
		k.add(levelWarning, subject, alter(topic, "min.insync.replicas=2"),
			"min.insync.replicas is %d, the number of replicas: nothing can be written while one broker is away", insync)
	case s.replicas >= 3 && insync < 2:
		k.add(levelWarning, subject, alter(topic, "min.insync.replicas=2"),
			"min.insync.replicas is %d: a record counts as written when one broker has it, and is lost with that broker", insync)
	}
	if s.settings["unclean.leader.election.enable"] == "true" {
		k.add(levelWarning, subject, alter(topic, "unclean.leader.election.enable=false"),
			"unclean.leader.election.enable is true: a replica that lags may take over and cut acknowledged records off, and partitions that applied them halt as truncated")
	}
}

// fewPartitions is what topics have that were made by default: too few to outgrow.
const fewPartitions = 4

// narrow warns of an input that more processes than it has partitions can't share.
func (k *checker) narrow(topic string, partitions int) {
	if partitions > fewPartitions {
		return
	}
	k.add(levelWarning, "topic "+topic, "before the first record kafka-topics.sh --alter --topic "+topic+" --partitions 32, which cost no more; later a new topic and a new kafka.group",
		"it has %d partitions, so that at most as many processes share the work; a later change moves keys, and takes a new kafka.group that applies the whole log again", partitions)
}

// history is what a log keeps.
type history interface {
	Bounds(ctx context.Context, p pipeline.Partition) (start, end int64, err error)
	// OffsetAt returns the first record at t or later, the end without one.
	OffsetAt(ctx context.Context, p pipeline.Partition, t time.Time) (int64, error)
}

// kept warns of an input that is bounded by bytes, retention.bytes, and has deleted
// records that are younger than the outage.
func (k *checker) kept(ctx context.Context, l history, s topicState) {
	limit, ok := s.number("retention.bytes")
	if !ok || limit < 0 {
		return
	}
	topic := k.config.Kafka.Input
	for id := range int32(s.partitions) {
		p := pipeline.Partition{Topic: topic, ID: id}
		start, end, err := l.Bounds(ctx, p)
		at := end
		if err == nil && start > 0 {
			at, err = l.OffsetAt(ctx, p, time.Now().Add(-k.outage))
		}
		switch {
		case err != nil:
			k.add(levelError, "topic "+topic, "allow this user to read the topic, and check whether all its partitions have leaders", "%v", err)
			return
		case start > 0 && start < end && at <= start:
			k.add(levelWarning, "topic "+topic, alter(topic, "retention.bytes=-1")+", or as many bytes as arrive in that time",
				"retention.bytes is %d, and the oldest record of partition %d is younger than the outage of %v that the topic has to outlast (--outage): one that long would halt the partition", limit, id, k.outage)
			return
		}
	}
}
