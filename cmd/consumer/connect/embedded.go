package connect

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	servers "github.com/credence-stream/credence/internal/embedded"
)

// Usual are the addresses of the defaults, by which other programs find the
// servers of `run`.
var Usual = servers.Options{Kafka: "127.0.0.1:9092", Redis: "127.0.0.1:6379"}

// UsesEmbedded reports whether the configuration asks for a server inside
// the process.
func UsesEmbedded(c *config.Config) bool {
	return slices.Contains(c.Kafka.Brokers, config.Embedded) || c.Redis.URL == config.Embedded
}

// StartEmbedded starts the servers that the configuration asks for inside the
// process, says where they listen and puts their addresses into it. What it
// returns is nil where there are none.
func StartEmbedded(ctx context.Context, c *config.Config, o servers.Options, logger *slog.Logger) (*Servers, error) {
	if !UsesEmbedded(c) {
		return nil, nil
	}
	env, err := servers.Start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("embedded servers: %w", cli.Temporary(err))
	}
	if slices.Contains(c.Kafka.Brokers, config.Embedded) {
		c.Kafka.Brokers = env.Brokers()
		logger.Info("embedded broker listens", slog.String("kafka.brokers", c.Kafka.Brokers[0]))
	}
	if c.Redis.URL == config.Embedded {
		c.Redis.URL, c.StoreInside = env.RedisURL(), true
		logger.Info("embedded store listens", slog.String("redis.url", c.Redis.URL))
	}
	return &Servers{env}, nil
}

// Servers are those inside the process. A nil *Servers stands for none.
type Servers struct{ env *servers.Env }

// Watch returns nil when ctx ends, or before that an error once the broker cannot write
// its log.
func (s *Servers) Watch(ctx context.Context) error {
	if s == nil {
		return nil
	}
	return cli.Temporary(s.env.Watch(ctx))
}

// End ends them.
func (s *Servers) End() {
	if s != nil {
		_ = s.env.Close()
	}
}
