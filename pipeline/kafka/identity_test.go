package kafka

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// followed returns the position after all records of a log of a topic with an id.
func followed(t *testing.T, l *Log, p pipeline.Partition) pipeline.Position {
	t.Helper()
	now, err := l.Identity(t.Context(), p, 0)
	if err != nil || now.Topic == "" {
		t.Fatalf("identity %+v, %v", now, err)
	}
	at := pipeline.Position{Topic: now.Topic}
	f, err := l.Follow(t.Context(), p, at, 1<<20, nil)
	if err != nil || len(f.Records) == 0 || f.Next != f.End {
		t.Fatalf("%+v, %v", f, err)
	}
	if last := f.Records[len(f.Records)-1]; f.Epoch == 0 || f.Epoch != last.Epoch || f.Read != last.Offset+1 {
		t.Fatalf("epoch %d to %d, last record %+v", f.Epoch, f.Read, last)
	}
	return at.After(&f)
}

// A topic that is deleted and made again answers no position of the old one,
// however many records it has.
func TestRecreatedTopicIsAnotherLog(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	l := newLog(t, c)
	p := pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Plain, numbered(p.Topic, 10)...)
	at := followed(t, l, p)

	if err := b.DeleteTopic(p.Topic); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Follow(t.Context(), p, at, 1<<20, nil); err == nil || errors.Is(err, pipeline.ErrAnotherLog) {
		t.Errorf("a topic that is gone is an outage: %v", err)
	}
	if _, err := l.Partitions(t.Context(), p.Topic); !errors.Is(err, pipeline.ErrNoTopic) || !errors.Is(err, kafka.UnknownTopicOrPartition) {
		t.Errorf("partitions of a topic that is gone: %v", err)
	}
	if err := b.CreateTopic(p.Topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	publish(t, c, Plain, numbered(p.Topic, 25)...)
	if f, err := l.Follow(t.Context(), p, at, 1<<20, nil); !errors.Is(err, pipeline.ErrAnotherLog) || len(f.Records) > 0 {
		t.Errorf("%+v, %v, want another log", f, err)
	}
	if now, err := l.Identity(t.Context(), p, 0); err != nil || now.Topic == at.Topic || now.Topic == "" {
		t.Errorf("identity %+v, %v, was %s", now, err, at.Topic)
	}
}

// A topic that this user may not know is none for it.
func TestForbiddenTopicIsNone(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	if _, err := newLog(t, c).Partitions(t.Context(), topic); !errors.Is(err, pipeline.ErrNoTopic) || !errors.Is(err, kafka.TopicAuthorizationFailed) {
		t.Errorf("a topic that may not be described: %v", err)
	}
}

// A new leader is followed where its log has what was read, and not where it
// lost some of it.
func TestFollowsALeaderThatHasWhatWasRead(t *testing.T) {
	b := fake(t, kfake.NumBrokers(2))
	c := connect(t, b.ListenAddrs())
	l := newLog(t, c)
	p := pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Plain, numbered(p.Topic, 10)...)
	at := followed(t, l, p)

	if err := b.MoveTopicPartition(p.Topic, 0, 1-b.LeaderFor(p.Topic, 0)); err != nil {
		t.Fatal(err)
	}
	publish(t, c, Plain, numbered(p.Topic, 5)...)
	f, err := l.Follow(t.Context(), p, at, 1<<20, nil)
	if err != nil || len(f.Records) != 5 || f.Epoch <= at.Epoch {
		t.Fatalf("%+v, %v, want 5 records of a later epoch", f, err)
	}
	if now, err := l.Identity(t.Context(), p, at.Epoch); err != nil || now.EpochEnd != 10 {
		t.Errorf("%+v, %v: the first epoch ends at 10", now, err)
	}

	// The old leader had given out two more records, which the new one wrote over.
	lost := at
	lost.Offset, lost.Read = 12, 12
	if f, err := l.Follow(t.Context(), p, lost, 1<<20, nil); !errors.Is(err, pipeline.ErrAnotherLog) || len(f.Records) > 0 {
		t.Errorf("%+v, %v, want another log", f, err)
	}
	// An epoch that the log never had, as after a topic is made again.
	ahead := pipeline.Position{Offset: 10, Epoch: f.Epoch + 3, Read: 10}
	if f, err := l.Follow(t.Context(), p, ahead, 1<<20, nil); !errors.Is(err, pipeline.ErrAnotherLog) || len(f.Records) > 0 {
		t.Errorf("%+v, %v, want another log", f, err)
	}
}

// What is written and read here byte by byte is what another library means.
func TestRequestsAreAsKmsgHasThem(t *testing.T) {
	p, id := pipeline.Partition{Topic: "shards", ID: 3}, topicID{1, 2, 15: 16}
	for version := int16(11); version <= fetchByID; version++ {
		m := message{flexible: version >= fetchFlexible}
		appendFetch(&m, version, p, id, 42, 1000, 250*time.Millisecond)
		want := kmsg.NewPtrFetchRequest()
		want.Version = version
		want.MaxWaitMillis, want.MinBytes, want.IsolationLevel, want.SessionEpoch = 250, 1, 1, -1
		part := kmsg.NewFetchRequestTopicPartition()
		part.Partition, part.FetchOffset, part.PartitionMaxBytes = 3, 42, 1000
		topic := kmsg.NewFetchRequestTopic()
		topic.Topic, topic.TopicID = "shards", id
		topic.Partitions = append(topic.Partitions, part)
		want.Topics = append(want.Topics, topic)
		if b := want.AppendTo(nil); !bytes.Equal(m.b, b) {
			t.Errorf("fetch %d:\n%x\n%x", version, m.b, b)
		}

		r := want.ResponseKind().(*kmsg.FetchResponse)
		answered := kmsg.NewFetchResponseTopic()
		answered.Topic, answered.TopicID = "shards", id
		data := kmsg.NewFetchResponseTopicPartition()
		data.Partition, data.HighWatermark, data.LastStableOffset, data.RecordBatches = 3, 90, 80, []byte("batches")
		gone := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
		gone.ProducerID, gone.FirstOffset = 7, 60
		data.AbortedTransactions = append(data.AbortedTransactions, gone)
		data.CurrentLeader.LeaderEpoch = 9 // a tagged field, to be skipped
		answered.Partitions = append(answered.Partitions, data)
		r.Topics = append(r.Topics, answered)
		a, err := parseAnswer(fields{rest: r.AppendTo(nil), flexible: m.flexible}, version, p, id)
		if err != nil || a.stable != 80 || string(a.records) != "batches" || !reflect.DeepEqual(a.aborted, []aborted{{7, 60}}) {
			t.Errorf("answer %d: %+v, %v", version, a, err)
		}
		if _, err := parseAnswer(fields{rest: r.AppendTo(nil)[:40], flexible: m.flexible}, version, p, id); err == nil {
			t.Errorf("answer %d, cut: no error", version)
		}
	}
	for _, version := range []int16{5, 6, 7, 8, topicIDs} {
		m := message{flexible: version >= topicIDs}
		appendMetadata(&m, version, "shards")
		want := kmsg.NewPtrMetadataRequest()
		want.Version = version
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr("shards")
		want.Topics = append(want.Topics, topic)
		if b := want.AppendTo(nil); !bytes.Equal(m.b, b) {
			t.Errorf("metadata %d:\n%x\n%x", version, m.b, b)
		}

		r := want.ResponseKind().(*kmsg.MetadataResponse)
		broker := kmsg.NewMetadataResponseBroker()
		broker.NodeID, broker.Host, broker.Port, broker.Rack = 2, "::1", 9092, kmsg.StringPtr("r")
		r.Brokers, r.ClusterID, r.ControllerID = append(r.Brokers, broker), kmsg.StringPtr("cluster"), 2
		about := kmsg.NewMetadataResponseTopic()
		about.Topic, about.TopicID = kmsg.StringPtr("shards"), id
		for i := range int32(2) {
			part := kmsg.NewMetadataResponseTopicPartition()
			part.Partition, part.Leader, part.Replicas, part.ISR = i, 2, []int32{2, 4, 6}[:3-i], []int32{2}
			about.Partitions = append(about.Partitions, part)
		}
		r.Topics = append(r.Topics, about)
		got, err := parseMetadata(fields{rest: r.AppendTo(nil), flexible: m.flexible}, version)
		expected := &metadata{brokers: map[int32]string{2: "[::1]:9092"}, cluster: "cluster", controller: 2,
			topics: []topicMetadata{{leaders: map[int32]int32{0: 2, 1: 2}, replicas: 2}}}
		if version >= topicIDs {
			expected.topics[0].id = id
		}
		if err != nil || !reflect.DeepEqual(got, expected) {
			t.Errorf("metadata %d: %+v, %v", version, got, err)
		}
		if _, err := parseMetadata(fields{rest: r.AppendTo(nil)[:20], flexible: m.flexible}, version); err == nil {
			t.Errorf("metadata %d, cut: no error", version)
		}
	}
}

func TestEpochRequestsAreAsKmsgHasThem(t *testing.T) {
	for version := int16(2); version <= 3; version++ {
		var m message
		appendEpochEnd(&m, version, pipeline.Partition{Topic: "shards", ID: 3}, 6)
		want := kmsg.NewPtrOffsetForLeaderEpochRequest()
		want.Version, want.ReplicaID = version, -1
		part := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		part.Partition, part.LeaderEpoch = 3, 5
		topic := kmsg.NewOffsetForLeaderEpochRequestTopic()
		topic.Topic = "shards"
		topic.Partitions = append(topic.Partitions, part)
		want.Topics = append(want.Topics, topic)
		if b := want.AppendTo(nil); !bytes.Equal(m.b, b) {
			t.Errorf("version %d:\n%x\n%x", version, m.b, b)
		}
	}
}

func TestTopicIDsAreAsKafkaPrintsThem(t *testing.T) {
	id := topicID{0xfb, 0xff, 15: 1}
	if s := id.String(); s != "-_8AAAAAAAAAAAAAAAAAAQ" {
		t.Errorf("%s", s)
	}
	for _, want := range []topicID{{}, id} {
		if got, err := parseTopicID(want.String()); err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	for _, bad := range []string{"-_8", "=", "-_8AAAAAAAAAAAAAAAAAAQAA"} {
		if _, err := parseTopicID(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
