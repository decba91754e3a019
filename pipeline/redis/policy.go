package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
)

var (
	// ErrEviction reports a server that throws keys away when memory runs
	// short. A state thrown away is a posterior silently wrong.
	ErrEviction = errors.New("redis may evict state")
	// ErrPolicyUnknown reports a server that does not tell its policy.
	ErrPolicyUnknown = errors.New("redis does not tell its maxmemory-policy")
)

// Policy is what matters of a server's settings; of a cluster, of the worst
// of its masters.
type Policy struct {
	// Eviction is maxmemory-policy.
	Eviction string
	// AppendOnly says that every write goes to the append-only file. Without
	// it a crash puts the store back to its last dump, which costs a replay
	// and nothing else.
	AppendOnly bool
}

// CheckPolicy reads the settings that state depends on. The error is
// ErrEviction where maxmemory-policy is not noeviction, ErrPolicyUnknown
// where neither CONFIG nor INFO may be read, and an outage otherwise; the
// policy is returned as far as it is known.
func (s *Store) CheckPolicy(ctx context.Context) (Policy, error) {
	cluster, ok := s.client.(*goredis.ClusterClient)
	if !ok {
		return checkServer(ctx, s.client)
	}
	var mu sync.Mutex
	worst := Policy{AppendOnly: true}
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
		p, err := checkServer(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		worst.AppendOnly = worst.AppendOnly && p.AppendOnly
		if worst.Eviction == "" || worst.Eviction == "noeviction" {
			worst.Eviction = p.Eviction
		}
		return err
	})
	return worst, err
}

func checkServer(ctx context.Context, c goredis.Cmdable) (Policy, error) {
	eviction, err := setting(ctx, c, "maxmemory-policy", "memory", "maxmemory_policy")
	if err != nil {
		return Policy{}, err
	}
	aof, err := setting(ctx, c, "appendonly", "persistence", "aof_enabled")
	if err != nil && !errors.Is(err, ErrPolicyUnknown) {
		return Policy{Eviction: eviction}, err
	}
	p := Policy{Eviction: eviction, AppendOnly: aof == "yes" || aof == "1"}
	if eviction != "noeviction" {
		return p, fmt.Errorf("%w: maxmemory-policy is %s; run CONFIG SET maxmemory-policy noeviction and put "+
			"\"maxmemory-policy noeviction\" into redis.conf, or choose it in the provider's console", ErrEviction, eviction)
	}
	return p, nil
}

// setting reads a setting by CONFIG, and where the provider forbids that from
// INFO.
func setting(ctx context.Context, c goredis.Cmdable, name, section, field string) (string, error) {
	config, err := c.ConfigGet(ctx, name).Result()
	if err == nil && config[name] != "" {
		return config[name], nil
	}
	var refused goredis.Error
	if err != nil && !errors.As(err, &refused) {
		return "", err
	}
	info, err := c.Info(ctx, section).Result()
	if err != nil {
		if errors.As(err, &refused) {
			return "", fmt.Errorf("%w: %w", ErrPolicyUnknown, err)
		}
		return "", err
	}
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("%w: no %s in INFO", ErrPolicyUnknown, field)
}
