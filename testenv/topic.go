//go:build unix

package testenv

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv/probe"
)

// admin sends one request and closes its client.
func (e *Env) admin(ctx context.Context, send func(context.Context, *kgo.Client) error) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(e.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return send(ctx, c)
}

// CreateTopic creates a topic and returns when all its partitions have a
// leader. A config of nil takes the broker's defaults.
func (e *Env) CreateTopic(ctx context.Context, topic string, partitions int, config map[string]string) error {
	return e.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		t := kmsg.NewCreateTopicsRequestTopic()
		t.Topic, t.NumPartitions, t.ReplicationFactor = topic, int32(partitions), 1
		for _, name := range slices.Sorted(maps.Keys(config)) {
			v := kmsg.NewCreateTopicsRequestTopicConfig()
			v.Name, v.Value = name, kmsg.StringPtr(config[name])
			t.Configs = append(t.Configs, v)
		}
		req := kmsg.NewPtrCreateTopicsRequest()
		req.Topics, req.TimeoutMillis = append(req.Topics, t), 20_000
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			return fmt.Errorf("create topic %s: %w", topic, err)
		}
		for _, t := range resp.Topics {
			if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
				return fmt.Errorf("create topic %s: %w", topic, err)
			}
		}
		return probe.Until(ctx, func(ctx context.Context) error { return led(ctx, c, topic, partitions) })
	})
}

// led reports whether all partitions of a topic have a leader.
func led(ctx context.Context, c *kgo.Client, topic string, partitions int) error {
	req := kmsg.NewPtrMetadataRequest()
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = kmsg.StringPtr(topic)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	n := 0
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode == 0 && p.Leader >= 0 {
				n++
			}
		}
	}
	if n != partitions {
		return fmt.Errorf("topic %s: %d of %d partitions have a leader", topic, n, partitions)
	}
	return nil
}

// DeleteTopic deletes a topic and returns when the brokers know of none.
func (e *Env) DeleteTopic(ctx context.Context, topic string) error {
	return e.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		t := kmsg.NewDeleteTopicsRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req := kmsg.NewPtrDeleteTopicsRequest()
		req.Topics, req.TopicNames, req.TimeoutMillis = append(req.Topics, t), []string{topic}, 20_000
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			return fmt.Errorf("delete topic %s: %w", topic, err)
		}
		for _, t := range resp.Topics {
			if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
				return fmt.Errorf("delete topic %s: %w", topic, err)
			}
		}
		return probe.Until(ctx, func(ctx context.Context) error { return led(ctx, c, topic, 0) })
	})
}

// TrimLog deletes the records of a partition below offset; -1 deletes all.
func (e *Env) TrimLog(ctx context.Context, topic string, partition int32, offset int64) error {
	return e.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		p := kmsg.NewDeleteRecordsRequestTopicPartition()
		p.Partition, p.Offset = partition, offset
		t := kmsg.NewDeleteRecordsRequestTopic()
		t.Topic, t.Partitions = topic, append(t.Partitions, p)
		req := kmsg.NewPtrDeleteRecordsRequest()
		req.Topics, req.TimeoutMillis = append(req.Topics, t), 20_000
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			return fmt.Errorf("trim %s/%d: %w", topic, partition, err)
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return fmt.Errorf("trim %s/%d: %w", topic, partition, err)
				}
			}
		}
		return nil
	})
}
