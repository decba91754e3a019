package pipeline_test

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// told collects what observers are told, by offset.
type told map[int64]*pipeline.Point

// place is an offset as one worker tells of it.
type place struct {
	worker int
	offset int64
}

// watch makes the simulation tell the points, and checks that the store has
// acknowledged what covers them, that offsets ascend per worker and that none
// of it comes twice.
func watch(t *testing.T, s *pipeline.Sim, store *storetest.Memory) told {
	t.Helper()
	all, seen, last := told{}, map[place]bool{}, map[int]int64{}
	s.Observe = func(worker int, points []*pipeline.Point) {
		meta, err := store.Meta(context.Background(), pipeline.Partition{Topic: "in"})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if p.Offset >= meta.Watermark {
				t.Fatalf("offset %d is told of while the store is at %d", p.Offset, meta.Watermark)
			}
			if at := (place{worker, p.Offset}); seen[at] {
				t.Fatalf("offset %d is told of twice", p.Offset)
			} else {
				seen[at] = true
			}
			if before, ok := last[worker]; ok && p.Offset <= before {
				t.Fatalf("offset %d is told of after %d", p.Offset, before)
			}
			all[p.Offset], last[worker] = p, p.Offset
		}
	}
	return all
}

// Seeds 1 to 8. Whatever goes wrong, the observer is told of nothing that is
// not saved, nothing twice, and of the same bits as without trouble.
func TestObserverIsToldOfWhatIsSaved(t *testing.T) {
	log := pipelinetest.Records(11, 300)
	calm := storetest.NewMemory()
	quiet := newSim(t, 0, calm, log)
	want := watch(t, quiet, calm)
	settle(t, quiet)
	kinds := map[string]int{}
	for _, o := range quiet.Sent {
		p := want[o.Offset]
		switch {
		case p == nil:
			t.Errorf("offset %d was sent to %s and not told of: %q", o.Offset, o.Topic, o.Value)
		case o.Topic == "dead" && p.Dead != "", o.Topic == "out" && o.Value == nil && p.Deleted, o.Topic == "out" && p.Published, o.Topic == "rows":
			kinds[o.Topic]++
		default:
			t.Errorf("offset %d was sent to %s, told of as %+v", o.Offset, o.Topic, p)
		}
	}
	if kinds["dead"] < 10 || kinds["out"] < 150 || kinds["rows"] < 10 {
		t.Fatalf("too little happened: %v", kinds)
	}
	runs, heard := 8, 0
	if testing.Short() {
		runs = 3
	}
	for seed := uint64(1); seed <= uint64(runs); seed++ {
		store := storetest.NewMemory()
		s := newTroubledSim(t, seed, store, log)
		s.Plan.Faults = slices.DeleteFunc(s.Plan.Faults, func(f pipeline.Fault) bool { // replays tell again
			return f.Kind == pipeline.StoreBack || f.Kind == pipeline.StoreEmpties || f.Kind == pipeline.StoreDamaged
		})
		got := watch(t, s, store)
		settle(t, s)
		for offset, p := range got {
			if q := want[offset]; q == nil || !same(p, q) {
				t.Fatalf("seed %d, offset %d: told of\n%+v\nwithout trouble\n%+v", seed, offset, p, q)
			}
		}
		heard += len(got)
	}
	if 2*heard < runs*len(want) {
		t.Errorf("%d runs told of %d points, one without trouble of %d", runs, heard, len(want))
	}
}

// same compares all but undefined numbers, which differ from themselves.
func same(a, b *pipeline.Point) bool {
	x, y := *a, *b
	for _, p := range []*pipeline.Point{&x, &y} {
		p.Numbers = slices.Clone(p.Numbers)
		for i, v := range p.Numbers {
			if math.IsNaN(v) {
				p.Numbers[i] = -1
			}
		}
		p.Score = cdf.Score{Rows: p.Score.Rows, PredictedRows: p.Score.PredictedRows, PIT: p.Score.PIT}
	}
	return reflect.DeepEqual(x, y)
}

// recorder is an observer that keeps everything.
type recorder struct {
	mu     sync.Mutex
	points []*pipeline.Point
	states []pipeline.State
	events []string
}

func (r *recorder) Saved(_ pipeline.Partition, points []*pipeline.Point) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.points = append(r.points, points...)
}

func (r *recorder) State(_ pipeline.Partition, s pipeline.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states = append(r.states, s)
}

func (r *recorder) Event(e pipeline.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e.Kind)
}

// lateObserver is still being told when the store has it all already.
type lateObserver struct{ recorder }

func (l *lateObserver) Saved(p pipeline.Partition, points []*pipeline.Point) {
	<-time.After(3 * time.Second)
	l.recorder.Saved(p, points)
}

func TestTheEndIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := &pipelinetest.Kafka{Log: pipelinetest.Records(5, 40)}, &lateObserver{}
		b := pipelinetest.StartObserved(t, k, storetest.NewMemory(), pipelinetest.Rules(t), o, slog.DiscardHandler)
		b.CatchUp(t)
		at := o.count()
		b.Stop(t)
		if all := o.count(); at < all || all < 20 {
			t.Errorf("at the end the observer is told of %d points of %d", at, all)
		}
	})
}

func (r *recorder) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.points)
}

func TestObserverThroughAnOutageAndTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, r := pipelinetest.Records(7, 400), new(recorder)
		b := pipelinetest.StartObserved(t, &pipelinetest.Kafka{Log: log[:200]}, storetest.NewMemory(), pipelinetest.Rules(t), r, slog.DiscardHandler)
		b.CatchUp(t)
		synctest.Wait()
		if held := metric(t, b.Reg, "credence_inflight_bytes"); held != 0 && held != 1<<20 {
			t.Errorf("%g bytes are held once all is saved, want none beside the reserve of a fetch", held)
		}
		before := r.count()
		away := true
		var mu sync.Mutex
		b.Store.Inject(func(storetest.Call) storetest.Fault {
			mu.Lock()
			defer mu.Unlock()
			if away {
				return storetest.Before
			}
			return storetest.None
		})
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Log = log })
		b.ReadyWithin(t, 20*time.Second, false)
		<-time.After(20 * time.Second)
		if n := r.count(); n != before {
			t.Errorf("%d points are told of while the store is away", n-before)
		}
		mu.Lock()
		away = false
		mu.Unlock()
		b.ReadyWithin(t, 20*time.Second, true)
		b.CatchUp(t)
		b.Stop(t)
		if n := r.count(); n <= before {
			t.Errorf("nothing is told of after the outage")
		}
		if held := metric(t, b.Reg, "credence_inflight_bytes"); held != 0 {
			t.Errorf("%g bytes are held at the end, want 0: points weigh on the budget until they are told of", held)
		}
		seen := map[string]bool{}
		for _, e := range r.events {
			seen[e] = true
		}
		want := []string{"claimed", "released", "resumed", "waiting"}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
			t.Errorf("it happened: %q, want %q", r.events, want)
		}
		last := r.states[len(r.states)-1]
		if last.Phase != pipeline.PhaseGone || last.Watermark != int64(len(log)) || last.Saved.IsZero() || len(last.Owner) != 8 {
			t.Errorf("the last state is %+v", last)
		}
	})
}

// Of shards that are not published the observer learns the score alone.
func TestObserverOfEveryThirdShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(recorder)
		spec := pipelinetest.Spec(t, cdf.Publish{Every: 3, Scale: "original", Groups: "all", Variables: []string{"**"}})
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec})
		b := pipelinetest.StartObserved(t, &pipelinetest.Kafka{Log: pipelinetest.Records(5, 300)}, storetest.NewMemory(), rules, r, slog.DiscardHandler)
		b.CatchUp(t)
		b.Stop(t)
		scored := 0
		for _, p := range r.points {
			if p.Deleted || p.Dead != "" {
				continue
			}
			if p.Published != (p.T%3 == 0) || p.Published != (len(p.Names) > 0) {
				t.Errorf("t=%d is told of as published: %v, with %d variables", p.T, p.Published, len(p.Names))
			}
			n := int64(0)
			for _, c := range p.Score.PIT {
				n += int64(c)
			}
			if n != p.Score.Rows {
				t.Errorf("t=%d: %d transforms of %d rows", p.T, n, p.Score.Rows)
			}
			if !p.Published && n > 0 {
				scored++
			}
		}
		if scored < 50 {
			t.Errorf("only %d unpublished shards have scores", scored)
		}
	})
}

// A key's points tell of rows beside their predictions: of its first shards and then, where no
// time passes, of every fourth while there are few and of one of 32.
func TestObservedRowsGetRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(recorder)
		b := pipelinetest.StartObserved(t, &pipelinetest.Kafka{Log: pipelinetest.Records(5, 3000)}, storetest.NewMemory(), pipelinetest.Rules(t), r, slog.DiscardHandler)
		b.CatchUp(t)
		b.Stop(t)
		told := 0
		for _, p := range r.points {
			if p.Deleted || p.Dead != "" || p.Score.Rows == 0 {
				continue
			}
			before := p.T - 1
			if want := before < 16 || before < 32 && before%4 == 0 || before%32 == 0; want != (len(p.Observed) > 0) {
				t.Errorf("t=%d tells of %d rows", p.T, len(p.Observed))
			}
			if before >= 32 && len(p.Observed) > 0 {
				told++
			}
		}
		if told == 0 {
			t.Error("no point of a later shard tells of rows")
		}
	})
}
