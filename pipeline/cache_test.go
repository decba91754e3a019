package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/quota"
	"github.com/credence-stream/credence/pipeline/shelf"
)

func TestCacheEvictsOnlyCleanIdleEntriesOldestFirst(t *testing.T) {
	c := newCache()
	const each = entryOverhead + 1
	packed := shelf.SizeOf("0", 0)
	entries := make([]*entry, 6)
	for i := range entries {
		entries[i] = &entry{key: fmt.Sprint(i), size: each, state: &keyState{}}
		c.add(entries[i])
	}
	entries[0].cut = 1     // dirty
	entries[1].pending = 1 // at work
	for _, e := range entries {
		c.rest(e)
	}
	c.rest(c.get("2")) // used again: the newest now
	if n := c.evict(2*each + packed + 1); n != 3 {
		t.Fatalf("%d entries went, want 3", n)
	}
	for i, want := range []bool{true, true, true, false, false, false} {
		if got := c.get(fmt.Sprint(i)) != nil; got != want {
			t.Errorf("entry %d in the cache: %v, want %v", i, got, want)
		}
	}
	c.rest(c.get("2"))
	if n := c.evict(0); n != 1 || c.size() != 2*each {
		t.Errorf("%d more went and %d bytes stay, want 1 and those of two: dirty and busy entries stay", n, c.size())
	}
}

// TestCacheEvictsInOrderOfUse: whether a state is packed, or would not be smaller packed,
// decides nothing.
func TestCacheEvictsInOrderOfUse(t *testing.T) {
	spec, _ := toyRules().Match("k")
	const n = 6
	whole := &keyState{spec: spec, model: &opened{filter: cdf.NewFilter(spec, "k")}}
	limit := (openShare - 1) * whole.size("k") // all but models at hand have room
	for gone := range n {
		c := newCache()
		for i := range n {
			e := &entry{key: fmt.Sprint(i), state: &keyState{spec: spec, stored: make(Stored, 10)}}
			if i%2 == 0 {
				e.state = &keyState{spec: spec, model: &opened{filter: cdf.NewFilter(spec, e.key)}}
			}
			e.size = e.state.size(e.key)
			c.add(e)
			c.rest(e)
			c.evict(limit)
		}
		if len(c.entries) != n/2 || c.packed.Len() != n/2 {
			t.Fatalf("%d states are whole and %d packed", len(c.entries), c.packed.Len())
		}
		for range gone {
			if m := c.evict(c.size() - 1); m != 1 {
				t.Fatalf("%d states went for a byte", m)
			}
		}
		for i := range n {
			if there := c.get(fmt.Sprint(i)) != nil; there != (i >= gone) {
				t.Errorf("after %d went, %d is there: %v", gone, i, there)
			}
		}
	}
}

func TestCacheResize(t *testing.T) {
	spec, _ := toyRules().Match("k")
	c := newCache()
	e := &entry{key: "k", size: 100, state: &keyState{spec: spec, model: &opened{filter: cdf.NewFilter(spec, "k")}}}
	c.add(e)
	c.resize(e, 250)
	if c.bytes != 250 {
		t.Errorf("%d bytes, want 250", c.bytes)
	}
	c.rest(e)
	c.rest(e)
	c.remove(e)
	if c.size() != 0 || c.open != (list{}) {
		t.Errorf("the cache is not empty: %+v", c)
	}
}

// TestPackedStateComesBack: with its model and what its tenant knows of it, once; and a key
// whose state is absent stays one that is known to be.
func TestPackedStateComesBack(t *testing.T) {
	r := toyRules()
	c := newCache()
	for i := range 100 {
		key := fmt.Sprint("k", i)
		spec, _ := r.Match(key)
		e := &entry{key: key, state: &keyState{spec: spec}, tenant: quota.Key{Place: int16(i), Lives: i%3 > 0}}
		if i%3 > 0 {
			e.state.stored = bytes.Repeat([]byte{byte(i)}, i)
			e.stored = uint32(i)
		}
		e.size = e.state.size(key)
		c.add(e)
		c.rest(e)
	}
	if len(c.entries) != 0 || c.bytes != 0 {
		t.Fatalf("%d entries of %d bytes are left", len(c.entries), c.bytes)
	}
	for i := range 100 {
		key := fmt.Sprint("k", i)
		spec, _ := r.Match(key)
		e := c.get(key)
		switch {
		case e == nil:
			t.Fatalf("%s is not there", key)
		case c.get(key) != e:
			t.Fatalf("%s is there twice", key)
		case e.state.spec != spec, e.tenant != quota.Key{Place: int16(i), Lives: i%3 > 0}, len(e.state.stored) != int(e.stored), e.size != e.state.size(key):
			t.Errorf("%s comes back as %+v", key, e)
		case i%3 == 0 && e.state.stored != nil, i%3 > 0 && !bytes.Equal(e.state.stored, bytes.Repeat([]byte{byte(i)}, i)):
			t.Errorf("%s comes back with %x", key, e.state.stored)
		}
	}
	if c.packed.Len() != 0 || c.get("other") != nil {
		t.Errorf("%d states are packed and at hand", c.packed.Len())
	}
}

// TestModelsAtRestArePacked: of models that were not used for longest the stored
// bytes are kept, from which they are opened to the same state.
func TestModelsAtRestArePacked(t *testing.T) {
	const n = 8
	spec, ok := toyRules().Match("k0")
	if !ok {
		t.Fatal("no model")
	}
	c, room := newCache(), []byte(nil) // of a lane
	values, open := map[string]Stored{}, int64(0)
	for i := range n {
		key := fmt.Sprint("k", i)
		s := &keyState{spec: spec, model: &opened{filter: cdf.NewFilter(spec, key), env: Envelope{Offset: int64(i)}}}
		for range i + 1 {
			if _, err := s.model.filter.Update(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{1}}}}); err != nil {
				t.Fatal(err)
			}
		}
		value, err := s.encode(&room)
		if err != nil {
			t.Fatal(err)
		}
		values[key] = value
		e := &entry{key: key, state: s, size: s.size(key)}
		open = max(open, e.size)
		c.add(e)
		c.rest(e)
	}
	limit := openShare * 3 * open // room for three models at hand and all that are packed
	if gone := c.evict(limit); gone != 0 || c.size() > limit {
		t.Fatalf("%d states went, %d bytes are left of %d", gone, c.size(), limit)
	}
	size, held := c.size(), int64(0)
	for i := range n {
		key := fmt.Sprint("k", i)
		e := c.get(key)
		if held += e.state.size(key); e.state.model == nil {
			held += shelf.SizeOf(key, len(values[key])) - e.state.size(key)
		}
		if packed := e.state.model == nil; packed != (i < n-3) {
			t.Errorf("state %d is packed: %v", i, packed)
		}
		if err := e.state.open(key, cdf.NewWorkspace()); err != nil {
			t.Fatal(err)
		}
		if value, err := e.state.encode(&room); err != nil || !bytes.Equal(value, values[key]) {
			t.Errorf("state %d is another one after it was packed (%v)", i, err)
		}
	}
	if size > held || size < held/2 { // states that are alike take less
		t.Errorf("the cache says that it holds %d bytes, and holds %d at most", size, held)
	}
}

// TestChangedStateIsNotPacked: what the store does not have yet is kept as it is.
func TestChangedStateIsNotPacked(t *testing.T) {
	e := &entry{state: &keyState{stored: Stored{1}, model: &opened{filter: new(cdf.Filter)}}, size: 1000}
	l := &lane{}
	l.touch(e)
	if e.state.pack(e.size) != nil {
		t.Error("a change is lost")
	}
}

// TestModelsUsedOnceArePacked: a new key's model is packed at once, and where models at
// hand crowd the cache a cut leaves only those that were used more than once since they
// were opened. What it hands over is no other.
func TestModelsUsedOnceArePacked(t *testing.T) {
	for _, crowded := range []bool{false, true} {
		l := newKeysLane()
		l.apply(t, "k1 1", "k2 1")
		l.cut(t, false)
		for _, key := range []string{"k1", "k2"} {
			if l.keys[key].state.model != nil {
				t.Errorf("%s is new and at hand", key)
			}
		}
		l.apply(t, "k1 2", "k2 2", "k1 3")
		changes := l.cut(t, crowded)
		for _, key := range []string{"k1", "k2"} {
			s := l.keys[key].state
			if packed := s.model == nil; packed != (crowded && key == "k2") {
				t.Errorf("%s is packed: %v", key, packed)
			}
			if value := l.again(t, key); !bytes.Equal(value, changes[key]) {
				t.Errorf("%s is another state after the cut", key)
			}
		}
	}
	c := newCache()
	c.open.bytes = 75
	if !c.crowded(100*openShare) || c.crowded(102*openShare) {
		t.Error("three quarters of what models at hand may take are not where they crowd it")
	}
}

// TestPackedBeforeItIsSaved: a key that was packed and not saved yet may be changed, deleted
// and begun anew. The cut hands over what it is by then, as if it had been at hand.
func TestPackedBeforeItIsSaved(t *testing.T) {
	l := newKeysLane()
	l.apply(t, "k1 1", "k2 1", "k3 1", "k4 1", "k5 5", "k2 2", "k3", "k4", "k4 1")
	changes := l.cut(t, false)
	if len(changes) != 5 {
		t.Fatalf("%d changes, want those of five keys", len(changes))
	}
	if changes["k3"] != nil {
		t.Error("a deleted key is stored")
	}
	for key, n := range map[string]int64{"k1": 1, "k2": 2, "k4": 1, "k5": 1} {
		s, err := ParseStored(key, changes[key])
		if err != nil || s.T != n {
			t.Errorf("%s is stored with %d shards, want %d (%v)", key, s.T, n, err)
		}
		if !bytes.Equal(l.again(t, key), changes[key]) {
			t.Errorf("%s is another state after the cut", key)
		}
	}
	l.apply(t, "k1")
	if changes = l.cut(t, true); len(changes) != 1 || changes["k1"] != nil || l.keys["k1"].state.stored != nil {
		t.Errorf("a key that was packed is not deleted: %v", changes)
	}
}

// keysLane is a lane of toys and the entries of its keys.
type keysLane struct {
	lane
	keys map[string]*entry
	next int64 // offset
}

func newKeysLane() *keysLane {
	return &keysLane{keys: map[string]*entry{}, lane: lane{rules: toyRules(), part: simPartition, clock: func() float64 { return 0 },
		tools: newTools(func() Decoder { return &toyDecoder{takes: func() {}} }, func() Outputs { return toyOutputs{} })}}
}

// apply applies records, a key and a shard each; without a shard it is a tombstone.
func (l *keysLane) apply(t *testing.T, records ...string) {
	t.Helper()
	for _, text := range records {
		key, shard, some := strings.Cut(text, " ")
		e := l.keys[key]
		if e == nil {
			spec, _ := l.rules.Match(key)
			e = &entry{key: key, state: &keyState{spec: spec}}
			l.keys[key] = e
		}
		r := &Record{Offset: l.next, Key: []byte(key)}
		if some {
			r.Value = []byte(shard)
		}
		if err := l.one(&task{record: r, entry: e, spec: e.state.spec}); err != nil || !e.state.dirty {
			t.Fatalf("%q was not applied: %v", text, err)
		}
		l.next++
	}
}

func (l *keysLane) cut(t *testing.T, pack bool) map[string]Stored {
	t.Helper()
	part, failed := l.lane.cut(pack)
	if failed != nil {
		t.Fatal(failed.err)
	}
	changes := map[string]Stored{}
	for _, c := range part.changes {
		changes[c.Key] = c.Value
	}
	return changes
}

// again encodes the state of a key once more.
func (l *keysLane) again(t *testing.T, key string) Stored {
	t.Helper()
	s := l.keys[key].state
	if err := s.open(key, l.work); err != nil {
		t.Fatal(err)
	}
	s.stored = nil
	value, err := s.encode(&l.room)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestStatesTakeWhatTheySay holds what states of keys at work say they take, which
// bounds the cache, against the heap; packed ones are the shelf's. No test runs beside it.
func TestStatesTakeWhatTheySay(t *testing.T) {
	const n = 20_000
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	for _, size := range []int{100, 529, 1195, 3000} {
		value, before := make([]byte, size), heap()
		c := newCache()
		for i := range n {
			e := &entry{key: "key-" + strconv.Itoa(i), state: &keyState{stored: bytes.Clone(value)}}
			e.size = e.state.size(e.key)
			c.add(e)
		}
		held := heap() - before
		if ratio := float64(c.size()) / held; math.Abs(ratio-1) > .05 {
			t.Errorf("a key with %d stored bytes takes %.0f and says %d: %.2f of it", size, held/n, c.size()/n, ratio)
		}
		for i := range n {
			c.rest(c.get("key-" + strconv.Itoa(i)))
		}
		if bytes, keys := c.held(); keys != n || bytes != c.packed.Size()+c.packed.Gaps() {
			t.Errorf("%d packed keys are held in %d bytes, want %d", keys, bytes, n)
		}
	}
}

// TestGapsCountAsCache has keys come again in any order: what they leave on the shelf
// belongs to what memory.cache limits, but for two segments and places for keys.
func TestGapsCountAsCache(t *testing.T) {
	const (
		limit, segment = 8 << 20, 512 << 10
		keys, value    = 7000, 1000
	)
	r, c := rand.New(rand.NewPCG(62, 1)), newCache()
	var most, fewest, evicted int64
	for i := range 20 * keys {
		key := "key-" + strconv.Itoa(r.IntN(keys))
		e := c.get(key)
		if e == nil {
			stored := make([]byte, value+r.IntN(value/2))
			for at := 0; at+8 <= len(stored); at += 8 { // states that are not alike
				binary.LittleEndian.PutUint64(stored[at:], r.Uint64())
			}
			e = &entry{key: key, state: &keyState{stored: stored}}
			e.size = e.state.size(key)
			c.add(e)
		}
		c.rest(e)
		evicted += c.evict(limit)
		held, there := c.held()
		most = max(most, held)
		if i == 5*keys {
			fewest = there
		} else if i > 5*keys {
			fewest = min(fewest, there)
		}
	}
	if room := int64(2*segment + 256<<10); most > limit+room {
		t.Errorf("the cache held %d bytes under a limit of %d, which may be exceeded by %d", most, limit, room)
	}
	if evicted == 0 || fewest*(value+value/4) < limit*6/10 {
		t.Errorf("%d states were let go, and %d at least were there: that is not what the limit has room for", evicted, fewest)
	}
}
