package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/createtopics"
	"github.com/segmentio/kafka-go/protocol/describeconfigs"
)

const (
	// OutputMessageBytes is the max.message.bytes of topics for outputs.
	OutputMessageBytes = 32 << 20
	// letterRetention bounds a partition of dead letters in bytes.
	letterRetention = 1 << 30

	createTimeout = 30 * time.Second
	createPause   = 50 * time.Millisecond
)

// Config is one setting of a topic.
type Config struct{ Name, Value string }

// Topic is a topic to create.
type Topic struct {
	Name        string
	Partitions  int // 0: the brokers' default
	Replication int // 0: the brokers' default
	Configs     []Config
}

// InputTopic is a topic for shards, which may take maxMessage bytes.
func InputTopic(name string, partitions, maxMessage int) Topic {
	return Topic{Name: name, Partitions: partitions, Configs: []Config{
		{"max.message.bytes", strconv.Itoa(maxMessage)},
	}}
}

// OutputTopic is a topic for posteriors, draws or predictions. They carry
// the timestamps of the input, so retention would drop a back-fill at once;
// and compaction would drop what readers tell repeats by.
func OutputTopic(name string, partitions, maxMessage int) Topic {
	return Topic{Name: name, Partitions: partitions, Configs: []Config{
		{"cleanup.policy", "delete"},
		{"retention.ms", "-1"},
		{"message.timestamp.type", "CreateTime"},
		{"max.message.bytes", strconv.Itoa(maxMessage)},
	}}
}

// LetterTopic is a topic for dead letters. They, too, carry the timestamps of
// the input, so that their bytes are bounded and not their age.
func LetterTopic(name string, partitions, maxMessage int) Topic {
	t := OutputTopic(name, partitions, maxMessage)
	t.Configs = append(t.Configs, Config{"retention.bytes", strconv.Itoa(letterRetention)})
	return t
}

// Create creates the topics that do not exist, leaves the others as they
// are, and returns when every partition of all of them has a leader.
func (c *Client) Create(ctx context.Context, topics ...Topic) error {
	if len(topics) == 0 {
		return nil
	}
	for _, t := range topics {
		// One by one, so that one that exists does not hide another's error.
		if err := c.create(ctx, t); err != nil {
			return fmt.Errorf("create topic %s: %w", t.Name, err)
		}
	}
	for _, t := range topics {
		if err := c.await(ctx, t.Name); err != nil {
			return fmt.Errorf("create topic %s: %w", t.Name, err)
		}
	}
	return nil
}

func (c *Client) create(ctx context.Context, t Topic) error {
	if r, err := c.route(ctx, t.Name, true); err == nil && len(r.leaders) > 0 {
		return nil // also without the right to create
	}
	req := createtopics.RequestTopic{Name: t.Name, NumPartitions: -1, ReplicationFactor: -1}
	if t.Partitions > 0 {
		req.NumPartitions = int32(t.Partitions)
	}
	if t.Replication > 0 {
		req.ReplicationFactor = int16(t.Replication)
	}
	for _, k := range t.Configs {
		req.Configs = append(req.Configs, createtopics.RequestConfig{Name: k.Name, Value: k.Value})
	}
	for try := 0; ; try++ {
		err := c.createOnce(ctx, req)
		switch {
		case err == nil, errors.Is(err, kafka.TopicAlreadyExists):
			return nil
		case !errors.Is(err, kafka.NotController) || try == routeRetries:
			return err
		}
		if err := pause(ctx, routeBackoff<<try); err != nil {
			return err
		}
	}
}

func (c *Client) createOnce(ctx context.Context, req createtopics.RequestTopic) error {
	addr, err := c.controller(ctx)
	if err != nil {
		return err
	}
	return c.do(ctx, addr, createTimeout+callTimeout, func(n *conn) error {
		answer, err := n.call(&createtopics.Request{
			Topics:    []createtopics.RequestTopic{req},
			TimeoutMs: int32(createTimeout.Milliseconds()),
		})
		if err != nil {
			return err
		}
		r := answer.(*createtopics.Response)
		if len(r.Topics) != 1 {
			return errors.New("an answer about other topics")
		}
		if r.Topics[0].ErrorCode != 0 {
			return coded(r.Topics[0].ErrorCode, r.Topics[0].ErrorMessage)
		}
		return nil
	})
}

// controller returns the broker that creates topics.
func (c *Client) controller(ctx context.Context) (string, error) {
	m, err := c.metadata(ctx, "")
	if err != nil {
		return "", err
	}
	if addr, ok := m.brokers[m.controller]; ok {
		return addr, nil
	}
	return "", kafka.NotController
}

// await waits until every partition of a topic has a leader.
func (c *Client) await(ctx context.Context, topic string) error {
	for {
		r, err := c.route(ctx, topic, true)
		ready := err == nil && len(r.leaders) > 0
		for _, l := range r.leaders {
			ready = ready && l != ""
		}
		switch {
		case ready:
			return nil
		case err != nil && !Moved(err):
			return err
		}
		if err := pause(ctx, createPause); err != nil {
			return err
		}
	}
}

// TopicState is what a topic is like now.
type TopicState struct {
	Exists     bool
	Partitions int
	Replicas   int               // of the partition that has fewest
	Configs    map[string]string // all settings in force, by name
}

// Int returns a numeric setting, such as retention.ms or max.message.bytes.
func (t TopicState) Int(name string) (int64, bool) {
	v, err := strconv.ParseInt(t.Configs[name], 10, 64)
	return v, err == nil
}

// Describe returns the state of a topic; one that does not exist is no error.
func (c *Client) Describe(ctx context.Context, topic string) (TopicState, error) {
	r, err := c.route(ctx, topic, true)
	if errors.Is(err, kafka.UnknownTopicOrPartition) {
		return TopicState{}, nil
	}
	if err != nil {
		return TopicState{}, fmt.Errorf("describe: %w", err)
	}
	const topicResource = 2
	answer, err := c.ask(ctx, &describeconfigs.Request{
		Resources: []describeconfigs.RequestResource{{ResourceType: topicResource, ResourceName: topic}},
	})
	if err != nil {
		return TopicState{}, fmt.Errorf("describe topic %s: %w", topic, err)
	}
	d := answer.(*describeconfigs.Response)
	if len(d.Resources) != 1 {
		return TopicState{}, fmt.Errorf("describe topic %s: %d resources", topic, len(d.Resources))
	}
	if e := d.Resources[0]; e.ErrorCode != 0 {
		return TopicState{}, fmt.Errorf("describe topic %s: %w", topic, coded(e.ErrorCode, e.ErrorMessage))
	}
	s := TopicState{Exists: true, Partitions: len(r.leaders), Replicas: r.replicas, Configs: map[string]string{}}
	for _, e := range d.Resources[0].ConfigEntries {
		s.Configs[e.ConfigName] = e.ConfigValue
	}
	return s, nil
}
