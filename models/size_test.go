package models

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// TestSizeIsTheHeap holds what filters say they take, which bounds the cache of
// states, against the heap of many keys. No test runs beside it.
func TestSizeIsTheHeap(t *testing.T) {
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			s := streamOf(k)
			t.Run(k.Name+"/"+variant, func(t *testing.T) { sizeIsTheHeap(t, s, s.spec(t, variant), 100, 4) })
			if s.Groups != kind.NoGroups {
				t.Run(k.Name+"/"+variant+"/many groups", func(t *testing.T) { sizeIsTheHeap(t, s, s.spec(t, variant), 15, 40) })
			}
		}
	}
	for _, f := range forms {
		k, _ := Lookup(f.kind)
		s := streamOf(k)
		s.settings = f.settings
		t.Run(f.kind+"/"+f.name, func(t *testing.T) { sizeIsTheHeap(t, s, s.spec(t, f.variant), 100, 4) })
	}
}

func sizeIsTheHeap(t *testing.T, s stream, spec *cdf.Spec, keys, groups int) {
	r := rand.New(rand.NewPCG(7, 7))
	shards := []*cdf.Batch{s.shard(r, 3*groups), s.shard(r, 3*groups), s.shard(r, 3*groups)}
	for _, b := range shards {
		regroup(b, groups)
	}
	work := cdf.NewWorkspace()
	update := func(key string) *cdf.Filter {
		f := cdf.NewFilter(spec, key)
		f.Share(work)
		for _, b := range shards {
			if _, err := f.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
		return f
	}
	update("first") // makes what all keys share
	filters := make([]*cdf.Filter, keys)
	before := heap()
	for i := range filters {
		filters[i] = update("key-" + strconv.Itoa(i))
	}
	held := heap() - before
	said := 0.0
	for _, f := range filters {
		said += float64(f.Size())
	}
	runtime.KeepAlive(work)
	if ratio := said / held; math.Abs(ratio-1) > .15 {
		t.Errorf("a key takes %.0f bytes and says %.0f: %.2f of it", held/float64(keys), said/float64(keys), ratio)
	}
}

// regroup gives every row of a shard one of n groups.
func regroup(b *cdf.Batch, n int) {
	for i := range b.Columns {
		c := &b.Columns[i]
		if c.Name != "g" {
			continue
		}
		c.Levels = nil
		for g := range n {
			c.Levels = append(c.Levels, "group-"+strconv.Itoa(g))
		}
		for row := range c.Code {
			c.Code[row] = int32(row % n)
		}
	}
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools had kept is let go by the second
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
