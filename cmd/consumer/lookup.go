package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web"
)

// lookup finds the state of any key in the checkpoint store. It is safe for
// concurrent use.
type lookup struct {
	reader pipeline.Reader
	rules  *pipeline.Rules
	topic  string
	// count returns the number of partitions of the topic.
	count func(ctx context.Context) (int, error)
	// home is the partition of n that a key belongs to.
	home func(key []byte, n int) int32

	mu sync.Mutex
	n  int // partitions, 0 before they were counted
}

// found is one partition that has a model for a key.
type found struct {
	partition pipeline.Partition
	value     pipeline.Stored
}

// model returns the state of a key, nil when it has none. A key that a
// producer with another partitioner sent elsewhere is found, too.
func (l *lookup) model(ctx context.Context, key string) (*web.Model, error) {
	all, err := l.find(ctx, key, true)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	p, f, err := l.rules.Restore(all[0].partition, key, all[0].value)
	if errors.Is(err, cdf.ErrSnapshot) {
		err = fmt.Errorf("%w: %w", pipeline.ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	rule, _ := l.rules.Rule(key)
	return &web.Model{Posterior: p, Filter: f, Rule: rule, Bytes: len(all[0].value)}, nil
}

// find returns the partitions that hold a state of the key, the one that it
// belongs to first; with first, no more than one.
func (l *lookup) find(ctx context.Context, key string, first bool) ([]found, error) {
	if _, ok := l.rules.Match(key); !ok {
		return nil, nil
	}
	n, err := l.partitions(ctx)
	if err != nil {
		return nil, err
	}
	home := l.home([]byte(key), n)
	var all []found
	for i := range n {
		p := pipeline.Partition{Topic: l.topic, ID: (home + int32(i)) % int32(n)}
		value, err := l.reader.Get(ctx, p, key)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if all = append(all, found{p, value}); first {
			break
		}
	}
	return all, nil
}

func (l *lookup) restore(key string, f found) (*pipeline.Posterior, error) {
	p, _, err := l.rules.Restore(f.partition, key, f.value)
	return p, err
}

// partitions asks once: a topic whose count has changed halts all work until
// it is dealt with.
func (l *lookup) partitions(ctx context.Context) (int, error) {
	l.mu.Lock()
	n := l.n
	l.mu.Unlock()
	if n > 0 {
		return n, nil
	}
	n, err := l.count(ctx)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	l.n = n
	l.mu.Unlock()
	return n, nil
}
