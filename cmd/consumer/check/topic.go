package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
)

// week is what Kafka keeps by default.
const week = 7 * 24 * time.Hour

// absent says what happens about a topic that does not exist.
func (k *checker) absent(t config.TopicUse) {
	subject := "topic " + t.Name
	switch {
	case k.config.Kafka.CreateTopics:
		made := "does not exist yet; the command run creates it"
		if t.Input {
			made += fmt.Sprintf(" with %d partitions, which limit the number of processes: create it yourself where it may outgrow them", connect.Partitions)
		}
		k.add(levelNote, subject, "", "%s", made)
	case t.Input:
		k.add(levelError, subject, "kafka-topics.sh --create --topic "+t.Name+" --partitions 4, or kafka.create_topics: true", "does not exist")
	default:
		k.add(levelError, subject, fmt.Sprintf("kafka-topics.sh --create --topic %s --partitions 4 --config cleanup.policy=delete --config retention.ms=-1 --config max.message.bytes=%d, or kafka.create_topics: true", t.Name, t.AtMost), "does not exist")
	}
}

// alter is the command that changes a setting of a topic.
func alter(topic, setting string) string {
	return "kafka-configs.sh --alter --entity-type topics --entity-name " + topic + " --add-config " + setting
}

// topic judges the settings of a topic that exists in a cluster of so many brokers.
func (k *checker) topic(t config.TopicUse, s topicState, brokers int) {
	subject, before := "topic "+t.Name, len(k.findings)
	alter := func(setting string) string { return alter(t.Name, setting) }
	k.durable(t.Name, s, brokers)
	if t.Input {
		k.narrow(t.Name, s.partitions)
	}
	compacted := strings.Contains(s.settings["cleanup.policy"], "compact")
	if t.Input {
		if compacted {
			k.add(levelError, subject, alter("cleanup.policy=delete"), "cleanup.policy is %s: compaction drops all but the last shard of a key, and state cannot be rebuilt", s.settings["cleanup.policy"])
		}
		if ms, ok := s.number("retention.ms"); ok && ms >= 0 && ms < k.outage.Milliseconds() {
			k.add(levelWarning, subject, alter(fmt.Sprintf("retention.ms=%d", max(week, 2*k.outage).Milliseconds())),
				"retention.ms is %d, less than the outage of %v that it has to outlast (--outage): a longer one halts the partitions, because shards are gone before they were applied", ms, k.outage)
		}
		if most, ok := s.number("max.message.bytes"); ok && most > int64(k.config.Limits.Record)+config.Headroom {
			k.add(levelNote, subject, "", "max.message.bytes is %d and limits.record %v: what is larger goes to the dead letters", most, k.config.Limits.Record)
		}
	} else {
		if compacted {
			k.add(levelWarning, subject, alter("cleanup.policy=delete"), "cleanup.policy is %s: after a crash repeats come later, and compaction may keep an older posterior than the newest", s.settings["cleanup.policy"])
		}
		if ms, ok := s.number("retention.ms"); ok && ms >= 0 {
			k.add(levelWarning, subject, alter("retention.ms=-1"), "retention.ms is %d: messages have the timestamps of the input, so that those of old shards are deleted at once", ms)
		}
		if stamp := s.settings["message.timestamp.type"]; stamp != "" && stamp != "CreateTime" {
			k.add(levelWarning, subject, alter("message.timestamp.type=CreateTime"), "message.timestamp.type is %s: the timestamps of the input are lost", stamp)
		}
		if most, ok := s.number("max.message.bytes"); ok && most < t.AtMost {
			k.add(levelWarning, subject, alter(fmt.Sprintf("max.message.bytes=%d", t.AtMost))+", or lower "+t.Why,
				"max.message.bytes is %d and messages may have %d (%s): one that does not fit halts its partition", most, t.AtMost, t.Why)
		}
	}
	if len(k.findings) == before {
		k.add(levelOK, subject, "", "%d partitions, settings fit", s.partitions)
	}
}
