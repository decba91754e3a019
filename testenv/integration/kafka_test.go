//go:build unix

package integration

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// franz returns a client that is not ours. Its partitioner is murmur2 for
// records with a key.
func franz(t *testing.T, env *testenv.Env, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(env.Brokers()...), kgo.MetadataMinAge(50 * time.Millisecond),
		kgo.AlwaysRetryEOF(), // a container's port answers also while its broker is down
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// send returns when all records are acknowledged; their offsets are set then.
func send(t *testing.T, c *kgo.Client, records ...*kgo.Record) {
	t.Helper()
	if err := c.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func clusterID(t *testing.T, c *kgo.Client) string {
	t.Helper()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	resp, err := req.RequestWith(t.Context(), c)
	if err != nil || resp.ClusterID == nil {
		t.Fatalf("cluster id: %v", err)
	}
	return *resp.ClusterID
}

// ends returns the offsets after the last committed record of each partition.
func ends(ctx context.Context, c *kgo.Client, topic string) (map[int32]int64, error) {
	about := kmsg.NewPtrMetadataRequest()
	mt := kmsg.NewMetadataRequestTopic()
	mt.Topic = kmsg.StringPtr(topic)
	about.Topics = append(about.Topics, mt)
	meta, err := about.RequestWith(ctx, c)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = 1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	for _, p := range meta.Topics[0].Partitions {
		q := kmsg.NewListOffsetsRequestTopicPartition()
		q.Partition, q.Timestamp = p.Partition, -1
		t.Partitions = append(t.Partitions, q)
	}
	req.Topics = append(req.Topics, t)
	resp, err := req.RequestWith(ctx, c)
	if err != nil {
		return nil, err
	}
	out := map[int32]int64{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, err
			}
			out[p.Partition] = p.Offset
		}
	}
	return out, nil
}

// read returns all records that a topic has now.
func read(t *testing.T, env *testenv.Env, topic string) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	c := franz(t, env, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxPartitionBytes(64<<20))
	left, err := ends(ctx, c, topic)
	if err != nil {
		t.Fatal(err)
	}
	for p, end := range left {
		if end == 0 {
			delete(left, p)
		}
	}
	var all []*kgo.Record
	for len(left) > 0 {
		f := c.PollFetches(ctx)
		if err := f.Err(); err != nil {
			t.Fatal(err)
		}
		f.EachRecord(func(r *kgo.Record) {
			all = append(all, r)
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	return all
}

// stored is the watermark that the store has for a partition, 0 for none.
func (w *world) stored(ctx context.Context, partition int32) (int64, error) {
	key := fmt.Sprintf("credence:{%s/%s/%s/%d}:meta", w.cluster, w.group, w.input, partition)
	text, err := w.store.HGet(ctx, key, "watermark").Result()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// behind is the number of offsets that the stored watermarks are from the
// ends of the input.
func (w *world) behind(ctx context.Context) (int64, error) {
	at, err := ends(ctx, w.kafka, w.input)
	if err != nil {
		return 0, err
	}
	behind := int64(0)
	for p, end := range at {
		stored, err := w.stored(ctx, p)
		if err != nil {
			return 0, err
		}
		behind += end - stored
	}
	return behind, nil
}

// caughtUp waits until all that was sent is applied and saved.
func (w *world) caughtUp(t *testing.T) {
	t.Helper()
	programs.Eventually(t, "the watermarks at the end of the log", func() (bool, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		n, err := w.behind(ctx)
		if err == nil && n != 0 {
			err = fmt.Errorf("%d records behind", n)
		}
		return n == 0, err
	})
}

// committed returns the offsets of the consumer group.
func (w *world) committed(t *testing.T) map[int32]int64 {
	t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = w.group
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = w.group
	req.Groups = append(req.Groups, g)
	resp, err := req.RequestWith(t.Context(), w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int32]int64{}
	note := func(topic string, partition int32, offset int64) {
		if topic == w.input {
			out[partition] = offset
		}
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			note(t.Topic, p.Partition, p.Offset)
		}
	}
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				note(t.Topic, p.Partition, p.Offset)
			}
		}
	}
	return out
}
