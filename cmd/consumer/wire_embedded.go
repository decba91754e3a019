package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	servers "github.com/credence-stream/credence/internal/embedded"
)

// usual are the addresses of the defaults, by which other programs find the
// servers of `run`.
var usual = servers.Options{Kafka: "127.0.0.1:9092", Redis: "127.0.0.1:6379"}

// usesEmbedded reports whether the configuration asks for a server inside
// the process.
func usesEmbedded(c *config) bool {
	return slices.Contains(c.Kafka.Brokers, embedded) || c.Redis.URL == embedded
}

// startEmbedded starts the servers that the configuration asks for inside the
// process, says where they listen and puts their addresses into it. What it
// returns ends them.
func startEmbedded(ctx context.Context, c *config, o servers.Options, logger *slog.Logger) (end func(), err error) {
	if !usesEmbedded(c) {
		return func() {}, nil
	}
	env, err := servers.Start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("embedded servers: %w", err)
	}
	if slices.Contains(c.Kafka.Brokers, embedded) {
		c.Kafka.Brokers = env.Brokers()
		logger.Info("embedded broker listens; its records end with this process", slog.String("kafka.brokers", c.Kafka.Brokers[0]))
	}
	if c.Redis.URL == embedded {
		c.Redis.URL, c.storeInside = env.RedisURL(), true
		logger.Info("embedded store listens; its states end with this process", slog.String("redis.url", c.Redis.URL))
	}
	return func() { _ = env.Close() }, nil
}
