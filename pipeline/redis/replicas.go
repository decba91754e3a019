package redis

import (
	"context"
	"fmt"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// replicaPatience is how long a master's replicas have to follow.
const replicaPatience = 10 * time.Second

// Replicated implements pipeline.LayoutAdmin.
func (s *Store) Replicated(ctx context.Context, topic string, partitions int) error {
	key, err := s.topicKey(topic)
	if err != nil {
		return err
	}
	keys := []string{strings.TrimSuffix(key, "topic")}
	for id := range partitions {
		k, err := s.space(pipeline.Partition{Topic: topic, ID: int32(id)})
		if err != nil {
			return err
		}
		keys = append(keys, k.prefix)
	}
	done := map[string]bool{}
	for _, prefix := range keys {
		master, err := s.master(ctx, prefix)
		if err == nil && !done[master.Options().Addr] {
			err = replicated(ctx, master, prefix+"replicated")
			done[master.Options().Addr] = true
		}
		if err != nil {
			return fmt.Errorf("replicas of %s: %w", topic, err)
		}
	}
	return nil
}

// master returns the client of the server that writes a key.
func (s *Store) master(ctx context.Context, key string) (*goredis.Client, error) {
	switch c := s.client.(type) {
	case *goredis.Client:
		return c, nil
	case *goredis.ClusterClient:
		return c.MasterForKey(ctx, key)
	default:
		return nil, fmt.Errorf("%T has no masters", c)
	}
}

// replicated waits until the replicas that are connected to a server have all that was
// written to it. They are asked for a write of this connection, a key that goes by itself:
// what came before it is with them, too.
func replicated(ctx context.Context, c *goredis.Client, key string) error {
	info, err := c.Info(ctx).Result()
	if err != nil {
		return err
	}
	replicas := strings.Count(info, ",state=online,")
	conn := c.Conn()
	defer conn.Close() //nolint:errcheck // nothing is pending on it
	if err := conn.Set(ctx, key, "", time.Second).Err(); err != nil {
		return err
	}
	half := func() (int64, error) { return conn.Wait(ctx, replicas, replicaPatience/2).Result() } // says nothing for less than silence
	n, err := half()
	if err == nil && int(n) < replicas {
		n, err = half()
	}
	if err == nil && int(n) < replicas {
		err = fmt.Errorf("%d of %d replicas of %s have what was written within %v", n, replicas, c.Options().Addr, replicaPatience)
	}
	return err
}
