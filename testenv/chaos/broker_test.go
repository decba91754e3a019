//go:build linux

package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// admin sends one request with a client of its own.
func (s *storm) admin(ctx context.Context, send func(context.Context, *kgo.Client) error) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers()...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return send(ctx, c)
}

// createTopic creates a topic with three replicas and returns when its
// partitions have leaders.
func (s *storm) createTopic(ctx context.Context, topic string, partitions int32, config ...kmsg.CreateTopicsRequestTopicConfig) error {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor, t.Configs = topic, partitions, -1, config
	return s.create(ctx, t, int(partitions))
}

func (s *storm) create(ctx context.Context, t kmsg.CreateTopicsRequestTopic, count int) error {
	return s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		return probe.Until(ctx, func(ctx context.Context) error { // one of this name may still be going
			req := kmsg.NewPtrCreateTopicsRequest()
			req.Topics, req.TimeoutMillis = append(req.Topics, t), 20_000
			resp, err := req.RequestWith(ctx, c)
			if err != nil {
				return err
			}
			if err := kerr.ErrorForCode(resp.Topics[0].ErrorCode); err != nil {
				return fmt.Errorf("create topic %s: %w", t.Topic, err)
			}
			return probe.Until(ctx, func(ctx context.Context) error {
				all, err := partitions(ctx, c, t.Topic)
				led := 0
				for _, p := range all {
					if p.Leader >= 0 {
						led++
					}
				}
				if err == nil && led != count {
					err = fmt.Errorf("topic %s: %d of %d partitions have a leader", t.Topic, led, count)
				}
				return err
			})
		})
	})
}

func partitions(ctx context.Context, c *kgo.Client, topic string) ([]kmsg.MetadataResponseTopicPartition, error) {
	req, t := kmsg.NewPtrMetadataRequest(), kmsg.NewMetadataRequestTopic()
	t.Topic = kmsg.StringPtr(topic)
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, c)
	if err != nil {
		return nil, err
	}
	return resp.Topics[0].Partitions, kerr.ErrorForCode(resp.Topics[0].ErrorCode)
}

func (s *storm) deleteTopic(ctx context.Context, topic string) error {
	return s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		t := kmsg.NewDeleteTopicsRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req := kmsg.NewPtrDeleteTopicsRequest()
		req.Topics, req.TopicNames, req.TimeoutMillis = append(req.Topics, t), []string{topic}, 20_000
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	})
}

// assign sets the replicas of a partition.
func (s *storm) assign(ctx context.Context, topic string, partition int32, replicas []int32) error {
	return s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		p.Partition, p.Replicas = partition, replicas
		t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
		t.Topic, t.Partitions = topic, append(t.Partitions, p)
		req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
		req.Topics, req.TimeoutMillis = append(req.Topics, t), 20_000
		return insist(ctx, func(ctx context.Context) error {
			resp, err := req.RequestWith(ctx, c)
			if err != nil {
				return err
			}
			if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
				return err
			}
			return kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
		})
	})
}

// configure sets a setting of a topic.
func (s *storm) configure(ctx context.Context, topic, name, value string) error {
	return s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		setting := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		setting.Name, setting.Value = name, kmsg.StringPtr(value)
		r := kmsg.NewIncrementalAlterConfigsRequestResource()
		r.ResourceType, r.ResourceName, r.Configs = kmsg.ConfigResourceTypeTopic, topic, append(r.Configs, setting)
		req := kmsg.NewPtrIncrementalAlterConfigsRequest()
		req.Resources = append(req.Resources, r)
		return insist(ctx, func(ctx context.Context) error {
			resp, err := req.RequestWith(ctx, c)
			if err != nil {
				return err
			}
			return kerr.ErrorForCode(resp.Resources[0].ErrorCode)
		})
	})
}

// insist repeats a request to the controller, which has trouble as well.
func insist(ctx context.Context, request func(context.Context) error) error {
	return probe.Until(ctx, func(ctx context.Context) error {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return request(once)
	})
}

// produce sends the stream bit by bit over the given time, each record once
// whatever the brokers do.
func (s *storm) produce(ctx context.Context, over time.Duration) error {
	const steps = 200
	c, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers()...), kgo.ProducerBatchCompression(kgo.Lz4Compression()))
	if err != nil {
		return err
	}
	defer c.Close()
	tick := time.NewTicker(over / steps)
	defer tick.Stop()
	for i, o := range s.stream.records {
		if i%(len(s.stream.records)/steps+1) == 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c.Produce(ctx, recordOf(&o), nil)
	}
	return c.Flush(ctx)
}

func recordOf(o *pipeline.Output) *kgo.Record {
	r := &kgo.Record{Topic: o.Topic, Key: o.Key, Value: o.Value, Timestamp: time.UnixMilli(o.Time)}
	for _, h := range o.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return r
}

// haunt begins transactions until the context ends: some are committed, some
// aborted, and some left to their time-out. The keys of the latter two begin
// with ghost/. It returns what it did.
func (s *storm) haunt(ctx context.Context) string {
	var committed, aborted, hanging, failed int
	for i := 0; ctx.Err() == nil; i++ {
		end := kgo.TryCommit
		prefix := "seen/"
		if i%3 > 0 {
			end, prefix = kgo.TryAbort, "ghost/"
		}
		err := s.transaction(ctx, fmt.Sprintf("haunt-%d-%d", s.seed, i), prefix, i%3 == 2, end)
		switch {
		case err != nil:
			failed++
		case i%3 == 0:
			committed++
		case i%3 == 1:
			aborted++
		default:
			hanging++
		}
		_ = wait(ctx, 2*time.Second)
	}
	return fmt.Sprintf("transactions: %d committed, %d aborted, %d left hanging, %d failed", committed, aborted, hanging, failed)
}

func (s *storm) transaction(ctx context.Context, id, prefix string, hang bool, end kgo.TransactionEndTry) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers()...), kgo.TransactionalID(id), kgo.TransactionTimeout(3*time.Second))
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.BeginTransaction(); err != nil {
		return err
	}
	for i := range 6 {
		o := s.stream.records[i]
		o.Key = fmt.Appendf(nil, "%s%d", prefix, i)
		c.Produce(ctx, recordOf(&o), nil)
	}
	if err := c.Flush(ctx); err != nil || hang {
		return err
	}
	return c.EndTransaction(ctx, end)
}
