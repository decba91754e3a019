package live

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

var beforeSeeds = flag.Int("before-seeds", 6, "how many schedules TestAnswersKnowNoOther draws")

// deed is something that a feed is told.
type deed func(f *Feed)

// wildDeed draws what comes next in one of some partitions: shards of few keys or of many, deletions, dead
// letters, points that were told before, and partitions that come and go.
func wildDeed(r *rand.Rand, offsets []int64, shards map[string]int64) deed {
	id := int32(r.IntN(len(offsets)))
	in := pipeline.Partition{Topic: "in", ID: id}
	switch r.IntN(40) {
	case 0:
		return func(f *Feed) { f.State(in, pipeline.State{Phase: pipeline.PhaseGone}) }
	case 1, 2, 3:
		s := pipeline.State{Phase: pipeline.PhaseRunning, Watermark: offsets[id], Generation: int32(r.IntN(9))}
		return func(f *Feed) { f.State(in, s) }
	case 4:
		e := pipeline.Event{Kind: pipeline.EventHalted, Partition: in, Message: fmt.Sprint(r.IntN(100))}
		return func(f *Feed) { f.Event(e) }
	}
	var points []*pipeline.Point
	at := offsets[id]
	if r.IntN(20) == 0 {
		at = max(0, at-int64(r.IntN(10))) // the store went back
	}
	for range 1 + r.IntN(12) {
		key := fmt.Sprint("k", r.IntN(1+r.IntN(120)), "/", id)
		var p *pipeline.Point
		switch r.IntN(40) {
		case 0:
			p = &pipeline.Point{Key: key, Partition: id, Offset: at, Time: 7, Deleted: true}
			shards[key] = 0
		case 1, 2:
			p = &pipeline.Point{Key: key, Partition: id, Offset: at, Time: 8, Dead: pipeline.StageFault}
		case 3:
			shards[key] = 0 // deleted by another process
			fallthrough
		default:
			shards[key] += 1 + int64(r.IntN(30)/29)
			p = wild(r, key, at, shards[key])
			p.Partition = id
		}
		points = append(points, p)
		at++
	}
	offsets[id] = max(at, offsets[id])
	return func(f *Feed) { f.Saved(in, points) }
}

// question is what somebody asks of a feed. The answer has no pointers in maps.
type question func(f *Feed) any

func wildQuestion(r *rand.Rand) question {
	key := fmt.Sprint("k", r.IntN(1+r.IntN(120)), "/", r.IntN(3))
	limit := [...]int{0, 1, 5, 1 << 30}[r.IntN(4)]
	switch r.IntN(10) {
	case 0, 1, 2:
		return func(f *Feed) any {
			h, known := f.History(key, limit)
			return []any{h, known}
		}
	case 3:
		return func(f *Feed) any {
			n, ok := f.Latest(key)
			return []any{n, ok, f.Flags(key)}
		}
	case 4:
		return func(f *Feed) any {
			rows, owned, known := f.Observed(key, limit)
			return []any{rows, owned, known}
		}
	case 5:
		return func(f *Feed) any {
			list, owned, known := f.Windows(key, 1+limit&7)
			return []any{list, owned, known}
		}
	case 6:
		return func(f *Feed) any {
			s, owned, known := f.Calibration(key)
			list := []any{s, owned, known}
			for _, prefix := range []string{"", "k1"} {
				all := f.Across(prefix, "")
				for _, kind := range slices.Sorted(maps.Keys(all)) {
					list = append(list, kind, *all[kind])
				}
			}
			return list
		}
	case 7:
		w := Wanted{Flag: [...]string{"", WeakRHat}[r.IntN(2)]}
		if r.IntN(2) == 0 {
			w.From = 1 + r.Int64N(2e12)
		}
		if r.IntN(2) == 0 {
			w.Rank = func(n Now) float64 { return math.Mod(float64(n.Point.N), 97) }
		}
		return func(f *Feed) any { return []any{f.Found(w)} }
	case 8:
		back := uint64(r.IntN(30))
		return func(f *Feed) any {
			from := Position{f.log.boot, f.log.last - min(f.log.last, back)}
			events, next, _, lost := f.Read(from, 1+limit&15)
			list := []any{next.last, lost}
			for _, e := range events {
				list = append(list, e.At.last, e.Point)
			}
			return list
		}
	}
	return func(f *Feed) any {
		c, crowded := f.Crowded()
		return []any{c, crowded, f.Totals(), f.Events(), f.Bytes(), f.Owned(0), f.Owned(1)}
	}
}

// answer is what an answer says.
func answer(of any) string {
	var b strings.Builder
	for _, v := range of.([]any) {
		if v != nil {
			said(&b, reflect.ValueOf(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A feed that many ask in any order answers each as one that was told the same and nobody has asked before,
// bit for bit, with much room and with little; and no answer changes afterwards.
func TestAnswersKnowNoOther(t *testing.T) {
	for seed := range *beforeSeeds {
		for _, limit := range []int64{64 << 20, 1 << 20} {
			t.Run(fmt.Sprint(seed, limit>>20), func(t *testing.T) { asked(t, uint64(seed), limit) })
		}
	}
}

func asked(t *testing.T, seed uint64, limit int64) {
	r := rand.New(rand.NewPCG(seed, 91))
	one, offsets, shards := newFeed(limit), make([]int64, 3), map[string]int64{}
	var deeds []deed
	var kept []any
	var were []string
	for step := range 300 {
		d := wildDeed(r, offsets, shards)
		deeds = append(deeds, d)
		d(one)
		var asks []question
		for range r.IntN(4) {
			asks = append(asks, wildQuestion(r))
		}
		for _, q := range asks {
			a := q(one)
			kept, were = append(kept, a), append(were, answer(a))
		}
		if step%20 != 19 {
			continue
		}
		fresh := newFeed(limit)
		fresh.clock, fresh.hash = one.clock, func(string) uint32 { return 7 }
		for _, d := range deeds {
			d(fresh)
		}
		for range 30 {
			q := wildQuestion(r)
			a := q(one)
			kept, were = append(kept, a), append(were, answer(a))
			if got, want := were[len(were)-1], answer(q(fresh)); got != want {
				at := 0
				for got[at:at+1] == want[at:at+1] {
					at++
				}
				t.Fatalf("step %d: %.300s\nwant %.300s", step, got[max(at-60, 0):], want[max(at-60, 0):])
			}
		}
	}
	one.check(t)
	for i, a := range kept {
		if is := answer(a); is != were[i] {
			t.Fatalf("answer %d has changed", i)
		}
	}
}

// A panic of who ranks keys, as a request's, leaves the feed as it was for the worker.
func TestRankThatPanics(t *testing.T) {
	f := newFeed(1 << 20)
	f.Saved(home, []*pipeline.Point{point("a", 0, 1, 1)})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nobody panicked")
			}
		}()
		f.Found(Wanted{Rank: func(Now) float64 { panic("a rank") }})
	}()
	if !f.mu.TryLock() {
		t.Fatal("the feed is locked for ever")
	}
	f.mu.Unlock()
}

// Sums over partitions are the same bits whenever they are asked for.
func TestSumsHaveAnOrder(t *testing.T) {
	f := newFeed(1 << 20)
	for id, v := range []float64{.1, .2, .3, 1e9, -1e9, .7} {
		in := pipeline.Partition{Topic: "in", ID: int32(id)}
		f.State(in, pipeline.State{Phase: pipeline.PhaseRunning})
		p := scored(point(fmt.Sprint("k", id), 0, 1, 1), 3)
		p.Partition, p.Score.LogDensity = in.ID, v
		f.Saved(in, []*pipeline.Point{p})
	}
	first := f.Across("", "")["linear"].LogDensity()
	for range 100 {
		if v := f.Across("", "")["linear"].LogDensity(); v != first {
			t.Fatalf("%v and %v", first, v)
		}
	}
}
