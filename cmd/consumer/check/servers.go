package check

import (
	"context"
	"errors"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/redis"
)

func partitionOf(key []byte, n int) int32 { return kafka.PartitionOf(key, n) }

// kafkaCluster is the cluster as check sees it.
type kafkaCluster struct{ *kafka.Client }

func clusterOf(n *connect.Connection) cluster { return kafkaCluster{n.Client} }

// Topic implements cluster.
func (k kafkaCluster) Topic(ctx context.Context, name string) (topicState, error) {
	s, err := k.Describe(ctx, name)
	return topicState{partitions: s.Partitions, settings: s.Configs}, err
}

// redisStore is the store as check sees it.
type redisStore struct{ *redis.Store }

func storeOf(n *connect.Connection) store { return redisStore{n.Store} }

// Policy implements store.
func (r redisStore) Policy(ctx context.Context) (eviction string, appendOnly bool, err error) {
	p, err := r.CheckPolicy(ctx)
	if errors.Is(err, redis.ErrEviction) {
		err = nil // the policy says it
	}
	return p.Eviction, p.AppendOnly, err
}
