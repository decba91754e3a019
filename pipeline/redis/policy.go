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
	// ErrCredentials reports a server that takes the user or the password for a wrong one,
	// or that wants one where none was given.
	ErrCredentials = errors.New("redis refuses the user or the password")
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

// CheckPolicy reads the settings that state depends on, whatever Options.Eviction
// accepts. The error is ErrEviction where maxmemory-policy is not noeviction,
// ErrPolicyUnknown where neither INFO nor CONFIG may be read, ErrCredentials, and an outage
// otherwise; the policy is returned as far as it is known.
func (s *Store) CheckPolicy(ctx context.Context) (Policy, error) {
	p, err := s.readPolicy(ctx)
	switch {
	case errors.Is(err, errSentinel):
		return p, fmt.Errorf("%w: %w", ErrCredentials, err)
	case err != nil && locked(err):
		return p, fmt.Errorf("%w (user %q): correct %s: %w", ErrCredentials, s.user, ownKeys, err)
	}
	if errors.Is(err, ErrPolicyUnknown) && goredis.HasErrorPrefix(refusal(err), "NOPERM") {
		return p, fmt.Errorf("%w; allow it: ACL SETUSER %s +info", err, s.user)
	}
	return p, err
}

func (s *Store) readPolicy(ctx context.Context) (Policy, error) {
	cluster, ok := s.client.(*goredis.ClusterClient)
	if !ok {
		return checkServer(ctx, s.client)
	}
	var mu sync.Mutex
	worst, answered := Policy{AppendOnly: true}, false
	var silent error
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
		p, err := checkServer(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !errors.Is(err, ErrEviction) && !errors.Is(err, ErrPolicyUnknown) && !locked(err) {
			silent = err // what another one says of itself counts for more
			return nil
		}
		answered = true
		worst.AppendOnly = worst.AppendOnly && p.AppendOnly
		if worst.Eviction == "" || worst.Eviction == "noeviction" {
			worst.Eviction = p.Eviction
		}
		return err
	})
	switch {
	case err != nil || silent == nil:
		return worst, err
	case !answered:
		return Policy{}, silent
	}
	return worst, &silentError{silent}
}

// silentError reports masters of a cluster that do not answer, while nothing is wrong with those that do.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

func checkServer(ctx context.Context, c goredis.Cmdable) (Policy, error) {
	policy, evicts := eviction(ctx, c)
	if evicts != nil && !errors.Is(evicts, ErrEviction) {
		return Policy{}, evicts
	}
	aof, err := setting(ctx, c, "appendonly", "persistence", "aof_enabled")
	if err != nil && !errors.Is(err, ErrPolicyUnknown) {
		return Policy{Eviction: policy}, err
	}
	return Policy{Eviction: policy, AppendOnly: aof == "yes" || aof == "1"}, evicts
}

// eviction returns a server's maxmemory-policy, and ErrEviction where it is not noeviction.
func eviction(ctx context.Context, c goredis.Cmdable) (policy string, err error) {
	policy, err = setting(ctx, c, "maxmemory-policy", "memory", "maxmemory_policy")
	if err == nil && policy != "noeviction" {
		err = fmt.Errorf("%w: maxmemory-policy is %s; run CONFIG SET maxmemory-policy noeviction and put "+
			"\"maxmemory-policy noeviction\" into redis.conf, or choose it in the provider's console", ErrEviction, policy)
	}
	return policy, err
}

// setting reads a setting by INFO, which needs the smaller permission, and where
// that does not tell by CONFIG.
func setting(ctx context.Context, c goredis.Cmdable, name, section, field string) (string, error) {
	info, err := c.Info(ctx, section).Result()
	if err != nil && !forGood(err) {
		return "", err
	}
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return value, nil
		}
	}
	config, other := c.ConfigGet(ctx, name).Result()
	switch {
	case other == nil && config[name] != "":
		return config[name], nil
	case other != nil && !forGood(other):
		return "", other
	case err == nil:
		err = other
	}
	if err == nil {
		return "", fmt.Errorf("%w: neither INFO %s nor CONFIG GET %s has it", ErrPolicyUnknown, section, name)
	}
	return "", fmt.Errorf("%w: %w", ErrPolicyUnknown, err)
}

// refusal is what a server answered instead of a reply, nil where an error is none.
func refusal(err error) error {
	var refused goredis.Error
	if errors.As(err, &refused) {
		return refused
	}
	return nil
}

// forGood reports that a server answers a question with the refusal to answer it ever. One that
// does not answer now, or wants to know who asks, says nothing about itself.
func forGood(err error) bool {
	refused := refusal(err)
	if refused == nil || locked(err) {
		return false
	}
	for _, prefix := range []string{"BUSY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", crowded} {
		if goredis.HasErrorPrefix(refused, prefix) {
			return false
		}
	}
	return true
}

// crowded begins the answer of a server that has as many connections as it may.
const crowded = "max number of clients reached"

// locked reports that the server wants a password, or another one, or another user.
func locked(err error) bool {
	refused := refusal(err)
	return goredis.HasErrorPrefix(refused, "NOAUTH") || goredis.HasErrorPrefix(refused, "WRONGPASS")
}
