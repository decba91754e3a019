package bound

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func end(value, next float64, rows, beside float32) End { return End{value, next, rows, beside} }

var inf, nan = math.Inf(1), math.NaN()

// An account begins with a shard that has an extreme three times, and counts rows at both ends, at the values beside these, and of the others those that are
// equal to the one before.
func TestAdd(t *testing.T) {
	for name, c := range map[string]struct {
		shards [][]float64
		want   *Account
	}{
		"no rows":            {[][]float64{{}, {nan}}, nil},
		"twice":              {[][]float64{{1, 1, 2, 2}}, nil},
		"three in the midst": {[][]float64{{1, 2, 2, 2, 3}}, nil},
		"the least":          {[][]float64{{2, 1, nan, 1, 3, 1}}, &Account{Rows: 5, Last: inf, Ends: [2]End{end(1, 2, 3, 1), end(3, 2, 1, 1)}}},
		"the greatest":       {[][]float64{{1, 5, 2, 2, 5, 5, 3}}, &Account{Rows: 7, Between: 3, Equal: 1, Last: 3, Ends: [2]End{end(1, 2, 1, 2), end(5, 3, 3, 1)}}},
		"one value":          {[][]float64{{4, 4, 4}}, &Account{Rows: 3, Last: inf, Ends: [2]End{end(4, inf, 3, 0), end(4, -inf, 3, 0)}}},
		"further rows": {[][]float64{{1, 1, 1, 3}, {2}, {nan}, {2, 4}, {2}},
			&Account{Rows: 8, Between: 3, Equal: 2, Last: 2, Ends: [2]End{end(1, 2, 3, 3), end(4, 3, 1, 1)}}},
		"a new least one": {[][]float64{{1, 1, 1, 3}, {0}, {.5, 0}},
			&Account{Rows: 7, Between: 1, Last: .5, Ends: [2]End{end(0, .5, 2, 1), end(3, 1, 1, 3)}}},
	} {
		var a *Account
		for _, y := range c.shards {
			a = a.Add(y)
		}
		if !reflect.DeepEqual(a, c.want) {
			t.Errorf("%s: %+v, want %+v", name, a, c.want)
		}
	}
}

// Of a large shard rows are looked at evenly apart.
func TestLargeShard(t *testing.T) {
	y := make([]float64, 2*most)
	for i := range y {
		y[i] = float64(i%2) * float64(i) // the odd ones differ
	}
	if a := (*Account)(nil).Add(y); a.Rows != most || a.Ends[0].Rows != most {
		t.Errorf("%+v", a)
	}
	if a := (*Account)(nil).Add(y[1:]); a != nil {
		t.Errorf("%+v of rows that differ", a)
	}
}

// Rows fade.
func TestFades(t *testing.T) {
	a := (*Account)(nil).Add([]float64{0, 0, 0, 1, 1, 2})
	a.Rows, a.Between, a.Equal, a.Ends[0].Rows, a.Ends[0].Beside = recalled-1, 8000, 2000, 4000, 2000
	a.Ends[1].Rows, a.Ends[1].Beside = 400, 200
	b := a.Add([]float64{1.5, 1.7})
	by := float32(recalled) / float32(recalled+1)
	if want := (&Account{Rows: recalled, Between: 8002 * by, Equal: 2000 * by, Last: 1.7, Ends: [2]End{end(0, 1, 4000*by, 2000*by), end(2, 1.7, 400*by, by)}}); !reflect.DeepEqual(b, want) {
		t.Errorf("%+v, want %+v", b, want)
	}
}

// A bound is told of an end where more rows are than beside it, than two rows are equal, and than matters.
func TestPiled(t *testing.T) {
	for name, c := range map[string]struct {
		rows, between, equal float32
		ends                 [2]End
		want                 int // -1: neither
	}{
		"cut off":       {1000, 800, 0, [2]End{end(0, .1, 200, 1), end(9, 8, 1, 1)}, 0},
		"cut off above": {1000, 800, 0, [2]End{end(0, .1, 1, 1), end(9, 8, 200, 1)}, 1},
		"the more":      {1000, 700, 0, [2]End{end(0, .1, 100, 1), end(9, 8, 200, 1)}, 1},
		"few rows":      {1000, 800, 0, [2]End{end(0, .1, 15, 1), end(9, 8, 1, 1)}, -1},   // 15.7
		"enough":        {1000, 800, 0, [2]End{end(0, .1, 16, 1), end(9, 8, 1, 1)}, 0},    //
		"a small part":  {10000, 9000, 0, [2]End{end(0, .1, 99, 1), end(9, 8, 1, 1)}, -1}, // 100
		"many beside":   {1000, 700, 0, [2]End{end(0, .1, 200, 47), end(9, 8, 1, 1)}, -1}, // 202.9
		"less beside":   {1000, 700, 0, [2]End{end(0, .1, 200, 46), end(9, 8, 1, 1)}, 0},  // 199.7
		"a rounded one": {1000, 800, 37, [2]End{end(0, 1, 200, 20), end(9, 8, 1, 1)}, -1}, // 160 < 166
		"less rounded":  {1000, 800, 34, [2]End{end(0, 1, 200, 20), end(9, 8, 1, 1)}, 0},  // 160 > 155
		"none between":  {1000, 0, 0, [2]End{end(0, 1, 900, 100), end(1, 0, 100, 900)}, -1},
		"ratings":       {1000, 300, 100, [2]End{end(1, 2, 10, 5), end(5, 4, 690, 100)}, -1},
	} {
		a := &Account{Rows: c.rows, Between: c.between, Equal: c.equal, Ends: c.ends}
		got := -1
		for i := range a.Ends {
			if a.Piled() == &a.Ends[i] {
				got = i
			}
		}
		if got != c.want {
			t.Errorf("%s: end %d, want %d", name, got, c.want)
		}
	}
	if (*Account)(nil).Piled() != nil {
		t.Error("of no account there is a bound")
	}
}

// What is appended is read, and what Add cannot have left is refused.
func TestCodec(t *testing.T) {
	good := (*Account)(nil).Add([]float64{0, 0, 0, 1, 2, 2, 3})
	for _, a := range []*Account{good, (*Account)(nil).Add([]float64{4, 4, 4}), (*Account)(nil).Add([]float64{4, 4, 4, 5})} {
		b := append(a.Append(nil), 7)
		if len(b) != size+1 {
			t.Errorf("%d bytes, want %d", len(b)-1, size)
		}
		for n := range len(b) + 1 {
			got := new(Account)
			if rest, ok := got.Read(b[:n]); ok != (n >= size) || ok && (len(rest) != n-size || !reflect.DeepEqual(got, a)) {
				t.Errorf("%d of %d bytes are read as %+v, %t", n, len(b), got, ok)
			}
		}
	}
	for name, spoil := range map[string]func(a *Account){
		"no rows":          func(a *Account) { a.Rows = 0 },
		"too many":         func(a *Account) { a.Rows = recalled + 1 },
		"no number":        func(a *Account) { a.Ends[0].Rows = float32(nan) },
		"less than none":   func(a *Account) { a.Ends[1].Beside = -1 },
		"more are equal":   func(a *Account) { a.Equal = a.Between + 1 },
		"no value":         func(a *Account) { a.Ends[0].Value = nan },
		"an infinite one":  func(a *Account) { a.Ends[1].Value = inf },
		"the wrong order":  func(a *Account) { a.Ends[0].Value, a.Ends[1].Value = 3, 0 },
		"last at an end":   func(a *Account) { a.Last = 3 },
		"last no number":   func(a *Account) { a.Last = nan },
		"beside the least": func(a *Account) { a.Ends[0].Next = 0 },
		"beyond":           func(a *Account) { a.Ends[0].Next = 4 },
		"beside the most":  func(a *Account) { a.Ends[1].Next = 3 },
		"below":            func(a *Account) { a.Ends[1].Next = -1 },
	} {
		bad := *good
		if spoil(&bad); bad.valid() {
			t.Errorf("%s: %+v is read", name, bad)
		}
		if _, ok := new(Account).Read(bad.Append(nil)); ok {
			t.Errorf("%s is read", name)
		}
	}
}

// Of responses that are rounded, or of few values, a bound is told at no shard of 200 streams of each sort; of those that are cut off in all, at the end.
func TestNoBound(t *testing.T) {
	const streams = 200
	rounded := func(grain float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return grain * math.Round(r.NormFloat64()/grain) }
	}
	rating := func(parts ...float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			u, k := r.Float64(), 0
			for k < len(parts) && u > parts[k] {
				k++
			}
			return float64(k)
		}
	}
	for _, c := range []struct {
		name         string
		shards, rows int
		y            func(r *rand.Rand) float64
		up           bool
	}{
		{"normal", 60, 20, (*rand.Rand).NormFloat64, false},
		{"integers", 60, 20, rounded(1), false},
		{"integers of one row", 1200, 1, rounded(1), false},
		{"integers of 300", 20, 300, rounded(1), false},
		{"quarters", 60, 20, rounded(.25), false},
		{"tenths", 60, 20, rounded(.1), false},
		{"two values", 60, 20, rating(.9), false},
		{"ratings", 60, 20, rating(.1, .2, .4, .7), false},
		{"ratings that are mostly the greatest", 60, 20, rating(.01, .03, .06, .2), false},
		{"ratings at both ends", 60, 20, rating(.3, .35, .4, .5), false},
		{"exponential tenths", 60, 20, func(r *rand.Rand) float64 { return math.Floor(10*r.ExpFloat64()) / 10 }, false},
		{"heavy tails", 60, 20, func(r *rand.Rand) float64 { return math.Round(10*r.NormFloat64()/r.NormFloat64()) / 10 }, false},
		{"constant", 60, 20, func(*rand.Rand) float64 { return 3 }, false},
		{"a third is cut off", 5, 20, func(r *rand.Rand) float64 { return max(r.NormFloat64(), -.43) }, true},
		{"a tenth is cut off above", 20, 20, func(r *rand.Rand) float64 { return min(r.NormFloat64(), 1.28) }, true},
		{"scores of at most 100", 100, 20, func(r *rand.Rand) float64 { return min(math.Round(85+15*r.NormFloat64()), 100) }, true},
	} {
		ever, last := 0, 0
		y := make([]float64, c.rows)
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 121))
			var a *Account
			once, up := false, false
			for range c.shards {
				for i := range y {
					y[i] = c.y(r)
				}
				a = a.Add(y)
				up = a.Piled() != nil
				once = once || up
			}
			if once {
				ever++
			}
			if up {
				last++
			}
		}
		t.Logf("%s: up in %d of %d streams, at the end in %d", c.name, ever, streams, last)
		if c.up && last < streams*19/20 || !c.up && ever > 0 {
			t.Errorf("%s: up in %d of %d streams, at the end in %d", c.name, ever, streams, last)
		}
	}
}
