package admin_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// home stands for murmur2.
func home(key []byte, n int) int32 { return int32(crc32.ChecksumIEEE(key) % uint32(n)) }

// topic is a topic of several partitions, each a broker of its own.
type topic struct {
	parts []*pipelinetest.Kafka
	open  map[int32]int64 // records of open transactions
}

func newTopic(n int) *topic {
	t := &topic{open: map[int32]int64{}}
	return t.grow(n)
}

func (l *topic) grow(n int) *topic {
	for len(l.parts) < n {
		l.parts = append(l.parts, &pipelinetest.Kafka{ID: int32(len(l.parts)), Topic: "id"})
	}
	for _, k := range l.parts {
		k.Count = len(l.parts)
	}
	return l
}

// send appends records where they belong, and keys of nobody to the first partition.
func (l *topic) send(records []pipeline.Record) {
	for _, r := range records {
		k := l.parts[0]
		if len(r.Key) > 0 {
			k = l.parts[home(r.Key, len(l.parts))]
		}
		r.Offset = int64(len(k.Log))
		k.Log = append(k.Log, r)
	}
}

func (l *topic) Fetch(ctx context.Context, p pipeline.Partition, from int64, n int) (pipeline.Fetched, error) {
	return l.parts[p.ID].Fetch(ctx, p, from, n)
}
func (l *topic) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, n int, room *pipeline.Room) (pipeline.Fetched, error) {
	return l.parts[p.ID].Follow(ctx, p, at, n, room)
}
func (l *topic) Identity(ctx context.Context, p pipeline.Partition, e pipeline.LeaderEpoch) (pipeline.Identity, error) {
	return l.parts[p.ID].Identity(ctx, p, e)
}
func (l *topic) Bounds(ctx context.Context, p pipeline.Partition) (int64, int64, error) {
	return l.parts[p.ID].Bounds(ctx, p)
}
func (l *topic) Partitions(context.Context, string) (int, error) { return len(l.parts), nil }

// work lets a worker go through each partition.
func (l *topic) work(t *testing.T, store *storetest.Memory, rules *pipeline.Rules) {
	t.Helper()
	for _, k := range l.parts {
		worked1(t, k, store, rules)
	}
}

// worked1 is worked for one partition of several, whose others may be unfinished.
func worked1(t *testing.T, k *pipelinetest.Kafka, store *storetest.Memory, rules *pipeline.Rules) {
	t.Helper()
	b := pipelinetest.StartWith(t, k, store, rules)
	p := pipeline.Partition{Topic: "in", ID: k.ID}
	for {
		synctest.Wait()
		meta, err := store.Meta(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if meta.Exists && meta.Watermark == int64(len(k.Log)) {
			break
		}
		if ok, why := b.Ready(); !ok && strings.Contains(why, "rescale") {
			t.Fatal(why)
		}
		b.ReadyWithin(t, 1<<40, true)
		pause(t)
	}
	b.Stop(t)
}

// outputs returns what was said of each key, in order, without offsets.
func (l *topic) outputs() map[string][]string {
	said := map[string][]string{}
	at := regexp.MustCompile(` offset=\d+`)
	var sent []pipeline.Output
	for _, k := range l.parts {
		sent = append(sent, k.Sent...)
	}
	// A key may go from one partition to another.
	slices.SortStableFunc(sent, func(a, b pipeline.Output) int { return cmp.Compare(a.Time, b.Time) })
	for _, o := range sent {
		said[string(o.Key)] = append(said[string(o.Key)], o.Topic+" "+at.ReplaceAllString(string(o.Value), ""))
	}
	return said
}

// states returns what users see of each state, by key, and refuses a key that has two.
func states(t *testing.T, store *storetest.Memory, n int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for id := range n {
		p := pipeline.Partition{Topic: "in", ID: int32(id)}
		err := admin.Each(t.Context(), store, p, nil, func(key string, v pipeline.Stored, err error) error {
			if err != nil {
				return err
			}
			if h := home([]byte(key), n); h != p.ID || all[key] != "" {
				t.Errorf("key %s is in partition %d, and belongs into %d", key, p.ID, h)
			}
			s, err := pipeline.ParseStored(key, v)
			all[key] = fmt.Sprintf("t %d n %d time %d gaps %d\n%x\n%x\n%x", s.T, s.N, s.Time, s.Gaps, s.Snapshot, s.Summary, s.Repeats())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// contents returns all that is stored, without owners.
func contents(t *testing.T, store *storetest.Memory, n int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for id := range n {
		p := pipeline.Partition{Topic: "in", ID: int32(id)}
		meta, err := store.Meta(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		meta.Owner, meta.Generation = "", 0
		all[p.String()] = fmt.Sprintf("%+v", meta)
		err = admin.Each(t.Context(), store, p, nil, func(key string, v pipeline.Stored, err error) error {
			all[p.String()+" "+key] = string(v)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// rescaling is a run that may be made to fail.
type rescaling struct {
	*admin.Rescale
	told int
	fail string // the call outside of the store that fails
}

func (l *topic) rescale(t *testing.T, store *storetest.Memory, rules *pipeline.Rules, to int) *rescaling {
	t.Helper()
	r := &rescaling{}
	outside := func(name string) error {
		if r.fail == name {
			return errAway
		}
		return nil
	}
	r.Rescale = &admin.Rescale{
		Topic: "in", To: to, Home: home, Log: l, Store: store, Reader: store, Layouts: store, Rules: rules,
		Written: func(ctx context.Context, p pipeline.Partition) (int64, error) {
			_, end, err := l.Bounds(ctx, p)
			return end + l.open[p.ID], err
		},
		Grow: func(_ context.Context, n int) error {
			if err := outside("before grow"); err != nil {
				return err
			}
			l.grow(n)
			return outside("after grow")
		},
		Tell: func(context.Context, []pipeline.Era) error { r.told++; return outside("tell") },
		Say:  func(format string, args ...any) { t.Logf(format, args...) },
	}
	return r
}

var errAway = errors.New("kafka is away")

// settledTopic is a topic whose first records were applied under n partitions, beside the
// rest of the records.
func settledTopic(t *testing.T, seed uint64, n int) (l *topic, store *storetest.Memory, rules *pipeline.Rules, rest []pipeline.Record) {
	t.Helper()
	records := pipelinetest.Records(seed, 600)
	l, store, rules = newTopic(n), storetest.NewMemory(), pipelinetest.Rules(t)
	l.send(records[:350])
	l.work(t, store, rules)
	return l, store, rules, records[350:]
}

// sameAsFromTheStart compares a rescaled topic with one that had its partitions always.
func sameAsFromTheStart(t *testing.T, seed uint64, l *topic, store *storetest.Memory) {
	t.Helper()
	n := len(l.parts)
	always, other := newTopic(n), storetest.NewMemory()
	always.send(pipelinetest.Records(seed, 600))
	always.work(t, other, pipelinetest.Rules(t))
	got, want := states(t, store, n), states(t, other, n)
	if !maps.Equal(got, want) || len(want) < 7 {
		for key := range want {
			if got[key] != want[key] {
				t.Errorf("key %s differs:\n%.200s\n%.200s", key, got[key], want[key])
			}
		}
		t.Errorf("%d states, and %d", len(got), len(want))
	}
	said, expected := l.outputs(), always.outputs()
	for key, lines := range expected {
		if key != "" && !slices.Equal(said[key], lines) {
			t.Errorf("outputs of key %s differ: %d and %d", key, len(said[key]), len(lines))
		}
	}
}

// What is published and stored after a rescaling is what would have been with the new
// number of partitions from the start, and verify finds it in the log: when keys only
// leave their partitions, when they change places, and when it is done again.
func TestRescaledIsAsFromTheStart(t *testing.T) {
	for _, counts := range [][]int{{4, 12}, {4, 6}, {3, 4, 12}, {1, 5}} {
		synctest.Test(t, func(t *testing.T) {
			l, store, rules, rest := settledTopic(t, 11, counts[0])
			for i, n := range counts[1:] {
				if err := l.rescale(t, store, rules, n).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				verifyAll(t, l, store, rules)
				part := rest[i*len(rest)/len(counts[1:]) : (i+1)*len(rest)/len(counts[1:])]
				l.send(part)
				l.work(t, store, rules)
				arrived(t, store, n, part[0].Time)
			}
			sameAsFromTheStart(t, 11, l, store)
			verifyAll(t, l, store, rules)
		})
	}
}

// arrived fails unless keys that had a record since a time are at home in their partitions.
func arrived(t *testing.T, store *storetest.Memory, n int, since int64) {
	t.Helper()
	keys := 0
	for id := range n {
		err := admin.Each(t.Context(), store, pipeline.Partition{Topic: "in", ID: int32(id)}, nil, func(key string, v pipeline.Stored, err error) error {
			if err != nil {
				return err
			}
			s, err := pipeline.ParseStored(key, v)
			if err == nil && s.Time >= since {
				if keys++; s.Moved != nil {
					t.Errorf("key %s has had a shard in partition %d, and is told of as of %d", key, id, s.Moved.Partition)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if keys < 4 {
		t.Errorf("%d keys had a record", keys)
	}
}

// verifierOf is of a topic of several partitions.
func verifierOf(l *topic, layout pipeline.Layout, store *storetest.Memory, rules *pipeline.Rules, memory int64) *admin.Verifier {
	return &admin.Verifier{Log: l, Store: store, Reader: store, Rules: rules, Memory: memory,
		Past: layout.Past, Count: layout.Partitions, Home: home,
		NewLog:     func(pipeline.Limits) (pipeline.Log, error) { return l, nil },
		NewOutputs: func(pipeline.Limits) pipeline.Outputs { return pipelinetest.Outputs{} },
		NewDecoder: func(pipeline.Limits) pipeline.Decoder { return &pipelinetest.Decoder{} }}
}

// verifyAll verifies every partition, in one pass and in as many as there are keys.
func verifyAll(t *testing.T, l *topic, store *storetest.Memory, rules *pipeline.Rules) {
	t.Helper()
	layout, err := store.Layout(t.Context(), "in")
	if err != nil || layout.Partitions != len(l.parts) || layout.Moving != nil {
		t.Fatalf("%+v and error %v", layout, err)
	}
	for _, memory := range []int64{1 << 30, 1} {
		keys := int64(0)
		for id := range l.parts {
			got, err := verifierOf(l, layout, store, rules, memory).Verify(t.Context(), pipeline.Partition{Topic: "in", ID: int32(id)}, func(m admin.Mismatch) error {
				t.Errorf("%s@%d of %s: %s", m.Key, m.Offset, m.Partition, m.What)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			keys += got.Keys
		}
		if int(keys) != len(states(t, store, len(l.parts))) {
			t.Errorf("%d keys verified", keys)
		}
	}
}

// Killed at any call to the store, before or after its effect, or outside of it, a
// rescaling that is run again ends as one that nothing happened to; and until then no
// worker goes on.
func TestRescaleKilledAnywhere(t *testing.T) {
	for _, counts := range [][2]int{{4, 12}, {4, 6}} {
		synctest.Test(t, func(t *testing.T) {
			_, store, rules, _ := settledTopic(t, 12, counts[0])
			before := store.Snapshot()
			fresh := func() *topic {
				store.Restore(before)
				l := newTopic(counts[0])
				l.send(pipelinetest.Records(12, 600)[:350])
				return l
			}
			calls := 0
			count := func(storetest.Call) storetest.Fault { calls++; return storetest.None }
			l := fresh()
			store.Inject(count)
			if err := l.rescale(t, store, rules, counts[1]).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			store.Inject(nil)
			want, total := contents(t, store, counts[1]), calls
			if total < 50 {
				t.Fatalf("%d calls", total)
			}
			again := func(what string, l *topic) {
				t.Helper()
				layout, err := store.Layout(t.Context(), "in")
				if err != nil || layout.Partitions != pipeline.Rescales && layout.Partitions != counts[0] && layout.Moving == nil && layout.Partitions != counts[1] {
					t.Fatalf("%s: %+v and error %v", what, layout, err)
				}
				if layout.Moving != nil && layout.Partitions != pipeline.Rescales {
					t.Fatalf("%s: workers would go on under %+v", what, layout)
				}
				if layout.Partitions != counts[1] {
					if err := l.rescale(t, store, rules, counts[1]).Run(t.Context()); err != nil {
						t.Fatalf("%s, run again: %v", what, err)
					}
				}
				if got := contents(t, store, counts[1]); !maps.Equal(got, want) {
					t.Fatalf("%s, run again: another result", what)
				}
			}
			for _, fault := range []storetest.Fault{storetest.Before, storetest.After} {
				for at := 1; at <= total; at++ {
					l, calls = fresh(), 0
					store.Inject(func(storetest.Call) storetest.Fault {
						if calls++; calls == at {
							return fault
						}
						return storetest.None
					})
					err := l.rescale(t, store, rules, counts[1]).Run(t.Context())
					store.Inject(nil)
					if !errors.Is(err, storetest.ErrInjected) {
						t.Fatalf("call %d of %d: error %v", at, total, err)
					}
					again(fmt.Sprintf("call %d of %d, fault %d", at, total, fault), l)
				}
			}
			for _, name := range []string{"after grow", "tell"} {
				l = fresh()
				r := l.rescale(t, store, rules, counts[1])
				r.fail = name
				if err := r.Run(t.Context()); !errors.Is(err, errAway) {
					t.Fatalf("%s: error %v", name, err)
				}
				again(name, l)
			}
		})
	}
}

// A master of the store that dies at any moment, and with it what its replica lacks,
// costs a run at most: once a run has come to its end all is as if nothing had happened.
// Each time one dies before one call, or two before two, or one again and again.
func TestRescaleSurvivesFailovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const from, to, seed, pairs = 3, 5, 7, 1000
		_, store, rules, _ := settledTopic(t, 12, from)
		before := store.Snapshot()
		// until runs it until it comes to its end, with what dies before a call, and says how it ended first.
		until := func(dies func(call int, c storetest.Call) (victim int32, ok bool)) error {
			t.Helper()
			store.Restore(before)
			l := newTopic(from)
			l.send(pipelinetest.Records(12, 600)[:350])
			call := 0
			store.InjectFailover(func(c storetest.Call) (pipeline.Partition, bool) {
				call++
				victim, ok := dies(call, c)
				return pipeline.Partition{Topic: "in", ID: victim}, ok
			})
			defer store.InjectFailover(nil)
			r := l.rescale(t, store, rules, to)
			r.Say = func(string, ...any) {}
			first := r.Run(t.Context())
			for runs, err := 1, first; err != nil; runs++ {
				switch runs {
				case 2:
					store.InjectFailover(nil)
				case 4:
					t.Fatalf("run %d ended with %v", runs, err)
				}
				err = r.Run(t.Context())
			}
			if now, err := store.Layout(t.Context(), "in"); err != nil || now.Partitions != to || now.Moving != nil {
				t.Errorf("it has come to its end, and the layout is %+v (error %v)", now, err)
			}
			return first
		}
		total := 0
		if err := until(func(call int, _ storetest.Call) (int32, bool) { total = call; return 0, false }); err != nil {
			t.Fatal(err)
		}
		want := contents(t, store, to)
		same := func(what string, args ...any) {
			t.Helper()
			if got := contents(t, store, to); !maps.Equal(got, want) {
				t.Fatalf("another result: "+what, args...)
			}
		}
		unnoticed := 0
		for at := 1; at <= total; at++ {
			for victim := int32(-1); victim < to; victim++ {
				if until(func(call int, _ storetest.Call) (int32, bool) { return victim, call == at }) == nil {
					unnoticed++
				}
				same("before call %d of %d the master of partition %d died", at, total, victim)
			}
		}
		t.Logf("%d calls, a failover before each; %d of %d were not noticed", total, unnoticed, total*(to+1))
		rng := rand.New(rand.NewPCG(seed, 0))
		for range pairs {
			died := map[int]int32{1 + rng.IntN(2*total): rng.Int32N(to+1) - 1, 1 + rng.IntN(2*total): rng.Int32N(to+1) - 1}
			_ = until(func(call int, _ storetest.Call) (int32, bool) { victim, ok := died[call]; return victim, ok })
			same("masters died %v", died)
		}
		for victim := int32(-1); victim < to; victim++ {
			_ = until(func(_ int, c storetest.Call) (int32, bool) { return victim, c.Op == "replicated" })
			same("the master of partition %d died before each time that replicas were waited for", victim)
		}
	})
}

func pause(t *testing.T) {
	t.Helper()
	select {
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	case <-time.After(100 * time.Millisecond): // of the bubble's clock
	}
}
