//go:build unix

package integration

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"
)

// column is a column of a shard: []float64, []*float64, []*int64, []bool or
// []string.
type column struct {
	name   string
	values any
}

// stream writes columns as an Arrow IPC stream of one batch.
func stream(t *testing.T, options []ipc.Option, columns ...column) []byte {
	t.Helper()
	fields := make([]arrow.Field, len(columns))
	arrays := make([]arrow.Array, len(columns))
	rows := int64(0)
	for i, c := range columns {
		arrays[i] = c.array(t)
		fields[i] = arrow.Field{Name: c.name, Type: arrays[i].DataType(), Nullable: true}
		rows = int64(arrays[i].Len())
	}
	schema := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append([]ipc.Option{ipc.WithSchema(schema)}, options...)...)
	if err := w.Write(array.NewRecord(schema, arrays, rows)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (c column) array(t *testing.T) arrow.Array {
	t.Helper()
	switch v := c.values.(type) {
	case []float64:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(v, nil)
		return b.NewArray()
	case []*float64:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for _, x := range v {
			if x == nil {
				b.AppendNull()
			} else {
				b.Append(*x)
			}
		}
		return b.NewArray()
	case []*int64:
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for _, x := range v {
			if x == nil {
				b.AppendNull()
			} else {
				b.Append(*x)
			}
		}
		return b.NewArray()
	case []bool:
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		b.AppendValues(v, nil)
		return b.NewArray()
	case []string:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(v, nil)
		return b.NewArray()
	}
	t.Fatalf("column %s has type %T", c.name, c.values)
	return nil
}

// feeder sends shards of y = 1 + 2x + noise to the keys in turn, and knows how
// many.
type feeder struct {
	client *kgo.Client
	topic  string
	keys   []string
	rng    *rand.Rand
	shards int64
}

const feederRows = 5

func (w *world) feeder(t *testing.T, keys int) *feeder {
	f := &feeder{client: franz(t, w.env), topic: w.input, rng: rand.New(rand.NewPCG(3, 5))}
	for i := range keys {
		f.keys = append(f.keys, fmt.Sprintf("k/%d", i))
	}
	return f
}

func (f *feeder) next(t *testing.T) *kgo.Record {
	x, y := make([]float64, feederRows), make([]float64, feederRows)
	for i := range x {
		x[i] = f.rng.NormFloat64()
		y[i] = 1 + 2*x[i] + f.rng.NormFloat64()/2
	}
	key := f.keys[f.shards%int64(len(f.keys))]
	f.shards++
	return &kgo.Record{Topic: f.topic, Key: []byte(key), Value: stream(t, nil, column{"x", x}, column{"y", y})}
}

// send sends n shards.
func (f *feeder) send(t *testing.T, n int) {
	t.Helper()
	all := make([]*kgo.Record, n)
	for i := range all {
		all[i] = f.next(t)
	}
	send(t, f.client, all...)
}

// flow sends a shard every so often until the returned function is called,
// which returns when all of them are acknowledged.
func (f *feeder) flow(t *testing.T, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	var failed atomic.Pointer[error]
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f.client.Produce(context.WithoutCancel(ctx), f.next(t), func(_ *kgo.Record, err error) {
					if err != nil {
						failed.Store(&err)
					}
				})
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		t.Helper()
		cancel()
		<-done
		if err := f.client.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := failed.Load(); err != nil {
			t.Fatal(*err)
		}
	}
}

// complete fails unless every key has all the rows that were sent to it.
func (f *feeder) complete(t *testing.T, w *world, args ...string) map[string]posterior {
	t.Helper()
	all := map[string]posterior{}
	var twice map[string]int64
	for i, key := range f.keys {
		n := f.shards / int64(len(f.keys))
		if int64(i) < f.shards%int64(len(f.keys)) {
			n++
		}
		if n == 0 {
			continue
		}
		p := w.get(t, key, args...)
		if p.T > n {
			if twice == nil {
				twice = w.repeated(t)
			}
			n += twice[key]
		}
		if p.T != n || p.N != n*feederRows {
			t.Errorf("key %s: t %d, n %d; the topic has %d shards of %d rows", key, p.T, p.N, n, feederRows)
		}
		all[key] = p
	}
	return all
}

// repeated is how many records of each key are in the input again. A broker that is killed
// and comes back may take what it has not acknowledged a second time.
func (w *world) repeated(t *testing.T) map[string]int64 {
	t.Helper()
	seen, twice := map[string]bool{}, map[string]int64{}
	for _, r := range read(t, w.env, w.input) {
		if seen[string(r.Value)] {
			twice[string(r.Key)]++
		}
		seen[string(r.Value)] = true
	}
	t.Logf("records that the topic has twice: %v", twice)
	return twice
}
