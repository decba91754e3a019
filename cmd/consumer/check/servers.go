package check

import (
	"context"
	"errors"

	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/redis"
)

// kafkaCluster is the cluster as check sees it.
type kafkaCluster struct{ *kafka.Client }

// Topic implements cluster.
func (k kafkaCluster) Topic(ctx context.Context, name string) (topicState, error) {
	s, err := k.Describe(ctx, name)
	return topicState{s.Partitions, s.Replicas, s.Configs}, err
}

// redisStore is the store as check sees it.
type redisStore struct{ *redis.Store }

// Policy implements store.
func (r redisStore) Policy(ctx context.Context) (eviction string, appendOnly bool, err error) {
	p, err := r.CheckPolicy(ctx)
	if errors.Is(err, redis.ErrEviction) {
		err = nil // the policy says it
	}
	return p.Eviction, p.AppendOnly, err
}
