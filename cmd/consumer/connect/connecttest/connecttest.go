// Package connecttest offers a checkpoint store of fixed states to tests.
package connecttest

import (
	"context"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
)

// Shelf is a store of fixed states.
type Shelf struct {
	Err    error
	Held   map[int32][]string // keys by partition
	Values map[int32]map[string]pipeline.Stored
}

// Get implements pipeline.Reader.
func (s Shelf) Get(_ context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
	return s.Values[p.ID][key], s.Err
}

// Keys implements pipeline.Reader.
func (s Shelf) Keys(_ context.Context, p pipeline.Partition, _, _ string, _ int) ([]string, error) {
	return s.Held[p.ID], nil
}

// Count implements pipeline.Reader.
func (s Shelf) Count(_ context.Context, p pipeline.Partition, _ string) (int64, error) {
	return int64(len(s.Held[p.ID])), nil
}

// ByLength puts keys into partitions by their length.
func ByLength(key []byte, n int) int32 { return int32(len(key) % n) }

// storedState returns what a worker would store for a key after one shard.
func storedState(t *testing.T, spec *cdf.Spec, key string, offset int64) pipeline.Stored {
	t.Helper()
	f := cdf.NewFilter(spec, key)
	x, y := []float64{1, 2, 3, 4}, []float64{1.1, 1.9, 3.2, 3.9}
	if _, err := f.Update(&cdf.Batch{Rows: 4, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}}); err != nil {
		t.Fatal(err)
	}
	snapshot, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	e := pipeline.Envelope{Offset: offset, Time: 978307200000, Snapshot: snapshot}
	b, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Lookup returns the lookup of linear models by keys a*, with states of the
// keys in four partitions.
func Lookup(t *testing.T, keys map[int32][]string) *connect.Lookup {
	t.Helper()
	c := configtest.Parse(t, `models: [{match: "a*", kind: linear}]`)
	rules, err := pipeline.NewRules(connect.RulesOf(c), pipeline.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := Shelf{Held: keys, Values: map[int32]map[string]pipeline.Stored{}}
	for id, keys := range keys {
		for _, key := range keys {
			if s.Values[id] == nil {
				s.Values[id] = map[string]pipeline.Stored{}
			}
			s.Values[id][key] = storedState(t, c.Models[0].Spec, key, 100+int64(id))
		}
	}
	return &connect.Lookup{
		Reader: s, Rules: rules, Topic: "shards", Home: ByLength,
		Count: func(context.Context) (int, error) { return 4, nil },
	}
}
