package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Memory is a store in memory that passes the contract. It stands for one
// server and one consumer group; processes share it by sharing the pointer.
// The zero value is not ready: use NewMemory.
type Memory struct {
	mu      sync.Mutex
	data    contents
	inject  func(Call) Fault
	replica contents // as it was when it was last replicated
	dies    func(Call) (pipeline.Partition, bool)
}

type contents struct {
	partitions map[pipeline.Partition]partition
	topics     map[string]pipeline.Layout
}

// partition holds values that are never written to, so a shallow copy is a
// copy.
type partition struct {
	meta   pipeline.Meta
	values map[string]pipeline.Stored
	lost   map[string]bool // values that are pointed to and not there
	gone   map[string]bool // keys that are listed and have no value
}

var (
	_ pipeline.Store       = (*Memory)(nil)
	_ pipeline.BatchReader = (*Memory)(nil)
)

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{data: contents{}.clone(), replica: contents{}.clone()} }

// Call says what a store is asked to do.
type Call struct {
	Op         string // claim, load, save, meta, pin, get, keys, replicated, ...
	Partition  pipeline.Partition
	Token      string
	Checkpoint *pipeline.Checkpoint // of a save, not to be written to
}

// Fault is how a call fails.
type Fault int

// The faults: none; an error without effect; an error after the effect, as
// when the reply is lost; no answer until the call's context ends.
const (
	None Fault = iota
	Before
	After
	Hang
)

// ErrInjected is the error of a call that was made to fail.
var ErrInjected = errors.New("injected outage")

// Inject makes calls fail as f says, nil for none. f runs under the store's
// lock and must not call it.
func (m *Memory) Inject(f func(Call) Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inject = f
}

// InjectFailover has the master of a partition die before a call, whatever that is about: it
// is replaced by a replica that lacks what was written and not Replicated. The id -1
// stands for the topic's layout. f is as that of Inject.
func (m *Memory) InjectFailover(f func(Call) (pipeline.Partition, bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dies = f
}

// Snapshot is a store as it was.
type Snapshot struct{ data contents }

// Snapshot returns the store as it is.
func (m *Memory) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Snapshot{m.data.clone()}
}

// Restore puts the store back in time, under whoever uses it.
func (m *Memory) Restore(s Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data, m.replica = s.data.clone(), s.data.clone()
}

// Lose removes a stored value and leaves the count of keys as it is.
func (m *Memory) Lose(p pipeline.Partition, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.data.partitions[p].values, key)
	m.data.partitions[p].gone[key] = true
}

// LoseBlob removes what the stored value of a key points to.
func (m *Memory) LoseBlob(p pipeline.Partition, key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data.partitions[p].lost[key] = true
}

// call runs f under the lock with the fault that is due.
func (m *Memory) call(ctx context.Context, c Call, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.dies != nil {
		if p, ok := m.dies(c); ok {
			m.failOver(p)
		}
	}
	fault := None
	if m.inject != nil {
		fault = m.inject(c)
	}
	switch fault {
	case Before:
		return fmt.Errorf("%s %s: %w", c.Op, c.Partition, ErrInjected)
	case Hang:
		m.mu.Unlock()
		<-ctx.Done()
		m.mu.Lock()
		return ctx.Err()
	}
	if err := f(); err != nil {
		return fmt.Errorf("%s %s: %w", c.Op, c.Partition, err)
	}
	if fault == After {
		return fmt.Errorf("%s %s: %w", c.Op, c.Partition, ErrInjected)
	}
	return nil
}

// Claim implements pipeline.Store.
func (m *Memory) Claim(ctx context.Context, lease pipeline.Lease) (meta pipeline.Meta, err error) {
	err = m.call(ctx, Call{Op: "claim", Partition: lease.Partition, Token: lease.Token}, func() error {
		p := m.data.at(lease.Partition)
		if err := p.count(); err != nil {
			return err
		}
		meta = p.meta
		p.meta.Owner, p.meta.Generation = lease.Token, lease.Generation
		m.data.partitions[lease.Partition] = p
		return nil
	})
	return meta, err
}

// Load implements pipeline.Store.
func (m *Memory) Load(ctx context.Context, lease pipeline.Lease, watermarks []int64, keys []string, most int64) (values []pipeline.Stored, err error) {
	err = m.call(ctx, Call{Op: "load", Partition: lease.Partition, Token: lease.Token}, func() error {
		p := m.data.at(lease.Partition)
		if p.meta.Owner != lease.Token || !slices.Contains(watermarks, p.meta.Watermark) {
			return fmt.Errorf("%w: owner %q, watermark %d", pipeline.ErrFenced, p.meta.Owner, p.meta.Watermark)
		}
		left := most
		for _, key := range keys {
			value, err := p.value(key)
			if p.gone[key] {
				err = fmt.Errorf("%w: key %q is listed and has no value", pipeline.ErrDamaged, key)
			}
			if left -= int64(len(value)); left < 0 && len(values) > 0 {
				return nil
			}
			if err != nil {
				return err
			}
			values = append(values, value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Save implements pipeline.Store.
func (m *Memory) Save(ctx context.Context, lease pipeline.Lease, c pipeline.Checkpoint) error {
	return m.call(ctx, Call{"save", lease.Partition, lease.Token, &c}, func() error {
		if c.From < -1 || c.To < 0 || c.To < c.From || c.To == c.From && len(c.Changes) > 0 {
			return fmt.Errorf("a checkpoint from %d to %d with %d changes", c.From, c.To, len(c.Changes))
		}
		return m.data.save(lease, c)
	})
}

// save is what Save and Amend do.
func (d contents) save(lease pipeline.Lease, c pipeline.Checkpoint) error {
	p := d.at(lease.Partition)
	if p.meta.Owner != lease.Token || p.meta.Watermark != c.From {
		return fmt.Errorf("%w: owner %q, watermark %d", pipeline.ErrFenced, p.meta.Owner, p.meta.Watermark)
	}
	if err := p.count(); err != nil {
		return err
	}
	if c.From == -1 {
		p.meta.Origin = c.Origin
	}
	if c.Topic != "" {
		p.meta.Topic = c.Topic
	}
	if c.Configured != nil || c.From == -1 {
		p.meta.Configured = slices.Clone(c.Configured)
	}
	if c.Gaps != nil || c.From == -1 {
		p.meta.Gaps = slices.Clone(c.Gaps)
	}
	if c.Weights.Bytes != nil {
		p.meta.Weights = c.Weights
	}
	if c.Minutes.By != nil {
		p.meta.Minutes = c.Minutes
	}
	for _, change := range c.Changes {
		delete(p.lost, change.Key)
		delete(p.values, change.Key)
		delete(p.gone, change.Key)
		if change.Value != nil {
			p.values[change.Key] = append(pipeline.Stored{}, change.Value...)
		}
	}
	p.meta.Exists, p.meta.Watermark, p.meta.Last = true, c.To, c.Last
	p.meta.Keys, p.meta.Format = int64(len(p.values)), pipeline.StateFormat
	d.partitions[lease.Partition] = p
	return nil
}

// Meta implements pipeline.Store.
func (m *Memory) Meta(ctx context.Context, p pipeline.Partition) (meta pipeline.Meta, err error) {
	err = m.call(ctx, Call{Op: "meta", Partition: p}, func() error {
		meta = m.data.at(p).meta
		return nil
	})
	return meta, err
}

// Pin implements pipeline.Store.
func (m *Memory) Pin(ctx context.Context, topic string, partitions int) (stored int, err error) {
	err = m.call(ctx, Call{Op: "pin", Partition: pipeline.Partition{Topic: topic}}, func() error {
		l := m.data.layout(topic)
		if l.Partitions == pipeline.Unbegun {
			l.Partitions = partitions
			m.data.topics[topic] = l
		}
		stored = l.Partitions
		return nil
	})
	return stored, err
}

// Get implements pipeline.Reader.
func (m *Memory) Get(ctx context.Context, p pipeline.Partition, key string) (value pipeline.Stored, err error) {
	err = m.call(ctx, Call{Op: "get", Partition: p}, func() error {
		value, err = m.data.at(p).value(key)
		return err
	})
	return value, err
}

// GetBatch implements pipeline.BatchReader.
func (m *Memory) GetBatch(ctx context.Context, p pipeline.Partition, keys []string, most int64) (values []pipeline.Stored, err error) {
	err = m.call(ctx, Call{Op: "several", Partition: p}, func() error {
		left := most
		for _, key := range keys {
			value, err := m.data.at(p).value(key)
			if err != nil {
				value = nil // Get says why
			}
			if left -= int64(len(value)); left < 0 && len(values) > 0 {
				break
			}
			values = append(values, value)
		}
		return nil
	})
	return values, err
}

// Keys implements pipeline.Reader.
func (m *Memory) Keys(ctx context.Context, p pipeline.Partition, prefix, after string, limit int) (keys []string, err error) {
	err = m.call(ctx, Call{Op: "keys", Partition: p}, func() error {
		for _, key := range slices.Sorted(maps.Keys(m.data.at(p).values)) {
			if len(keys) < limit && strings.HasPrefix(key, prefix) && (after == "" || key > after) {
				keys = append(keys, key)
			}
		}
		return nil
	})
	return keys, err
}

// Count implements pipeline.Reader.
func (m *Memory) Count(ctx context.Context, p pipeline.Partition, prefix string) (n int64, err error) {
	err = m.call(ctx, Call{Op: "count", Partition: p}, func() error {
		part := m.data.at(p)
		for key := range part.values {
			if strings.HasPrefix(key, prefix) {
				n++
			}
		}
		for key := range part.gone { // it is listed
			if strings.HasPrefix(key, prefix) {
				n++
			}
		}
		return nil
	})
	return n, err
}

// Weigh implements pipeline.Store.
func (m *Memory) Weigh(ctx context.Context, p pipeline.Partition, prefix string, most int) (sum quota.Sum, err error) {
	err = m.call(ctx, Call{Op: "weigh", Partition: p}, func() error {
		values := m.data.at(p).values
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if strings.HasPrefix(key, prefix) && sum.Keys < int64(most) {
				sum.Keys, sum.Bytes = sum.Keys+1, sum.Bytes+int64(len(values[key]))
			}
		}
		return nil
	})
	return sum, err
}

// count reports whether meta counts the values that are there.
func (p partition) count() error {
	if p.meta.Keys != int64(len(p.values)) {
		return fmt.Errorf("%w: meta counts %d keys, there are %d", pipeline.ErrDamaged, p.meta.Keys, len(p.values))
	}
	return nil
}

// value returns a copy, nil where there is none.
func (p partition) value(key string) (pipeline.Stored, error) {
	if p.lost[key] {
		return nil, fmt.Errorf("%w: the blob of key %q is missing", pipeline.ErrDamaged, key)
	}
	return bytes.Clone(p.values[key]), nil
}

// at returns a partition, which may be a new one that is not in c yet.
func (c contents) at(p pipeline.Partition) partition {
	if stored, ok := c.partitions[p]; ok {
		return stored
	}
	return partition{
		meta:   pipeline.Meta{Watermark: -1, Last: pipeline.Last{Offset: -1}},
		values: map[string]pipeline.Stored{},
		lost:   map[string]bool{},
		gone:   map[string]bool{},
	}
}

func (c contents) clone() contents {
	d := contents{map[pipeline.Partition]partition{}, map[string]pipeline.Layout{}}
	for id, p := range c.partitions {
		d.partitions[id] = partition{p.meta, maps.Clone(p.values), maps.Clone(p.lost), maps.Clone(p.gone)}
	}
	maps.Copy(d.topics, c.topics)
	return d
}
