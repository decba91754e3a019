package live

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

var home = pipeline.Partition{Topic: "in", ID: 0}

// point is shard t of a key at an offset, with variables.
func point(key string, offset, t int64, variables int) *pipeline.Point {
	p := &pipeline.Point{
		Key: key, Kind: "linear", Variant: "corrected", Offset: offset, Time: 1e12 + offset, T: t, N: 10 * t, Rows: 10,
		Published: true, Variables: variables, Score: cdf.NoScore(),
	}
	for v := range variables {
		p.Names = append(p.Names, fmt.Sprintf("beta[%d]", v))
		for c := range cdf.RowColumns {
			p.Numbers = append(p.Numbers, float64(t)+math.Sin(float64(v*len(cdf.RowColumns)+c))) // no law, that would take less
		}
	}
	return p
}

// scored gives the point scores whose transforms lie in the given bins.
func scored(p *pipeline.Point, bins ...int) *pipeline.Point {
	for _, b := range bins {
		p.Score.PIT[b]++
	}
	p.Score.Rows, p.Score.LogDensity, p.Score.RMSE = int64(len(bins)), -1, 2
	return p
}

// newFeed returns a feed at a time that stands still, with a reader who has asked for events.
func newFeed(limit int64) *Feed {
	f, now := New(limit), time.Now()
	f.clock = func() time.Time { return now }
	f.End()
	f.State(home, pipeline.State{Phase: pipeline.PhaseRunning})
	return f
}

func steps(h History) []int64 {
	var t []int64
	for _, p := range h.Points {
		t = append(t, p.T)
	}
	return t
}

// check counts all that the feed holds and compares it with its books.
func (f *Feed) check(t *testing.T) {
	t.Helper()
	slots, sums, listed := f.log.queue.Bytes(), int64(0), 0
	held := map[wordsID]int{}
	point := func(b []byte) {
		r := reader(b)
		held[r.words()]++
		held[r.words()]++
	}
	each := func(q *offheap.Queue, visit func([]byte)) {
		at := q.Oldest()
		for range q.Len() {
			var b []byte
			b, at = f.pool.Read(nil, at)
			visit(b)
		}
	}
	each(&f.log.queue, point)
	for l := range f.order {
		for id := f.order[l].oldest; id != 0; listed++ {
			e := f.entry(id)
			key := string(f.keyOf(e))
			if found, _ := f.find(key); found != id || f.entries[e.place] != id || e.level != level(l) {
				t.Errorf("%s in slot %d, on level %d: found is slot %d, level %d", key, id, l, found, e.level)
			}
			if e.bytes() > keyBytes && e.points.Len() > 1 {
				t.Errorf("%s: %d bytes are held", key, e.bytes())
			}
			sums += offheap.SlotBytes + e.about.Bytes()
			slots += e.bytes()
			held[e.kind]++
			each(&e.points, point)
			each(&e.rows, func(b []byte) { held[wordsID(binary.LittleEndian.Uint32(b))]++ })
			id = e.newer
		}
	}
	if slots += sums; slots != f.pool.Used()*offheap.SlotBytes || sums != f.sums || listed != len(f.entries) {
		t.Errorf("slots have %d bytes, of which entries %d: held are %d and %d; %d of %d keys are listed", f.pool.Used()*offheap.SlotBytes, f.sums, slots, sums, listed, len(f.entries))
	}
	if n := f.held() + f.sums; n > f.limit {
		t.Errorf("%d bytes are held of %d", n, f.limit)
	}
	if n := f.places() + f.words.bytes; n > f.aside && f.held() > 0 {
		t.Errorf("%d bytes are held of %d beside slots", n, f.aside)
	}
	text := int64(0)
	for id := range f.words.lists {
		l := &f.words.lists[id]
		if l.held != held[wordsID(id)] && id > 0 {
			t.Errorf("words %q are held %d times, counted %d", l.words, held[wordsID(id)], l.held)
		}
		if l.held > 0 {
			text += l.bytes()
		}
	}
	if text != f.words.bytes {
		t.Errorf("words have %d bytes, counted are %d", text, f.words.bytes)
	}
}

func TestHistory(t *testing.T) {
	f := newFeed(1 << 20)
	f.Saved(home, []*pipeline.Point{point("a", 0, 1, 2), point("b", 1, 1, 1), point("a", 2, 2, 2)})
	f.Saved(home, []*pipeline.Point{point("b", 1, 1, 1), point("a", 2, 2, 2), point("a", 3, 3, 2)}) // applied anew
	h, known := f.History("a", 100)
	if !known || !h.Owned || !h.Complete || !slices.Equal(steps(h), []int64{1, 2, 3}) {
		t.Errorf("history %v, owned %v, complete %v; repeats must not appear", steps(h), h.Owned, h.Complete)
	}
	if h, _ := f.History("a", 2); h.Complete || !slices.Equal(steps(h), []int64{2, 3}) {
		t.Errorf("the newest two are %v, complete %v", steps(h), h.Complete)
	}
	f.Saved(home, []*pipeline.Point{point("a", 9, 7, 2)}) // another process was at work
	if h, _ := f.History("a", 100); h.Complete || len(h.Points) != 4 {
		t.Errorf("after a gap: %v, complete %v", steps(h), h.Complete)
	}
	f.Saved(home, []*pipeline.Point{{Key: "a", Offset: 10, Deleted: true}, point("a", 11, 1, 2)})
	if h, _ := f.History("a", 100); !h.Complete || !slices.Equal(steps(h), []int64{1}) {
		t.Errorf("deleted and begun anew: %v, complete %v", steps(h), h.Complete)
	}
	f.check(t)
	f.State(home, pipeline.State{Phase: pipeline.PhaseGone})
	if h, known := f.History("a", 100); !known || h.Owned || len(h.Points) > 0 {
		t.Errorf("of a partition that is gone: %v", steps(h))
	}
	if _, ok := f.Latest("a"); ok {
		t.Error("the newest posterior of a partition that is gone is told")
	}
	if _, known := f.History("c", 100); known {
		t.Error("a key without a shard is known")
	}
}

func TestKeyIsBounded(t *testing.T) {
	f := newFeed(64 << 20)
	for i := range int64(200) {
		f.Saved(home, []*pipeline.Point{point("a", i, i+1, 64)})
	}
	h, _ := f.History("a", 1000)
	_, e := f.find("a")
	if n := len(h.Points); h.Complete || e.bytes() > keyBytes || n < 30 || h.Points[n-1].T != 200 {
		t.Errorf("%d points of %d bytes, complete %v", n, e.bytes(), h.Complete)
	}
	f.check(t)
}

// Histories of the keys longest without change go first, then newest points,
// and the sums stay.
func TestEviction(t *testing.T) {
	f := newFeed(100 << 10)
	offset := int64(0)
	add := func(key string, t int64) {
		f.Saved(home, []*pipeline.Point{scored(point(key, offset, t, 8), 20)})
		offset++
	}
	for i := range int64(20) {
		add("old", i+1)
	}
	for i := range int64(60) {
		add("new", i+1)
	}
	f.check(t)
	if h, _ := f.History("old", 100); len(h.Points) != 1 || h.Points[0].T != 20 || h.Complete {
		t.Errorf("of the key longest without change %v is left, want its newest point", steps(h))
	}
	for i := range 60 {
		add(fmt.Sprint("k", i), 1)
		f.check(t)
	}
	if _, ok := f.Latest("old"); ok {
		t.Error("the newest point of the key longest without change is still there")
	}
	if s, owned, known := f.Calibration("old"); !owned || !known || s.Rows != 20 {
		t.Errorf("sums of an evicted key: %+v", s)
	}
	if _, ok := f.Latest("k59"); !ok {
		t.Error("the newest key was evicted")
	}
	for i := range 300 {
		add(fmt.Sprint("many", i), 1)
	}
	f.check(t)
	if _, _, known := f.Calibration("old"); known {
		t.Error("sums grow without bound")
	}
	if all := Together(f.Across("", "")); all.Rows != offset {
		t.Errorf("%d rows are summed over all keys, %d were scored", all.Rows, offset)
	}
}

// A random history of everything keeps the books. Seed 3.
func TestBooks(t *testing.T) {
	f := newFeed(200 << 10)
	rng := rand.New(rand.NewPCG(3, 3))
	shard := map[string]int64{}
	for i := range int64(20_000) {
		key := fmt.Sprint("k", rng.IntN(1+rng.IntN(400)))
		if rng.IntN(50) == 0 {
			f.Saved(home, []*pipeline.Point{{Key: key, Offset: i, Deleted: true}})
			shard[key] = 0
			continue
		}
		shard[key]++
		p := point(key, i, shard[key], rng.IntN(70))
		p.Published = rng.IntN(3) > 0
		if rng.IntN(2) == 0 {
			scored(p, rng.IntN(40))
		}
		f.Saved(home, []*pipeline.Point{p})
		if i%500 == 0 {
			f.check(t)
		}
	}
	f.check(t)
	keys := int64(0)
	for _, id := range f.entries {
		if _, s, _ := f.sumsOf(f.entry(id)); s.Rows > 0 {
			keys++
		}
	}
	if all := Together(f.Across("", "")); all.Keys != keys {
		t.Errorf("%d keys have scored rows, told are %d", keys, all.Keys)
	}
}

func TestFlags(t *testing.T) {
	f := newFeed(1 << 20)
	good, bad, wide := make([]int, 400), make([]int, 400), make([]int, 400)
	for i := range good {
		good[i], bad[i], wide[i] = i%40, 10+i%10, 10+i%10
		if i%10 == 0 { // outside
			bad[i] = 0
		}
	}
	later := func(key string, offset, before int64, bins []int) *pipeline.Point {
		p := scored(point(key, offset, 1, 1), bins...)
		p.Rows, p.N, p.Weight = 400, before+400, 1/(1+800/float64(before))
		return p
	}
	f.Saved(home, []*pipeline.Point{
		later("good", 0, 1000, good), later("bad", 1, 1e5, bad), point("plain", 2, 1, 1),
		// All inside is no fault; the first rows are not judged; many rows behind few count for few.
		later("wide", 4, 1000, wide), later("large", 6, 50, bad),
	})
	for i := range int64(50) { // all outside
		p := scored(point("first", 10+i, i+1, 1), 0)
		p.Rows, p.N, p.Weight = 1, i+1, 1
		f.Saved(home, []*pipeline.Point{p})
	}
	weak := point("weak", 90, 1, 1)
	weak.Weak, weak.PriorDominated, weak.Flagged, weak.MinESS = true, true, true, 99
	f.Saved(home, []*pipeline.Point{weak})
	for key, want := range map[string][]string{
		"good": {}, "plain": {}, "wide": {}, "first": {}, "large": {}, "bad": {PoorCalibration}, "weak": {WeakRHat, LowESS, PriorDominated, ModelFlag},
	} {
		if got := f.Flags(key); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := f.Found(Wanted{Flag: LowESS}); !slices.Equal(got, []string{"weak"}) {
		t.Errorf("with %s: %q", LowESS, got)
	}
}

// The band is that of the binomial law: exact sums of its probabilities.
func TestCoverageBand(t *testing.T) {
	for _, n := range []int64{1, 7, 40, 333, 5000} {
		for _, p := range []float64{.5, .8, .9, .95} {
			lo, hi := binomialQuantile(n, p, tail), binomialQuantile(n, p, 1-tail)
			sum, below, within := 0., 0., 0.
			for k := range n + 1 {
				a, _ := math.Lgamma(float64(n + 1))
				b, _ := math.Lgamma(float64(k + 1))
				c, _ := math.Lgamma(float64(n - k + 1))
				mass := math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
				if k < lo {
					below += mass
				}
				if k >= lo && k <= hi {
					within += mass
				}
				sum += mass
				if math.Abs(sum-binomialCDF(k, n, p)) > 1e-9 {
					t.Fatalf("n %d, p %g: P(X <= %d) is %g, want %g", n, p, k, binomialCDF(k, n, p), sum)
				}
			}
			if below >= tail || within < 1-2*tail {
				t.Errorf("n %d, p %g: %d to %d has %g, %g below", n, p, lo, hi, within, below)
			}
		}
	}
	var s Sums
	var pit cdf.Transforms
	for b := range pit {
		pit[b] = 10
	}
	s.add(&cdf.Score{Rows: 400, LogDensity: -2, RMSE: 3, PIT: pit})
	for _, c := range s.Coverage() {
		if math.Abs(c.Share-c.Nominal) > 1e-12 || !(c.Low < c.Nominal && c.Nominal < c.High) {
			t.Errorf("of uniform transforms: %+v", c)
		}
	}
	if s.LogDensity() != -2 || s.RMSE() != 3 || s.covered95() != 380 {
		t.Errorf("%g %g %d", s.LogDensity(), s.RMSE(), s.covered95())
	}
}

func TestTotals(t *testing.T) {
	f := newFeed(1 << 20)
	now := time.Unix(1000, 0)
	f.clock = func() time.Time { return now }
	for i := range int64(30) {
		f.Saved(home, []*pipeline.Point{point("a", i, i+1, 1)})
		now = now.Add(time.Second)
	}
	f.Saved(home, []*pipeline.Point{{Key: "x", Offset: 40, Dead: pipeline.StageCheck}})
	if got := f.Totals(); got.RowsPerSecond != 10 || got.ShardsPerSecond != 1 || got.DeadLetters != 1 {
		t.Errorf("%+v, want 10 rows and a shard a second, one dead letter", got)
	}
	now = now.Add(time.Minute)
	if got := f.Totals(); got.RowsPerSecond != 0 {
		t.Errorf("a minute later: %+v", got)
	}
}

// Where pasts of keys are dropped for those of others a reader is told so, and what limit
// would do: with that limit the last ten posteriors of each stay.
func TestCrowd(t *testing.T) {
	feed := func(f *Feed, shards, keys int) {
		for s := range shards {
			for k := range keys {
				f.Saved(home, []*pipeline.Point{point(fmt.Sprint("key", k), int64(s*keys+k), int64(s+1), 8)})
			}
		}
	}
	const keys = 300
	f := newFeed(1 << 20)
	feed(f, 1, 10)
	if _, ok := f.Crowded(); ok {
		t.Error("ten keys are a crowd")
	}
	f = newFeed(1 << 20)
	feed(f, 10, keys)
	crowd, ok := f.Crowded()
	if !ok || crowd.Keys != keys {
		t.Fatalf("%v, %+v", ok, crowd)
	}
	h, _ := f.History("key0", 100)
	other, known := f.History("unknown", 100)
	if h.Complete || h.Crowded == nil || *h.Crowded != crowd || known || other.Crowded == nil {
		t.Errorf("the history of a key in a crowd: %d points, %+v; of one that is forgotten %+v", len(h.Points), h.Crowded, other.Crowded)
	}
	f = newFeed(crowd.Needed())
	feed(f, 10, keys)
	if _, ok := f.Crowded(); ok {
		t.Errorf("%d bytes do not do", crowd.Needed())
	}
	for k := range keys {
		if h, _ := f.History(fmt.Sprint("key", k), 100); len(h.Points) != 10 || h.Crowded != nil {
			t.Errorf("key %d has %d points, %+v", k, len(h.Points), h.Crowded)
		}
	}
	if needed := crowd.Needed(); needed > 2*f.Bytes() {
		t.Errorf("%d bytes are asked for, of which %d are used", needed, f.Bytes())
	}
}
