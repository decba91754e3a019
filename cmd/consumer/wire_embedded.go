package main

import (
	"context"
	"fmt"
	"slices"

	servers "github.com/credence-stream/credence/testenv/embedded"
)

// usesEmbedded reports whether the configuration asks for a server inside
// the process.
func usesEmbedded(c *config) bool {
	return slices.Contains(c.Kafka.Brokers, embedded) || c.Redis.URL == embedded
}

// startEmbedded starts the servers that the configuration asks for inside the
// process and puts their addresses into it. What it returns ends them.
func startEmbedded(ctx context.Context, c *config) (end func(), err error) {
	if !usesEmbedded(c) {
		return func() {}, nil
	}
	env, err := servers.Start(ctx, servers.Options{})
	if err != nil {
		return nil, fmt.Errorf("embedded servers: %w", err)
	}
	if slices.Contains(c.Kafka.Brokers, embedded) {
		c.Kafka.Brokers = env.Brokers()
	}
	if c.Redis.URL == embedded {
		c.Redis.URL, c.storeInside = env.RedisURL(), true
	}
	return func() { _ = env.Close() }, nil
}
