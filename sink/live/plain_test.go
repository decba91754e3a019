package live

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// plain remembers all points of all keys as they came: what a feed says is compared with it.
type plain struct {
	keys   map[string]*plainKey
	events []Point
}

type plainKey struct {
	kind     string
	t        int64
	complete bool
	points   []Point
	sums     Sums
	inside   inside
}

func (p *plain) saved(o *pipeline.Point) {
	if o.Deleted {
		delete(p.keys, o.Key)
		p.events = append(p.events, Point{Point: o})
		return
	}
	k := p.keys[o.Key]
	if k == nil || o.T <= k.t || k.kind != o.Kind {
		k = &plainKey{kind: o.Kind, complete: o.T == 1}
		p.keys[o.Key] = k
	} else if o.T != k.t+1 {
		k.complete = false
	}
	k.t = o.T
	if o.Score.Rows > 0 {
		k.sums.add(&o.Score)
		k.inside.add(o)
	}
	if o.Published {
		k.points = append(k.points, Point{o, k.inside})
		p.events = append(p.events, k.points[len(k.points)-1])
	}
}

// check returns of how many shards a feed has rows, which are the newest that have any: all that may be
// kept where there is room, or no more than there are points.
func (k *plainKey) check(t *testing.T, key string, f *Feed, room bool) int {
	t.Helper()
	seen := slices.DeleteFunc(slices.Clone(k.points), func(p Point) bool { return len(p.Observed) == 0 })
	h, _ := f.History(key, 1<<30)
	most := min(keptObserved, len(h.Points), len(seen))
	rows, _, _ := f.Observed(key, 1<<30)
	shards := 0
	for shards < most && !same(rows, observed(seen[len(seen)-shards:])) {
		shards++
	}
	if !same(rows, observed(seen[len(seen)-shards:])) || room && len(h.Points) == len(k.points) && shards < most {
		t.Fatalf("%s: %d rows of %d shards, where %d have some, and %d points of %d", key, len(rows), shards, len(seen), len(h.Points), len(k.points))
	}
	return shards
}

// observed returns the rows of points.
func observed(points []Point) (rows []Observed) {
	for _, p := range points {
		for j, o := range p.Observed {
			numbers, labels := p.Given.Row(j)
			rows = append(rows, Observed{Observed: o, T: p.T, Offset: p.Offset, Time: p.Time, Names: p.Given.Names, Numbers: numbers, Labels: labels})
		}
	}
	return rows
}

// said writes all of a value that an answer may tell of, floating-point numbers as their bits;
// no slice and an empty one are the same.
func said(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		said(b, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(b, " %s:", v.Type().Field(i).Name)
			said(b, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		b.WriteByte('[')
		for i := range v.Len() {
			said(b, v.Index(i))
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case reflect.Float64:
		fmt.Fprintf(b, "%x", math.Float64bits(v.Float()))
	default:
		fmt.Fprintf(b, "%v", v)
	}
}

func same(a, b any) bool {
	var x, y strings.Builder
	said(&x, reflect.ValueOf(a))
	said(&y, reflect.ValueOf(b))
	return x.String() == y.String()
}

// bared are points without their rows, which Observed tells.
func bared(points []Point) []Point {
	points = slices.Clone(points)
	for i, p := range points {
		o := *p.Point
		o.Observed, o.Given = nil, pipeline.Given{}
		points[i].Point = &o
	}
	return points
}

// wild is a random shard of a key with everything that a point may have.
func wild(r *rand.Rand, key string, offset, t int64) *pipeline.Point {
	number := func() float64 {
		switch r.IntN(12) {
		case 0:
			return math.Inf(1 - 2*r.IntN(2))
		case 1, 2, 3:
			return math.NaN()
		case 4:
			return math.Float64frombits(0xfff8<<48 | r.Uint64()>>13) // another NaN
		case 5:
			return math.Copysign(0, -1)
		}
		return r.NormFloat64() * math.Exp(20*r.NormFloat64())
	}
	p := point(key, offset, t, [...]int{0, 1, 7, r.IntN(65)}[r.IntN(4)])
	for i := range p.Numbers {
		p.Numbers[i] = number()
	}
	if r.IntN(20) == 0 && len(p.Names) > 0 {
		p.Names[0] = fmt.Sprint("level[", r.IntN(1000), "]")
	}
	p.Kind, p.Variant = [...]string{"linear", "probit"}[r.IntN(50)/49], [...]string{"corrected", "paper"}[r.IntN(2)]
	p.N, p.Rows, p.NEff, p.MinESS, p.Variables = r.Int64(), r.Int64N(1000), number(), number(), p.Variables+r.IntN(2)
	p.Weak, p.PriorDominated, p.Flagged, p.Published = r.IntN(5) == 0, r.IntN(5) == 0, r.IntN(5) == 0, r.IntN(4) > 0
	p.Time = r.Int64N(2e12) - 1e10
	if r.IntN(3) > 0 {
		p.Score = cdf.Score{Rows: 1 + r.Int64N(50), PredictedRows: r.Int64N(3), LogDensity: number(), LogEvidence: number(), RMSE: number(), Coverage95: number(), Wild: r.Uint32()}
		for range p.Score.Rows * min(1, p.Score.Rows%7) { // some models have no transforms
			p.Score.PIT[r.IntN(cdf.PITBins)]++
		}
	}
	if !p.Published { // as the pipeline has it
		p.Names, p.Numbers, p.Variables, p.MinESS = nil, nil, 0, 0
		return p
	}
	for row := range r.IntN(9) {
		p.Observed = append(p.Observed, cdf.Observed{Row: int64(row), Y: number(), Mean: number(), PIT: number(), Q: [6]float64{number(), number(), number()}})
	}
	if inputs := r.IntN(4); len(p.Observed) > 0 && inputs > 0 {
		for i := range inputs {
			p.Given.Names = append(p.Given.Names, fmt.Sprint("x", i))
		}
		for range len(p.Observed) * inputs {
			p.Given.Numbers = append(p.Given.Numbers, number())
			if inputs == 3 {
				p.Given.Labels = append(p.Given.Labels, strings.Repeat("\u00e9", r.IntN(3)))
			}
		}
	}
	return p
}

// TestAnswersArePoints: of random histories, with keys that begin anew and are deleted, with numbers and
// words of all sorts, a feed with room says what the points are that it was told of, bit for bit, and one
// without says a newest part of it. Hashes of keys that are the same for many keys change nothing.
func TestAnswersArePoints(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 64))
	const little = 1 << 20
	all, some, want := newFeed(256<<20), newFeed(little), plain{keys: map[string]*plainKey{}}
	some.hash = func(key string) uint32 { return uint32(len(key)) }
	start := all.End()
	shard := map[string]int64{}
	for offset := range int64(2500) {
		key := fmt.Sprint("k", r.IntN(1+r.IntN(80)))
		var p *pipeline.Point
		switch r.IntN(300) {
		case 0:
			p = &pipeline.Point{Key: key, Offset: offset, Time: 7, Deleted: true}
			shard[key] = 0
		case 1:
			shard[key] = 0 // deleted by another process
			fallthrough
		default:
			shard[key] += 1 + int64(r.IntN(30)/29)
			p = wild(r, key, offset, shard[key])
		}
		want.saved(p)
		for _, f := range []*Feed{all, some} {
			f.Saved(home, []*pipeline.Point{p})
			if offset%400 == 0 {
				f.check(t)
			}
		}
		if n := some.Bytes(); n > little {
			t.Fatalf("%d bytes are held of %d", n, little)
		}
	}
	if _, crowded := all.Crowded(); crowded || len(all.entries) != len(want.keys) {
		t.Fatalf("%d keys of %d are remembered where all have room, crowded %v", len(all.entries), len(want.keys), crowded)
	}
	if _, crowded := some.Crowded(); !crowded {
		t.Fatal("all have room where they should not")
	}
	pasts, rows := 0, 0
	for key, k := range want.keys {
		rows += k.check(t, key, all, true) + k.check(t, key, some, false)
		h, known := all.History(key, 1<<30)
		if !known || h.Complete && !k.complete {
			t.Fatalf("%s: known %v, complete %v, want %v", key, known, h.Complete, k.complete)
		}
		if n := len(k.points) - len(h.Points); n != 0 { // a key has at most keyBytes
			_, e := all.find(key)
			if k.points = k.points[n:]; e.bytes() < keyBytes*9/10 {
				t.Fatalf("%s: %d points are missing of %d, in %d bytes", key, n, len(h.Points)+n, e.bytes())
			}
		}
		if !same(h.Points, bared(k.points)) {
			t.Fatalf("%s: the points differ", key)
		}
		for i, p := range h.Points {
			if !slices.Equal(p.Flags(), k.points[i].Flags()) {
				t.Fatalf("%s: the flags of point %d are %q, want %q", key, i, p.Flags(), k.points[i].Flags())
			}
		}
		if n := len(k.points); n > 0 {
			last := bared(k.points[n-1:])[0].Point
			if now, ok := all.Latest(key); !ok || !same(now, Now{last, k.sums, flags(last, k.inside)}) {
				t.Fatalf("%s: the newest differs", key)
			}
		}
		if sums, _, _ := all.Calibration(key); !same(sums, k.sums) {
			t.Fatalf("%s: sums are %+v, want %+v", key, sums, k.sums)
		}
		h, _ = some.History(key, 1<<30)
		if !same(h.Points, bared(k.points[len(k.points)-len(h.Points):])) {
			t.Fatalf("%s: points without room are not the newest %d", key, len(h.Points))
		}
		pasts += len(h.Points)
	}
	if pasts == 0 || rows == 0 {
		t.Errorf("%d points are left where there is little room, rows of %d shards anywhere", pasts, rows)
	}
	for _, p := range []int64{0, 1e11, 1e12} {
		var found []string
		for key, k := range want.keys {
			if slices.ContainsFunc(k.points, func(q Point) bool { return q.Time >= p+1 && slices.Contains(q.Flags(), WeakRHat) }) {
				found = append(found, key)
			}
		}
		slices.Sort(found)
		if got := all.Found(Wanted{Flag: WeakRHat, From: p + 1}); !slices.Equal(got, found) {
			t.Errorf("found with a flag after %d: %q, want %q", p, got, found)
		}
	}
	if got := all.Found(Wanted{}); !slices.Equal(got, slices.Sorted(maps.Keys(want.withPoints()))) {
		t.Errorf("found are %q", got)
	}
	got := []Point{}
	for at := start; ; {
		list, next, _, lost := all.Read(at, 100)
		if lost {
			t.Fatal("events are lost where all have room")
		}
		for _, e := range list {
			got = append(got, e.Point)
		}
		if at = next; len(list) == 0 {
			break
		}
	}
	if !same(got, bared(want.events)) {
		t.Errorf("%d events differ from %d", len(got), len(want.events))
	}
}

func (p *plain) withPoints() map[string]*plainKey {
	with := maps.Clone(p.keys)
	maps.DeleteFunc(with, func(_ string, k *plainKey) bool { return len(k.points) == 0 })
	return with
}

// TestForgottenKeysGiveBack: when all keys are deleted, and the log has gone on, nothing is left of them.
func TestForgottenKeysGiveBack(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	f := newFeed(64 << 20)
	offset := int64(0)
	for ; offset < 6_000; offset++ {
		f.Saved(home, []*pipeline.Point{wild(r, fmt.Sprint("k", offset%1500), offset, offset/1500+1)})
	}
	many := f.Bytes()
	for key := range 1500 {
		f.Saved(home, []*pipeline.Point{{Key: fmt.Sprint("k", key), Offset: offset, Deleted: true}})
		offset++
	}
	f.check(t)
	if f.sums != 0 || f.held() != 0 || len(f.index.heads) != 1 {
		t.Errorf("%d bytes of entries and %d of points are left of no key", f.sums, f.held())
	}
	f.log.limit = 0
	f.Saved(home, []*pipeline.Point{{Key: "k", Offset: offset, Deleted: true}})
	if f.Bytes() != 0 || f.pool.Used() != 0 {
		t.Errorf("%d bytes of %d are left of no key and no event: %d of words", f.Bytes(), many, f.words.bytes)
	}
}

// TestMemoryIsBounded: a feed has at most the memory that it was given, whatever comes after
// what: few keys with long pasts, then many that have nothing but sums, then names that no two points
// share, small events, and long pasts again.
func TestMemoryIsBounded(t *testing.T) {
	const limit = 2 << 20
	r := rand.New(rand.NewPCG(4, 4))
	f, offset, peak := newFeed(limit), int64(0), int64(0)
	shard := map[string]int64{}
	for phase, kind := range []string{"pasts", "sums", "names", "small", "pasts"} {
		for range 4000 {
			key := fmt.Sprint(kind, r.IntN(map[string]int{"pasts": 40, "sums": 1e6, "names": 10, "small": 1e6}[kind]))
			shard[key]++
			p := wild(r, key, offset, shard[key])
			p.Published, p.Observed, p.Given = true, nil, pipeline.Given{}
			switch kind {
			case "sums":
				p.Published = false
			case "names":
				p.Names = []string{fmt.Sprint(strings.Repeat("n", 2000), offset)}
			case "small":
				p.Names, p.Numbers = nil, nil
			}
			f.Saved(home, []*pipeline.Point{p})
			offset++
			if n := f.Bytes(); n > limit {
				t.Fatalf("phase %d: %d bytes are held of %d", phase, n, limit)
			}
			peak = max(peak, f.Bytes())
		}
		f.check(t)
	}
	if peak < limit/4*3 {
		t.Errorf("at most %d bytes were held of %d", peak, limit)
	}
}
