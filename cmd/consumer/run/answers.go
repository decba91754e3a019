package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web"
)

var (
	_ web.Store  = (*Service)(nil)
	_ web.Topics = (*Service)(nil)
)

// started returns the connection once there is a worker; before, why not.
func (s *Service) started() (*connect.Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil, fmt.Errorf("not started: %s", s.waiting)
	}
	return s.conn, nil
}

// Model implements web.Store from the first moment on.
func (s *Service) Model(ctx context.Context, key string) (*web.Model, error) {
	conn, err := s.started()
	if err != nil {
		return nil, err
	}
	return conn.Lookup.Model(ctx, key)
}

// Rule implements web.Store.
func (s *Service) Rule(key string) (pipeline.Rule, bool) { return s.conn.Rules.Rule(key) }

// Keys implements web.Store.
func (s *Service) Keys(ctx context.Context, partition int32, prefix, after string, limit int) ([]string, error) {
	conn, err := s.started()
	if err != nil {
		return nil, err
	}
	return conn.Store.Keys(ctx, pipeline.Partition{Topic: s.config.Kafka.Input, ID: partition}, prefix, after, limit)
}

// Count implements web.Store.
func (s *Service) Count(ctx context.Context, partition int32, prefix string) (int64, error) {
	conn, err := s.started()
	if err != nil {
		return 0, err
	}
	return conn.Store.Count(ctx, pipeline.Partition{Topic: s.config.Kafka.Input, ID: partition}, prefix)
}

// Metas implements web.Store.
func (s *Service) Metas(ctx context.Context) ([]pipeline.Meta, error) {
	conn, err := s.started()
	if err != nil {
		return nil, err
	}
	n, err := conn.Lookup.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	return conn.Metas(ctx, s.config.Kafka.Input, n)
}

// Ends implements web.Topics.
func (s *Service) Ends(ctx context.Context) ([]int64, error) {
	n, err := s.conn.Log.Partitions(ctx, s.config.Kafka.Input)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, n)
	for i := range ends {
		if _, ends[i], err = s.conn.Log.Bounds(ctx, pipeline.Partition{Topic: s.config.Kafka.Input, ID: int32(i)}); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// DeadLetters implements web.Topics. A topic that is not there has none.
func (s *Service) DeadLetters(ctx context.Context, limit int) ([]web.Letter, error) {
	topic := s.config.Kafka.DeadLetters
	state, err := s.conn.Client.Describe(ctx, topic)
	if err != nil || !state.Exists {
		return nil, err
	}
	letters, err := s.conn.Letters()
	if err != nil {
		return nil, err
	}
	return newestLetters(ctx, letters, topic, state.Partitions, limit)
}

// memory returns the bytes of cached states and of records on their way.
func (s *Service) memory() (cache, inflight int64) {
	families, err := s.metrics.Gather()
	if err != nil {
		return 0, 0
	}
	for _, f := range families {
		if len(f.GetMetric()) != 1 {
			continue
		}
		switch v := int64(f.GetMetric()[0].GetGauge().GetValue()); f.GetName() {
		case "credence_cache_bytes":
			cache = v
		case "credence_inflight_bytes":
			inflight = v
		}
	}
	return cache, inflight
}

// commandsOf are what a user types to see the same in a terminal, with the path of
// the program that runs.
func commandsOf(names cli.Names, c *config.Config) web.Commands {
	typed := func(program string, words ...string) string {
		for i, w := range words {
			words[i] = cli.Quote(w)
		}
		return cli.Command(program) + " " + strings.Join(words, " ")
	}
	with := func(words ...string) string { return typed(names.Consumer, append(words, "--config", c.File)...) }
	return web.Commands{
		Key: func(key string) map[string]string {
			if strings.HasPrefix(key, "-") { // not a flag
				return map[string]string{"get": with("get") + " -- " + cli.Quote(key), "tail": with("tail", "--key="+key), "verify": with("verify", "--key="+key)}
			}
			return map[string]string{"get": with("get", key), "tail": with("tail", "--key", key), "verify": with("verify", "--key", key)}
		},
		DeadLetters: func() map[string]string {
			return map[string]string{"list": with("dead-letters", "list"), "replay": with("dead-letters", "replay")}
		},
		Process: func() map[string]string {
			return map[string]string{
				"check": with("check"), "demo": typed(names.Consumer, "demo"),
				"replay": typed(names.Producer, "replay", "--input", "FILE.csv", "--key-column", "COLUMN", "--rows", "100",
					"--topic", c.Kafka.Input, "--brokers", strings.Join(c.Kafka.Brokers, ",")),
			}
		},
	}
}
