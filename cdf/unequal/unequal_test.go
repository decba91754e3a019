package unequal

import (
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

var streams = flag.Int("unequal-streams", 100, "streams of each sort by which accounts are counted")

// sort is one of streams of rows that are an error beside the level of their group.
type sort struct {
	name                 string
	groups, rows, shards int
	// group is that of a row, any of them where there is none.
	group func(r *rand.Rand, shard, i int) int
	error func(r *rand.Rand, g, shard int) float64
}

// up returns how many streams are unequal at any shard and at the end, and the mean number of rows that it took.
func (s *sort) up(streams int) (ever, end int, rows float64) {
	y, group := make([]float64, s.rows), make([]int32, s.rows)
	var room Room
	for seed := range uint64(streams) {
		r := rand.New(rand.NewPCG(seed, 91))
		levels := make([]float64, s.groups)
		for g := range levels {
			levels[g] = r.NormFloat64()
		}
		var a Account
		first, last := 0, false
		for shard := range s.shards {
			for i := range y {
				g := r.IntN(s.groups)
				if s.group != nil {
					g = s.group(r, shard, i)
				}
				y[i], group[i] = levels[g]+s.error(r, g, shard), int32(g)
			}
			a.Add(y, group, s.groups, &room)
			if last = a.Unequal(); last && first == 0 {
				first = (shard + 1) * s.rows
			}
		}
		if first > 0 {
			ever++
			rows += float64(first)
		}
		if last {
			end++
		}
	}
	return ever, end, rows / float64(max(ever, 1))
}

func normal(r *rand.Rand, _, _ int) float64 { return r.NormFloat64() }

// student returns errors that are t with two degrees of freedom to each exponential.
func student(exponentials int) func(r *rand.Rand, g, shard int) float64 {
	return func(r *rand.Rand, _, _ int) float64 {
		chi := 0.
		for range exponentials {
			chi += r.ExpFloat64()
		}
		return r.NormFloat64() / math.Sqrt(chi/float64(exponentials))
	}
}

func exponential(r *rand.Rand, _, _ int) float64 { return r.ExpFloat64() }
func lognormal(r *rand.Rand, _, _ int) float64   { return math.Exp(r.NormFloat64()) }
func rounded(r *rand.Rand, _, _ int) float64     { return math.Round(r.NormFloat64()) }
func rare(r *rand.Rand, _, _ int) float64        { return math.Floor(r.Float64() + .05) }

// Where errors are of one law in all groups hardly any stream is unequal at any shard, whatever that law is: 1 in 1,000 of normal ones and of t ones, and of skewed ones, whose
// first shards are the reason, 1 in 100 (-unequal-streams 1000).
func TestEqual(t *testing.T) {
	laws := []struct {
		name  string
		error func(r *rand.Rand, g, shard int) float64
	}{
		{"normal", normal}, {"t, 4", student(2)}, {"t, 2", student(1)}, {"exponential", exponential}, {"log-normal", lognormal}, {"rounded", rounded}, {"rare", rare},
	}
	shapes := []sort{
		{name: "two groups, one row", groups: 2, rows: 1, shards: 600},
		{name: "three groups, 5 rows", groups: 3, rows: 5, shards: 100},
		{name: "two groups, 100 rows", groups: 2, rows: 100, shards: 30},
		{name: "20 groups, one row", groups: 20, rows: 1, shards: 1000},
		{name: "20 groups, 20 rows", groups: 20, rows: 20, shards: 60},
		{name: "20 groups, 1,000 rows", groups: 20, rows: 1000, shards: 5},
		{name: "1,000 groups, 100 rows", groups: 1000, rows: 100, shards: 30},
		{name: "1,000 groups, 1,000 rows", groups: 1000, rows: 1000, shards: 8},
		{name: "groups of three rows", groups: 500, rows: 50, shards: 30, group: func(_ *rand.Rand, shard, i int) int { return (50*shard + i) / 3 }},
		{name: "groups of seven rows", groups: 500, rows: 49, shards: 30, group: func(_ *rand.Rand, shard, i int) int { return (49*shard + i) / 7 }},
		{name: "a group for each shard", groups: 40, rows: 20, shards: 40, group: func(_ *rand.Rand, shard, _ int) int { return shard }},
		{name: "groups that come late", groups: 40, rows: 40, shards: 40, group: func(r *rand.Rand, shard, _ int) int { return min(r.IntN(2*shard+2), 39) }},
		{name: "one large group", groups: 20, rows: 100, shards: 20, group: func(r *rand.Rand, _, _ int) int { return max(r.IntN(100)-80, 0) }},
	}
	all, wrong := 0, 0
	for _, law := range laws {
		for _, s := range shapes {
			s.error = law.error
			ever, end, rows := s.up(*streams)
			all, wrong = all+*streams, wrong+ever
			if ever > 0 {
				t.Logf("%s, %s: %d of %d streams, at the end %d, after %.0f rows", law.name, s.name, ever, *streams, end, rows)
			}
			if ever > max(1, *streams/40) {
				t.Errorf("%s, %s: %d of %d streams, at the end %d", law.name, s.name, ever, *streams, end)
			}
		}
	}
	if t.Logf("%d of %d streams", wrong, all); wrong > max(3, all/500) {
		t.Errorf("%d of %d streams are unequal", wrong, all)
	}
}

// What is the same for all groups is none of them, and neither is a row far out nor a level that moves.
func TestCommonChanges(t *testing.T) {
	times := func(sd func(shard int) float64) func(r *rand.Rand, g, shard int) float64 {
		return func(r *rand.Rand, _, shard int) float64 { return sd(shard) * r.NormFloat64() }
	}
	wild := func(at int) func(r *rand.Rand, g, shard int) float64 {
		return func(r *rand.Rand, _, shard int) float64 {
			if shard == at && r.IntN(20) == 0 {
				return 1e4
			}
			return r.NormFloat64()
		}
	}
	for _, s := range []sort{
		{name: "twice the sd", groups: 20, rows: 20, shards: 100, error: times(func(shard int) float64 { return float64(1 + shard/50) })},
		{name: "half the sd, one row", groups: 20, rows: 1, shards: 2000, error: times(func(shard int) float64 { return 1 / float64(1+shard/1000) })},
		{name: "another sd in each shard", groups: 20, rows: 50, shards: 60, error: times(func(shard int) float64 { return math.Exp(.7 * math.Sin(float64(shard))) })},
		{name: "wild rows", groups: 20, rows: 20, shards: 60, error: wild(10)},
		{name: "wild first rows", groups: 20, rows: 20, shards: 60, error: wild(0)},
		{name: "an error of each shard", groups: 20, rows: 20, shards: 100, error: func(r *rand.Rand, _, shard int) float64 {
			return 3*math.Sin(float64(shard*shard)) + r.NormFloat64()
		}},
		{name: "a level that moves by 3", groups: 20, rows: 20, shards: 100, error: func(r *rand.Rand, g, shard int) float64 {
			if g == 3 && shard > 50 {
				return 3 + r.NormFloat64()
			}
			return r.NormFloat64()
		}},
		{name: "a level that moves by 20", groups: 20, rows: 20, shards: 100, error: func(r *rand.Rand, g, shard int) float64 {
			if g == 3 && shard > 50 {
				return 20 + r.NormFloat64()
			}
			return r.NormFloat64()
		}},
	} {
		if ever, end, rows := s.up(*streams); ever > max(1, *streams/100) {
			t.Errorf("%s: %d of %d streams, at the end %d, after %.0f rows", s.name, ever, *streams, end, rows)
		}
	}
}

// Groups of another sd are told, and how soon.
func TestUnequal(t *testing.T) {
	half := func(sd float64) func(r *rand.Rand, g, shard int) float64 {
		return func(r *rand.Rand, g, _ int) float64 { return math.Pow(sd, float64(g%2)) * r.NormFloat64() }
	}
	for _, c := range []struct {
		sort
		most float64 // rows that it takes in the mean
	}{
		{sort{name: "two groups, 1.5", groups: 2, rows: 50, shards: 40, error: half(1.5)}, 600},
		{sort{name: "two groups, 2", groups: 2, rows: 50, shards: 20, error: half(2)}, 230},
		{sort{name: "two groups, 3", groups: 2, rows: 50, shards: 10, error: half(3)}, 100},
		{sort{name: "two groups, 3, one row", groups: 2, rows: 1, shards: 400, error: half(3)}, 150},
		{sort{name: "two groups, 3, behind a wild row", groups: 2, rows: 1, shards: 600, error: func(r *rand.Rand, g, shard int) float64 {
			return 1e4*float64(1-min(shard, 1)) + half(3)(r, g, shard)
		}}, 400},
		{sort{name: "20 groups, 1.5", groups: 20, rows: 50, shards: 60, error: half(1.5)}, 1100},
		{sort{name: "20 groups, 2", groups: 20, rows: 50, shards: 30, error: half(2)}, 480},
		{sort{name: "20 groups, 3", groups: 20, rows: 50, shards: 20, error: half(3)}, 300},
		{sort{name: "20 groups, 4.85", groups: 20, rows: 100, shards: 10, error: half(4.85), group: func(_ *rand.Rand, _, i int) int { return i % 20 }}, 140},
		{sort{name: "200 groups, 2", groups: 200, rows: 50, shards: 60, error: half(2)}, 1500},
		{sort{name: "one of 20, 3", groups: 20, rows: 50, shards: 80, error: func(r *rand.Rand, g, _ int) float64 {
			return math.Pow(3, float64(1-min(g, 1))) * r.NormFloat64()
		}}, 1700},
		{sort{name: "20 groups, 2, of t errors", groups: 20, rows: 50, shards: 60, error: func(r *rand.Rand, g, shard int) float64 {
			return float64(1+g%2) * student(2)(r, g, shard)
		}}, 800},
		{sort{name: "rounded, 2", groups: 20, rows: 50, shards: 60, error: func(r *rand.Rand, g, _ int) float64 {
			return math.Round(float64(1+g%2) * r.NormFloat64())
		}}, 600},
		{sort{name: "half without errors", groups: 4, rows: 40, shards: 10, error: func(r *rand.Rand, g, _ int) float64 {
			return float64(g%2) * r.NormFloat64()
		}}, 130},
	} {
		ever, end, rows := c.up(*streams)
		t.Logf("%s: %d of %d streams, at the end %d, after %.0f rows", c.name, ever, *streams, end, rows)
		if min(ever, end) < *streams*9/10 || rows > c.most {
			t.Errorf("%s: %d of %d streams, at the end %d, after %.0f rows, want %.0f at most", c.name, ever, *streams, end, rows, c.most)
		}
	}
}

// The numbers are those of the formulas, of rows in threes, of which a null and one of no group are none.
func TestNumbers(t *testing.T) {
	var a Account
	var room Room
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	a.Add([]float64{1, 10, math.NaN(), 2, 9, 4, 30, 10}, []int32{0, 1, 0, 0, -1, 0, 1, 0}, 2, &room)
	variance := 7. / 3 // of 1, 2 and 4
	near("scale", float64(a.Scale), 1.5*math.Sqrt(variance)*math.Exp((1/3.25-aim)/slope))
	near("threes", float64(a.Threes), 1)
	if g := a.Groups[0]; g.count != 4+1 || g.first != 10 || g.off != 0 {
		t.Errorf("the first group is %+v", g)
	}
	if g := a.Groups[1]; g.count != 2 || g.first != 10 || g.second != 30 {
		t.Errorf("the second group is %+v", g)
	}
	// The next shard has one of each, and a third group.
	scale, middle := float64(a.Scale), float64(a.Middle)
	a.Groups[0].off = parts / 5
	a.Add([]float64{11, 30, 13, 0}, []int32{0, 1, 0, 2}, 3, &room)
	x, z := 7./3/(7./3+scale*scale), 400./3/(400./3+scale*scale)
	mean := (middle + x + z) / 3
	near("middle", float64(a.Middle), mean)
	near("sum", float64(a.Sum), (x-mean)/5/3)
	near("variance", float64(a.Variance), (x-mean)*(x-mean)/25/9)
	near("off of the first", float64(a.Groups[0].off)/parts, (.2+x-mean)/2)
	near("off of the second", float64(a.Groups[1].off)/parts, z-mean)
	if len(a.Groups) != 3 || a.Groups[2].count != 1 {
		t.Errorf("groups %+v", a.Groups)
	}
	// Responses that 32 bits do not tell apart, or hold, are none.
	was := a.Groups[2]
	a.Add([]float64{1e9, 1e300, math.Inf(1)}, []int32{2, 2, 2}, 3, &room)
	if a.Groups[2] != was {
		t.Errorf("a response far off is in %+v", a.Groups[2])
	}
}

// Of constant responses nothing is known, and behind them all that varies.
func TestConstant(t *testing.T) {
	var a Account
	var room Room
	y, group := make([]float64, 60), make([]int32, 60)
	for i := range group {
		group[i] = int32(i % 3)
	}
	for range 30 {
		a.Add(y, group, 3, &room)
	}
	if a.Scale != 0 || a.Threes != 0 || a.Unequal() {
		t.Errorf("of constants %+v", a)
	}
	r := rand.New(rand.NewPCG(1, 91))
	for range 30 {
		for i := range y {
			y[i] = r.NormFloat64()
		}
		a.Add(y, group, 3, &room)
	}
	if a.Unequal() || math.Abs(float64(a.Middle)-aim) > .1 || math.Abs(float64(a.Scale)-1.4) > .3 {
		t.Errorf("behind constants %+v", a)
	}
	// Where most rows are equal the scale is that of the others.
	for range 100 {
		for i := range y {
			y[i] = math.Floor(r.Float64() + .03)
		}
		a.Add(y, group, 3, &room)
	}
	if a.Scale < .5 || a.Scale > 2 {
		t.Errorf("where few rows differ %+v", a)
	}
}

// Sums fade, so that what was is forgotten, and so does what one shard told by itself.
func TestFades(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 91))
	var a Account
	var room Room
	y, group := make([]float64, 900), make([]int32, 900)
	add := func(sd float64) {
		for i := range y {
			group[i] = int32(i % 10)
			y[i] = math.Pow(sd, float64(group[i]%2)) * r.NormFloat64()
		}
		a.Add(y, group, 10, &room)
	}
	add(3)
	if !a.Early {
		t.Error("the first shard does not tell")
	}
	for range 20 {
		add(3)
	}
	if a.Early || !a.Unequal() {
		t.Errorf("%+v", a)
	}
	shards := 0
	for ; a.Unequal() && shards < 400; shards++ {
		add(1)
	}
	full := Account{Threes: recalled, Scale: 1, Middle: aim, Sum: 70, Variance: 7, Groups: make([]Group, 1)}
	full.Add([]float64{1, 2, 3}, []int32{0, 0, 0}, 1, &room)
	if math.Abs(float64(full.Sum)-70*recalled/(recalled+1.)) > 1e-4 || math.Abs(float64(full.Variance)-7*recalled/(recalled+1.)) > 1e-5 || full.Threes != recalled {
		t.Errorf("of many threes and one %+v", full)
	}
	if shards < 3 || shards > 200 || a.Threes != recalled {
		t.Errorf("down after %d shards, of %g threes", shards, a.Threes)
	}
}

// Of a large shard as many rows are looked at as cost little, of all groups whatever their order.
func TestThin(t *testing.T) {
	var a Account
	y, group := make([]float64, 20*most), make([]int32, 20*most)
	r := rand.New(rand.NewPCG(3, 91))
	for i := range y {
		group[i] = int32(i % 20)
		y[i] = math.Pow(2, float64(group[i]%2)) * r.NormFloat64()
	}
	a.Add(y, group, 20, new(Room))
	if a.Threes < most/3-20 || a.Threes > most/3 {
		t.Errorf("%g threes", a.Threes)
	}
	for g, known := range a.Groups {
		if n := known.count >> 2; n < 8 {
			t.Errorf("group %d has %d threes", g, n)
		}
	}
	if !a.Unequal() {
		t.Errorf("%+v", a)
	}
}

// A variance of groups' means that hardly matters is left alone, however sure it is, and so is one of groups that were on the other side before.
func TestSlight(t *testing.T) {
	a := Account{Threes: 5000, Sum: .9 * departure * 5000, Variance: 1e-3}
	if a.Unequal() {
		t.Errorf("%+v", a)
	}
	if a.Sum *= 1.2; !a.Unequal() {
		t.Errorf("%+v", a)
	}
	if a.Threes, a.Sum = leastThrees-1, 40; a.Unequal() {
		t.Errorf("%+v", a)
	}
}

func TestAgainst(t *testing.T) {
	if a := (Account{Threes: 5000, Sum: -100, Variance: 1}); a.Unequal() {
		t.Errorf("%+v", a)
	}
}

// A group that leaves takes its numbers with it.
func TestRetire(t *testing.T) {
	a := Account{Threes: 9, Groups: []Group{{first: 1}, {first: 2}, {first: 3}, {first: 4}}}
	a.Retire([]int32{0, 2})
	if want := []Group{{first: 2}, {first: 4}}; !reflect.DeepEqual(a.Groups, want) || a.Threes != 9 {
		t.Errorf("%+v, want %+v", a, want)
	}
	a.Retire(nil)
	a.Retire([]int32{0, 1})
	if len(a.Groups) != 0 {
		t.Errorf("%+v", a.Groups)
	}
}
