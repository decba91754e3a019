package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/redis"
)

const (
	heartbeat  = 500 * time.Millisecond
	flush      = 10 * time.Second // the longest that a revoked partition saves
	partitions = 4                // of topics that we create
	// unpacked is how many times limits.record a batch may become in memory.
	unpacked = 4
)

// connection is everything that commands talk to.
type connection struct {
	client *kafka.Client
	log    *kafka.Log
	rules  *pipeline.Rules
	store  *redis.Store // nil before openStore
	lookup *lookup      // nil before openStore
}

// dial reads the files that the configuration names and connects to nothing.
func dial(c *config) (*connection, error) {
	if usesEmbedded(c) {
		return nil, fmt.Errorf("kafka.brokers or redis.url is %s: such servers live inside consumer run, which says their addresses when it starts", embedded)
	}
	client, err := kafka.New(kafka.Options{
		Brokers: c.Kafka.Brokers,
		TLS:     kafka.TLS(c.Kafka.TLS),
		SASL:    kafka.SASL(c.Kafka.SASL),
	})
	if err != nil {
		return nil, err
	}
	conn := &connection{client: client}
	if conn.log, err = kafka.NewLog(client, unpacked*int64(c.Limits.Record)); err == nil {
		conn.rules, err = pipeline.NewRules(c.rules(), pipeline.Limits{
			Record: int64(c.Limits.Record), Rows: c.Limits.Rows, Columns: c.Limits.Columns,
			Groups: c.Limits.Groups, Summary: int(c.Limits.Summary),
		})
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return conn, nil
}

// rules pairs the globs with the models.
func (c *config) rules() []pipeline.Rule {
	rules := make([]pipeline.Rule, len(c.Models))
	for i, m := range c.Models {
		rules[i] = pipeline.Rule{Match: m.Match, Spec: m.spec}
	}
	return rules
}

// openStore opens the store of this cluster and group. Only the cluster's id
// is asked for; Redis is not connected to.
func (n *connection) openStore(ctx context.Context, c *config) error {
	id, err := n.client.ClusterID(ctx)
	if err != nil {
		return err
	}
	n.store, err = redis.Open(redis.Options{
		URL: c.Redis.URL, PasswordFile: c.Redis.PasswordFile,
		Cluster: id, Group: c.Kafka.Group,
	})
	if err != nil {
		return &permanentError{err}
	}
	n.lookup = &lookup{
		reader: n.store, rules: n.rules, topic: c.Kafka.Input, home: kafka.PartitionOf,
		count: func(ctx context.Context) (int, error) { return n.log.Partitions(ctx, c.Kafka.Input) },
	}
	return nil
}

func (n *connection) close() {
	if n.store != nil {
		_ = n.store.Close()
	}
	_ = n.client.Close()
}

// prepare refuses a store that may lose state and makes the topics.
func (n *connection) prepare(ctx context.Context, c *config, logger *slog.Logger) error {
	policy, err := n.store.CheckPolicy(ctx)
	switch {
	case errors.Is(err, redis.ErrEviction):
		return &permanentError{err}
	case errors.Is(err, redis.ErrPolicyUnknown):
		logger.Warn("whether redis may evict state can't be known", slog.Any("error", err))
	case err != nil:
		return fmt.Errorf("redis: %w", err)
	case !policy.AppendOnly && !c.storeInside:
		logger.Warn("redis has no append-only file: when it restarts, state is rebuilt from the log")
	}
	if !c.Kafka.CreateTopics {
		return nil
	}
	return n.createTopics(ctx, c)
}

// createTopics creates the topics that do not exist. Dead letters take what
// the input takes, and the headers.
func (n *connection) createTopics(ctx context.Context, c *config) error {
	input := kafka.InputTopic(c.Kafka.Input, partitions, int(c.Limits.Record)+kafka.DeadLetterExtra)
	if err := n.client.Create(ctx, input); err != nil {
		return err
	}
	dead := int64(c.Limits.Record) + kafka.DeadLetterExtra
	if state, err := n.client.Describe(ctx, c.Kafka.Input); err == nil {
		if most, ok := state.Int("max.message.bytes"); ok {
			dead = most
		}
	}
	k := checker{config: c}
	var rest []kafka.Topic
	for _, t := range k.topics() {
		switch {
		case t.name == c.Kafka.DeadLetters:
			rest = append(rest, kafka.OutputTopic(t.name, partitions, int(dead)+kafka.DeadLetterExtra))
		case !t.input:
			rest = append(rest, kafka.OutputTopic(t.name, partitions, max(kafka.OutputMessageBytes, int(t.atMost))))
		}
	}
	return n.client.Create(ctx, rest...)
}

func (n *connection) newWorker(c *config, metrics *pipeline.Metrics, observer pipeline.Observer, logger *slog.Logger) (*pipeline.Worker, error) {
	return pipeline.New(pipeline.Options{
		Topic: c.Kafka.Input,
		Group: kafka.NewGroup(n.client, kafka.GroupOptions{
			Group: c.Kafka.Group, Topics: []string{c.Kafka.Input},
			Heartbeat: heartbeat, Session: time.Duration(c.Kafka.SessionTimeout), Rebalance: 2 * time.Duration(c.Kafka.SessionTimeout),
			OnError: func(err error) { logger.Warn("consumer group", slog.Any("error", err)) },
		}),
		Log:       n.log,
		Publisher: kafka.NewPublisher(n.client, kafka.Plain),
		Store:     n.store,
		Rules:     n.rules,
		Interval:  time.Duration(c.Checkpoint.Interval), Records: c.Checkpoint.Records, Bytes: int64(c.Checkpoint.Bytes),
		Inflight: int64(c.Memory.Inflight), Cache: int64(c.Memory.Cache),
		SkipGaps: c.OnGap == "skip", Heartbeat: heartbeat, Flush: min(flush, time.Duration(c.Kafka.SessionTimeout)/2),
		NewDecoder: c.newDecoder,
		NewOutputs: func() pipeline.Outputs { return newOutputs(c, n.rules) },
		Observer:   observer,
		Metrics:    metrics,
		Logger:     logger,
	})
}

// newDecoder returns what reads shards, and rows to predict.
func (c *config) newDecoder() pipeline.Decoder {
	return arrow.NewDecoder(arrow.Limits{Record: int(c.Limits.Record), Rows: c.Limits.Rows, Columns: c.Limits.Columns})
}

// newSender returns what sends the flights of the demo.
func (n *connection) newSender(topic string, rate float64) *replay.Sender {
	return replay.NewSender(replay.Options{
		Topic: topic, Run: replay.NewRun(), Rate: rate,
		Publisher: kafka.NewPublisher(n.client, kafka.LZ4), Encode: arrow.Encode,
	})
}

// feed returns the records of a topic.
func (n *connection) feed(topic string, fromEnd, untilEnd bool, notify func(string, ...any)) feed {
	return func(ctx context.Context, visit func(*pipeline.Record) error) error {
		return n.log.Tail(ctx, topic, kafka.TailOptions{
			FromEnd: fromEnd, UntilEnd: untilEnd,
			OnError: func(err error) { notify("waiting for topic %s: %v", topic, err) },
		}, func(_ pipeline.Partition, r *pipeline.Record) error { return visit(r) })
	}
}
