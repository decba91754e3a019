//go:build linux

package local

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/testenv/probe"
)

// TestCluster starts the whole cluster, disturbs each kind of server, and finds
// it whole again.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("ten servers take a quarter of a minute")
	}
	ctx := t.Context()
	c, err := StartCluster(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	client := &kafkago.Client{Addr: kafkago.TCP(c.Brokers()...)}
	made, err := client.CreateTopics(ctx, &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{Topic: "t", NumPartitions: 3, ReplicationFactor: -1}}})
	if err != nil || made.Errors["t"] != nil {
		t.Fatal(err, made)
	}
	replicas := func(context.Context) error {
		m, err := client.Metadata(ctx, &kafkago.MetadataRequest{Topics: []string{"t"}})
		if err != nil {
			return err
		}
		for _, p := range m.Topics[0].Partitions {
			if len(p.Isr) != 3 {
				return kafkago.NotEnoughReplicas
			}
		}
		return nil
	}
	if err := probe.Until(ctx, replicas); err != nil {
		t.Fatal(err)
	}
	write := func(s *Server) error {
		return s.redis(func(r *redis.Client) error { return r.Set(ctx, "k", "v", 0).Err() })
	}
	free, err := c.Single.FillDisk()
	if err != nil {
		t.Fatal(err)
	}
	full := func(context.Context) error {
		if err := write(c.Single); err == nil || !strings.Contains(err.Error(), "MISCONF") {
			return redis.Nil
		}
		return nil
	}
	if err := probe.Until(ctx, full); err != nil {
		t.Fatal(err)
	}
	if err := free(); err != nil {
		t.Fatal(err)
	}
	if err := probe.Until(ctx, func(context.Context) error { return write(c.Single) }); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Server{c.Kafka[0], c.Redis[0]} {
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Links[0].Toxic("timeout", "downstream", `{"timeout":0}`); err != nil {
		t.Fatal(err)
	}
	if err := c.Mend(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Whole(ctx); err != nil {
		t.Fatal(err)
	}
	if err := probe.Until(ctx, replicas); err != nil {
		t.Fatal(err)
	}
}
