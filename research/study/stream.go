package study

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// Stream is the data of one replication. All methods see the same.
type Stream struct {
	// Shard returns shard t, from 1. The batch is the caller's.
	Shard func(t int64) *cdf.Batch
	// Truth returns what shard t was made with, by the names under which it
	// is published; nil where nobody knows.
	Truth func(t int64) map[string]float64
	// Fresh are rows that no method absorbs, for predictions; nil: none.
	Fresh *cdf.Batch
}

// scenario opens a scenario of models/simulate, with as many fresh rows.
func scenario(name string, fresh int) func(Options) (Open, error) {
	return func(Options) (Open, error) {
		s, ok := simulate.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("no scenario %s", name)
		}
		return func(seed uint64, shards int64) (*Stream, error) {
			return simulated(s, seed, shards, fresh), nil
		}, nil
	}
}

// simulated is a stream of a scenario. The rows of shard 2^32 are fresh ones.
func simulated(s simulate.Scenario, seed uint64, shards int64, fresh int) *Stream {
	const key, beyond = "paper", 1 << 32
	out := &Stream{
		Shard: func(t int64) *cdf.Batch { return batch(s.Shard(seed, key, t, s.Rows), t) },
		Truth: func(t int64) map[string]float64 { return truths(s.Truth(seed, key, t)) },
	}
	if fresh > 0 {
		out.Fresh = batch(s.Shard(seed, key, beyond, fresh), shards+1)
	}
	return out
}

func truths(list []simulate.Truth) map[string]float64 {
	out := make(map[string]float64, len(list))
	for _, v := range list {
		out[v.Variable] = v.Value
	}
	return out
}

// batch returns simulated columns as shard t.
func batch(d simulate.Data, t int64) *cdf.Batch { return d.Batch(1000 * t) }

// join returns shards 1 to t of a stream as one.
func (s *Stream) join(t int64) *cdf.Batch {
	all := s.Shard(1)
	for j := range all.Columns {
		c := &all.Columns[j]
		c.Number = slices.Grow(c.Number, int(t-1)*all.Rows)
	}
	for i := int64(2); i <= t; i++ {
		b := s.Shard(i)
		all.Rows, all.Time = all.Rows+b.Rows, b.Time
		for j := range all.Columns {
			c := &all.Columns[j]
			c.Number = append(c.Number, b.Columns[j].Number...)
			c.Int = append(c.Int, b.Columns[j].Int...)
		}
	}
	return all
}

// response returns the response of the rows.
func response(b *cdf.Batch) []float64 {
	i := slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == "y" })
	return b.Columns[i].Number
}
