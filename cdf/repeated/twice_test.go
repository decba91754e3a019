package repeated

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

var rowStreams = flag.Int("row-streams", 4, "streams of each sort by which rows that come again are counted")

// streams counts those in which rows are told of at any shard and at the last, and after how many shards they first are.
func (l law) streams(n, shards int, part float64, copies int) (ever, last int, first float64) {
	for seed := range uint64(*rowStreams) {
		r, rows := rand.New(rand.NewPCG(seed, 122)), 0
		var a *Twice
		var room Room
		once, up := false, false
		for k := range shards {
			s := l.shard(r, n, part, copies)
			rows += len(s.y)
			a = a.Add(s.table(), 1, &room)
			if up = a.Part(float64(rows)) > 0; up && !once {
				once = true
				ever++
				first += float64(k + 1)
			}
		}
		if up {
			last++
		}
	}
	return ever, last, first / float64(max(ever, 1))
}

// Of rows that are the same by chance none is told of, at any shard: rounded and exact responses, levels and grids, heaps, columns and levels that shards
// have for themselves.
func TestOnce(t *testing.T) {
	list := once()
	for _, size := range [][2]int{{1, 500}, {5, 400}, {20, 60}, {100, 40}, {1000, 12}} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if ever, _, first := list[name].streams(size[0], size[1], 0, 0); ever > 0 {
				t.Errorf("%s, %d rows: up in %d of %d streams, first after %.1f shards", name, size[0], ever, *rowStreams, first)
			}
		}
	}
}

// Rows of which one in 20 comes twice, one in five, or all, are told of.
func TestComeAgain(t *testing.T) {
	list := fine()
	for _, size := range [][2]int{{20, 90}, {100, 30}, {1000, 20}} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			for _, part := range []float64{.05, .2, 1} {
				_, last, first := list[name].streams(size[0], size[1], part, 1)
				t.Logf("%s, %d rows, %g come again: up at the end in %d of %d streams, first after %.1f shards", name, size[0], part, last, *rowStreams, first)
				if last < *rowStreams*9/10 {
					t.Errorf("%s, %d rows, %g come again: up at the end in %d of %d streams", name, size[0], part, last, *rowStreams)
				}
			}
		}
	}
	for _, copies := range []int{2, 3} {
		if _, last, _ := five(5, 0).streams(20, 30, 1, copies); last < *rowStreams {
			t.Errorf("%d more of each row: up at the end in %d of %d streams", copies, last, *rowStreams)
		}
	}
}

// What is told is the part of the rows that came before in their shards; of one in 100 nothing is.
func TestPartOfRows(t *testing.T) {
	for part, want := range map[float64]float64{1: .5, .2: 1. / 6, .01: 0} {
		r, rows := rand.New(rand.NewPCG(1, 122)), 0
		var a *Twice
		var room Room
		for range 60 {
			s := five(2, 0).shard(r, 100, part, 1)
			rows += len(s.y)
			a = a.Add(s.table(), 1, &room)
		}
		if got := a.Part(float64(rows)); math.Abs(got-want) > .02 {
			t.Errorf("%g come again: %.3f of the rows, want %.3f", part, got, want)
		}
		// Rows that are forgotten count no longer.
		for range 60 {
			a.Discount(.9)
			a = a.Add(five(2, 0).shard(r, 100, 0, 0).table(), 1, &room)
		}
		if got := a.Part(1000); got > 0 {
			t.Errorf("%g came again: %.3f of the rows are after they were forgotten", part, got)
		}
	}
}

// All shards are looked at at first, and then one in eight, with gaps of at most 13, which counts for as many.
func TestLooks(t *testing.T) {
	count, gap, widest := 0, 0, 0
	for number := int64(1); number <= 80_000; number++ {
		if got := Looks(attentive-1, number); got != 1 {
			t.Fatalf("shard %d counts for %d among the first rows", number, got)
		}
		n := Looks(attentive, number)
		count += n
		if gap++; n > 0 {
			widest, gap = max(widest, gap), 0
		}
	}
	if count < 79_900 || count > 80_100 || widest > 13 {
		t.Errorf("80,000 shards count for %d, the widest gap is %d", count, widest)
	}
}

// Rows are told of where enough came again, and neither chance nor a unit, common values or shards with levels of their own explain it.
func TestTold(t *testing.T) {
	columns := Twice{Again: 50, Sets: 36, Squares: 36_000, Found: 36, Alike: 40, Chances: 11_250, Shards: 3} // 15 are expected
	responses := Twice{Again: 50, Sets: 64, Squares: 64_000, Natural: 6.4, Alike: 900, Chances: 10_000, Shards: 10}
	for name, c := range map[string]struct {
		of     Twice
		change func(a *Twice)
		told   bool
	}{
		"by columns":                  {columns, func(*Twice) {}, true},
		"by responses":                {responses, func(*Twice) {}, true},
		"too few rows":                {columns, func(a *Twice) { a.Again = 19 }, false},
		"too few sets":                {columns, func(a *Twice) { a.Sets, a.Squares = 7, 1 }, false},
		"fewer are expected":          {columns, func(a *Twice) { a.Chances-- }, false},
		"one has the columns":         {columns, func(a *Twice) { a.Columns = 1 }, false},
		"one of more":                 {columns, func(a *Twice) { a.Columns, a.Chances = 1, 15_750 }, true},
		"columns without responses":   {columns, func(a *Twice) { a.Alike = 41 }, false},
		"no rows are alike":           {columns, func(a *Twice) { a.Alike, a.Found = 0, 0 }, false},
		"a response that others have": {columns, func(a *Twice) { a.Responses = 563 }, false},
		"few shards":                  {responses, func(a *Twice) { a.Shards = 9 }, false},
		"one has the response":        {responses, func(a *Twice) { a.Responses = 1 }, false},
		"one of more has":             {responses, func(a *Twice) { a.Responses, a.Chances = 1, 15_400 }, true},
		"few sets":                    {responses, func(a *Twice) { a.Sets, a.Squares, a.Natural = 39, 20_000, 0 }, false},
		"a set of three":              {responses, func(a *Twice) { a.Many = 1 }, true},
		"two of them":                 {responses, func(a *Twice) { a.Many = 2 }, false},
		"a unit":                      {responses, func(a *Twice) { a.Natural = 6.5 }, false},
		"before a shard":              {Twice{Again: 50}, func(*Twice) {}, false},
	} {
		a := c.of
		if c.change(&a); a.Part(1000) > 0 != c.told {
			t.Errorf("%s: told %t, %.2f are expected", name, !c.told, a.expected())
		}
	}
	if (*Twice)(nil).Part(1000) != 0 || columns.Part(10) != 1 {
		t.Error("another part")
	}
}

// No account is made of shards none of whose rows comes again, and a shard of many rows is looked at in part.
func TestNoAccount(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 122))
	var room Room
	for _, n := range []int{1, 2, 10, 100, 10_000} {
		for _, unit := range []float64{0, .01, 1} {
			if a := (*Twice)(nil).Add(five(5, unit).shard(r, n, 0, 0).table(), 1, &room); a != nil {
				t.Errorf("%d rows, unit %g: %+v", n, unit, a)
			}
		}
	}
	between := new(shard) // the ends of the columns are the same in all rows
	for i := range 40 {
		between.add(1, float64(i), 2, float64(i/2))
	}
	if a := (*Twice)(nil).Add(between.table(), 1, &room); a != nil {
		t.Errorf("rows that differ in a column: %+v", a)
	}
	const n = 100_000
	a := (*Twice)(nil).Add(five(5, 0).shard(r, n, 1, 1).table(), 1, &room)
	if math.Abs(float64(a.Again)/n-.5) > .2 || math.Abs(float64(a.Sets)/n-.5) > .2 || a.Found != a.Alike || a.Kept != prints {
		t.Errorf("%d rows that come twice: %+v", n, a)
	}
}

// The unit of distances is found, whatever it is, and none of those that have none.
func TestUnitAmong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 122))
	for _, unit := range []float64{.001, .1, 1. / 15, 1, 7, 5. / 9} {
		y, apart := make([]float64, 20), []float64(nil)
		for i := range y {
			y[i] = 32*5./9 + unit*math.Round(20*r.NormFloat64())
			if d := math.Abs(y[i] - y[max(i-1, 0)]); d > 0 {
				apart = append(apart, d)
			}
		}
		if got := unitAmong(apart, y); math.Abs(got/unit-1) > 1e-6 {
			t.Errorf("a unit of %g is taken for %g", unit, got)
		}
	}
	if got := unitAmong(normal(r, 20), normal(r, 20)); got != 0 {
		t.Errorf("normal distances have the unit %g", got)
	}
}

func normal(r *rand.Rand, n int) []float64 {
	return drawn(r, n, func() float64 { return math.Abs(r.NormFloat64()) })
}

// A common response tells nothing, and is one that more than a fifth of the rows have.
func TestCommon(t *testing.T) {
	y := make([]float64, 100)
	for i := range y {
		switch y[i] = float64(i); {
		case i%4 == 1:
			y[i] = -1
		case i%5 == 2:
			y[i] = -2
		}
	}
	var room Room
	if room.findCommon(y); !slices.Equal(room.common, []float64{-1}) {
		t.Errorf("common are %v", room.common)
	}
	s := new(shard)
	for i := range 40 {
		s.add(float64(i/2), 0)
	}
	if a := (*Twice)(nil).Add(s.table(), 1, &room); a != nil {
		t.Errorf("rows with a common response: %+v", a)
	}
}

// What is appended is read, and what Add cannot have left is refused.
func TestTwiceCodec(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 122))
	for _, shards := range []int{1, 2, 9, 60} {
		var a *Twice
		var room Room
		for range shards {
			a = a.Add(five(2, 0).shard(r, 20, .3, 1).table(), 1, &room)
		}
		b := append(a.Append(nil), 7)
		for n := range len(b) + 1 {
			got := new(Twice)
			if rest, ok := got.Read(b[:n]); ok != (n >= len(b)-1) || ok && (len(rest) != n-len(b)+1 || !reflect.DeepEqual(got, a)) {
				t.Fatalf("%d of %d bytes are read as %+v, %t", n, len(b), got, ok)
			}
		}
		for name, spoil := range map[string]func(a *Twice){
			"less than none":    func(a *Twice) { a.Again = -1 },
			"no number":         func(a *Twice) { a.Sets = float32(math.NaN()) },
			"infinite":          func(a *Twice) { a.Chances = float32(math.Inf(1)) },
			"no shard":          func(a *Twice) { a.Squares = 0 },
			"too many sets":     func(a *Twice) { a.Many = a.Sets + 1 },
			"more than alike":   func(a *Twice) { a.Found = a.Alike + 1 },
			"none remembered":   func(a *Twice) { a.Kept = 0 },
			"too many":          func(a *Twice) { a.Kept = prints + 1 },
			"another next":      func(a *Twice) { a.Next = prints },
			"too many compared": func(a *Twice) { a.Shards = leastShards + 1 },
		} {
			bad := *a
			if spoil(&bad); bad.valid() {
				t.Errorf("%s: %+v is valid", name, bad)
			}
			if bad.Kept > prints {
				continue
			}
			if _, ok := new(Twice).Read(bad.Append(nil)); ok {
				t.Errorf("%s is read", name)
			}
		}
	}
}

// Hashes are stored: those of the responses and columns of before are the same for ever.
func TestPrintOfRow(t *testing.T) {
	h := []uint64{0, 0}
	HashNumbers(h, []float64{1, math.Pi, 2}, []int32{1, 2})
	HashNumbers(h, []float64{.1, -3}, nil)
	if got := fmt.Sprintf("%x %x %x %x", h[0], h[1], printOf(math.Pi), printOf(math.Copysign(0, -1))); got != "ccc7a9b3b026270a 60a8000000000000 cd66a2da 0" {
		t.Errorf("hashes %s", got)
	}
}
