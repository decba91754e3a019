package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/credence-stream/credence/pipeline"
)

// topicID is the id that brokers from 2.8 on give a topic when it is created.
type topicID [16]byte

// String is the form that Kafka's tools print, "" for none.
func (id topicID) String() string {
	if id == (topicID{}) {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// parseTopicID is the inverse of String.
func parseTopicID(s string) (id topicID, err error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || s != "" && len(b) != len(id) {
		return id, fmt.Errorf("%q is no topic id", s)
	}
	copy(id[:], b)
	return id, nil
}

// metadata is what a broker knows of the cluster.
type metadata struct {
	brokers    map[int32]string // addresses
	cluster    string
	controller int32
	topics     []topicMetadata
}

type topicMetadata struct {
	code     int16
	id       topicID
	leaders  map[int32]int32 // broker by partition
	replicas int             // of the partition that has fewest
}

// topicIDs is the version of metadata from which on topics have ids; those
// between it and the newest one that has none are not spoken.
const topicIDs = 10

// metadata asks for a topic, "": for none, only the cluster.
func (c *Client) metadata(ctx context.Context, topic string) (*metadata, error) {
	return anywhere(ctx, c, func(n *conn) (*metadata, error) { return metadataOf(n, topic) })
}

// metadataOf asks one broker.
func metadataOf(n *conn, topic string) (*metadata, error) {
	v, err := n.version(protocol.Metadata)
	if err != nil {
		return nil, err
	}
	if v == topicIDs-1 {
		v--
	}
	req := message{flexible: v >= topicIDs}
	appendMetadata(&req, v, topic)
	raw, err := n.callRaw(protocol.Metadata, v, &req, callTimeout, nil, anew)
	if err != nil {
		return nil, err
	}
	return parseMetadata(fields{rest: raw, flexible: req.flexible}, v)
}

// only returns what an answer says of the one topic that was asked for.
func (m *metadata) only(topic string) (topicMetadata, error) {
	if len(m.topics) != 1 {
		return topicMetadata{}, fmt.Errorf("topic %s: metadata of %d topics", topic, len(m.topics))
	}
	t := m.topics[0]
	switch code := kafka.Error(t.code); code {
	case 0:
		return t, nil
	case kafka.UnknownTopicOrPartition, kafka.TopicAuthorizationFailed:
		return t, fmt.Errorf("topic %s: %w", topic, noTopic{code})
	default:
		return t, fmt.Errorf("topic %s: %w", topic, code)
	}
}

// noTopic says that a whole topic is not there, or not for this user.
type noTopic struct{ code kafka.Error }

func (e noTopic) Error() string {
	if e.code == kafka.UnknownTopicOrPartition {
		return e.code.Error() + ": create it, as the command run does when it starts, unless kafka.create_topics is false"
	}
	return e.code.Error()
}

func (e noTopic) Unwrap() error      { return e.code }
func (noTopic) Is(target error) bool { return target == pipeline.ErrNoTopic }

func appendMetadata(m *message, version int16, topic string) {
	if topic == "" {
		m.count(0)
	} else {
		m.count(1)
		if version >= topicIDs {
			m.id(topicID{})
		}
		m.text(topic)
		m.end()
	}
	m.int8(0) // do not create it
	if version >= 8 {
		m.int8(0) // no word about who may do what to the cluster,
		m.int8(0) // and to the topic
	}
	m.end()
}

func parseMetadata(r fields, version int16) (*metadata, error) {
	m := &metadata{brokers: map[int32]string{}}
	r.int32() // throttled
	for n := r.count(); n > 0 && !r.short; n-- {
		id, host := r.int32(), r.text()
		m.brokers[id] = address(host, r.int32())
		r.text() // rack
		r.end()
	}
	m.cluster = r.text()
	m.controller = r.int32()
	for n := r.count(); n > 0 && !r.short; n-- {
		t := topicMetadata{code: r.int16(), leaders: map[int32]int32{}}
		r.text()
		if version >= topicIDs {
			t.id = r.id()
		}
		r.int8() // internal
		for n := r.count(); n > 0 && !r.short; n-- {
			r.int16() // an error that the leader tells of as well
			p := r.int32()
			t.leaders[p] = r.int32()
			if version >= 7 {
				r.int32() // its epoch
			}
			replicas := r.count()
			if r.next(4 * replicas); len(t.leaders) == 1 || replicas < t.replicas {
				t.replicas = replicas
			}
			for range 2 { // in sync, offline
				r.next(4 * r.count())
			}
			r.end()
		}
		if version >= 8 {
			r.int32() // authorized operations
		}
		r.end()
		m.topics = append(m.topics, t)
	}
	if r.short {
		return nil, errors.New("a short metadata answer")
	}
	return m, nil
}
