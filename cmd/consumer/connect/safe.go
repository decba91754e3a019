package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/redis"
)

// safe refuses a store that may lose state, unless redis.eviction accepts that.
func (n *Connection) safe(ctx context.Context, c *config.Config, logger *slog.Logger) error {
	policy, err := n.Store.CheckPolicy(ctx)
	evicts, unknown := errors.Is(err, redis.ErrEviction), errors.Is(err, redis.ErrPolicyUnknown)
	accept := redis.Eviction(c.Redis.Eviction)
	switch {
	case evicts && accept != redis.AcceptLoss:
		return &PermanentError{err}
	case unknown && accept == redis.RefuseEviction:
		return &PermanentError{fmt.Errorf("%w. If you know by other means that its policy is noeviction, set redis.eviction: %s", err, redis.AcceptUnknown)}
	case evicts || unknown:
		logger.Warn("silent loss accepted", "eviction", c.Redis.Eviction, "error", err)
		return nil
	case err != nil:
		return &pipeline.OutageError{Of: depend.Redis, Err: err}
	case !policy.AppendOnly && !c.StoreInside:
		logger.Warn("no append-only file", "advice", "when Redis restarts, state is rebuilt from the log: set appendonly yes")
	}
	return nil
}

// WatchStore tells the log whenever the store stops working on a server that may throw
// state away, and when it goes on. It returns when ctx ends.
func (n *Connection) WatchStore(ctx context.Context, logger *slog.Logger) {
	n.Store.Watch(ctx, redis.LookEvery, func(err error) {
		if err != nil {
			logger.Error("store unsafe", "error", err, "advice", "work has stopped: set maxmemory-policy noeviction")
			return
		}
		logger.Info("store safe again")
	})
}

// Locked waits until Kafka or Redis has refused a password access.MostTries times and says
// which; nil at the end of ctx.
func (n *Connection) Locked(ctx context.Context) error {
	var of string
	var locked, sentinels <-chan struct{}
	if n.Store != nil {
		locked, sentinels = n.Store.Exhausted(), n.Store.SentinelsExhausted()
	}
	select {
	case <-n.Client.Exhausted():
		of = "kafka.sasl"
	case <-locked:
		of = "redis.password_file, or the user in redis.url"
	case <-sentinels:
		of = "redis.sentinel_username and redis.sentinel_password_file"
	case <-ctx.Done():
		return nil
	}
	return &PermanentError{fmt.Errorf("%w: correct %s", access.ErrExhausted, of)}
}
