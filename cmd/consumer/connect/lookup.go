package connect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web"
)

// Lookup finds the state of any key in the checkpoint store. It is safe for
// concurrent use.
type Lookup struct {
	Reader pipeline.Reader
	Rules  *pipeline.Rules
	Topic  string
	// Count returns the number of partitions of the topic.
	Count func(ctx context.Context) (int, error)
	// Home is the partition of n that a key belongs to.
	Home func(key []byte, n int) int32

	mu sync.Mutex
	n  int // partitions, 0 before they were counted
}

// Found is one partition that has a model for a key.
type Found struct {
	Partition pipeline.Partition
	value     pipeline.Stored
}

// Model returns the state of a key, nil when it has none. A key that a
// producer with another partitioner sent elsewhere is found, too.
func (l *Lookup) Model(ctx context.Context, key string) (*web.Model, error) {
	all, err := l.Find(ctx, key, true)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	p, f, err := l.Rules.Restore(all[0].Partition, key, all[0].value)
	if errors.Is(err, cdf.ErrSnapshot) || errors.Is(err, cdf.ErrLater) {
		err = fmt.Errorf("%w: %w", pipeline.ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	rule, _ := l.Rules.Rule(key)
	return &web.Model{Posterior: p, Filter: f, Rule: rule, Bytes: len(all[0].value)}, nil
}

// Find returns the partitions that hold a state of the key, the one that it
// belongs to first; with first, no more than one.
func (l *Lookup) Find(ctx context.Context, key string, first bool) ([]Found, error) {
	if _, ok := l.Rules.Match(key); !ok {
		return nil, nil
	}
	n, err := l.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	home := l.Home([]byte(key), n)
	var all []Found
	for i := range n {
		p := pipeline.Partition{Topic: l.Topic, ID: (home + int32(i)) % int32(n)}
		value, err := l.Reader.Get(ctx, p, key)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if all = append(all, Found{p, value}); first {
			break
		}
	}
	return all, nil
}

// Restore returns the posterior of a state that was found.
func (l *Lookup) Restore(key string, f Found) (*pipeline.Posterior, error) {
	p, _, err := l.Rules.Restore(f.Partition, key, f.value)
	return p, err
}

// Partitions asks once: a topic whose count has changed halts all work until
// it is dealt with.
func (l *Lookup) Partitions(ctx context.Context) (int, error) {
	l.mu.Lock()
	n := l.n
	l.mu.Unlock()
	if n > 0 {
		return n, nil
	}
	n, err := l.Count(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	l.n = n
	l.mu.Unlock()
	return n, nil
}

// FirstKeys returns the first keys with a prefix that have a state, in byte order, at
// most limit of them.
func (l *Lookup) FirstKeys(ctx context.Context, prefix string, limit int) ([]string, error) {
	n, err := l.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	for id := range int32(n) {
		some, err := l.Reader.Keys(ctx, pipeline.Partition{Topic: l.Topic, ID: id}, prefix, "", limit)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		slices.Sort(all)
		all = slices.Compact(all)
		all = all[:min(len(all), limit)]
	}
	return all, nil
}
