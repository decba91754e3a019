package models_test

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// flagged counts the streams that have a flag at any shard and at the last, by what a stream tells: the first shard with it, 0 for none, and
// whether the last has it. first is the mean of those shards.
func flagged(t *testing.T, streams int, stream func(s int) (first int, last bool, err error)) (ever, end int, first float64) {
	t.Helper()
	var mu sync.Mutex
	modeltest.EachStream(streams, func(s int) {
		at, last, err := stream(s)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		if at > 0 {
			ever++
			first += float64(at)
		}
		if last {
			end++
		}
	})
	return ever, end, first / float64(ever)
}

// flaggedHeld is flagged of streams at whose end an interval may hold the truth, which it counts.
func flaggedHeld(t *testing.T, streams int, stream func(s int) (first int, last, held bool, err error)) (ever, end int, first float64, held int64) {
	t.Helper()
	var in atomic.Int64
	ever, end, first = flagged(t, streams, func(s int) (int, bool, error) {
		at, last, held, err := stream(s)
		if held {
			in.Add(1)
		}
		return at, last, err
	})
	return ever, end, first, in.Load()
}

// takenBack takes each of a key's first shards back and in again: the state is that of before, and one that was read goes on
// as one that was not.
func takenBack(t *testing.T, spec *cdf.Spec, shards int, batch func(shard int) *cdf.Batch) {
	t.Helper()
	f, g := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
	for shard := range shards {
		b := batch(shard)
		before, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
		if err := f.Revert(); err != nil {
			t.Fatal(err)
		}
		if now, err := f.MarshalBinary(); err != nil || !bytes.Equal(now, before) {
			t.Errorf("%s: after shard %d was taken back the state is another one, %v", spec.Kind, shard+1, err)
		}
		if err := g.UnmarshalBinary(before); err != nil {
			t.Fatal(err)
		}
		for _, f := range []*cdf.Filter{f, g} {
			if _, err := f.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		here, err := f.MarshalBinary()
		there, other := g.MarshalBinary()
		if err != nil || other != nil || !bytes.Equal(here, there) {
			t.Errorf("%s: after shard %d a state that was read is another one", spec.Kind, shard+1)
		}
	}
}

// numbered are features x0, x1 ...
func numbered(columns int) (all []cdf.Feature) {
	for j := range columns {
		all = append(all, cdf.Feature{Name: fmt.Sprint("x", j)})
	}
	return all
}

// numberedBatch makes a shard, counted from 0, of columns x0, x1 ... and y.
func numberedBatch(shard int, x [][]float64, y []float64) *cdf.Batch {
	var d simulate.Data
	for j := range x {
		d.Append(fmt.Sprint("x", j), x[j])
	}
	d.Append("y", y)
	return d.Batch(int64(shard + 1))
}
