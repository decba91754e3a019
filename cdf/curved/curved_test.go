package curved

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// told returns a shard of rows of one column with the given scores.
func told(x, scores []float64) *Shard {
	s := new(Shard)
	copy(s.Begin(len(x)), scores)
	return s
}

var one = []Run{{0, 1}}

// The sums are those of the formulas: of the first shard by its own variance or square, and of the next beside it.
func TestSums(t *testing.T) {
	a := Account{Columns: make([]Column, 2)}
	s := new(Shard)
	copy(s.Begin(2), []float64{.5, -1})
	// Columns 1 and 3 of four. What is beyond the bound counts as it.
	x := []float64{9, 1, 9, -5, 9, -2, 9, .5}
	a.Add(s, x, 4, []Run{{1, 1}, {3, 1}}, nil, 2)
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("rows", a.Rows, 2)
	near("off", a.Columns[0].Off, 1*.5-4)
	near("variance", a.Columns[0].Variance, .25+16)
	near("level", a.Columns[0].Level, 2.5)
	near("slope", a.Columns[0].Slope, (1-8.)/2)
	near("off of the other", a.Columns[1].Off, 4*.5-.25)
	near("variance of the other", a.Columns[1].Variance, 4+.0625)
	// The next shard: weights are less the line, and half of the sum was to be expected.
	copy(s.Begin(1), []float64{2})
	a.Add(s, []float64{0, 1, 0, 0}, 4, []Run{{1, 1}, {3, 1}}, nil, 1)
	w := 1 - 2.5 + 3.5
	near("off behind two shards", a.Columns[0].Off, -3.5+2*w)
	near("variance behind two shards", a.Columns[0].Variance, 16.25+(2*w+1.75)*(2*w+1.75))
	near("level behind two shards", a.Columns[0].Level, 2.5+w/3)
	near("rows behind two shards", a.Rows, 3)
	// More columns than before, of a shard whose rows agree: the square of their sum is the variance.
	five := Account{Columns: make([]Column, 5)}
	copy(s.Begin(2), []float64{1, .5})
	five.Add(s, []float64{1, 1, 1, 1, 2, 1, 1, 1, 1, -2}, 5, []Run{{0, 5}}, nil, 2)
	near("off of the last of five", five.Columns[4].Off, 6)
	near("variance of the last of five", five.Columns[4].Variance, 36)
}

// Of a large shard rows that stand apart are looked at, as many as cost little, and count as these.
func TestThin(t *testing.T) {
	a := Account{Columns: make([]Column, 1)}
	x, scores := make([]float64, most), make([]float64, most)
	for i := range x {
		x[i], scores[i] = 1, 1
	}
	if a.Add(told(x, scores), x, 1, one, nil, most); a.Rows != most || a.Columns[0].Off != most {
		t.Errorf("of %d rows %+v", most, a)
	}
	a = Account{Columns: make([]Column, 1)}
	x, scores = make([]float64, 300), make([]float64, 300)
	for i := range x {
		if x[i], scores[i] = 9, 9; i%3 == 0 {
			x[i], scores[i] = 1, 2
		}
	}
	a.Add(told(x, scores), x, 1, one, nil, 300)
	if c := a.Columns[0]; a.Rows != 100 || c.Off != 200 || c.Level != 1 {
		t.Errorf("%+v", a)
	}
	a.Add(told(x, scores), x, 1, one, nil, 1) // hardly any has a response
	if a.Rows != 101 {
		t.Errorf("%+v", a)
	}
}

// stream draws shards of a column with its scores.
type stream struct {
	shards, rows int
	x            func(r *rand.Rand) float64
	score        func(r *rand.Rand, x, common float64) float64
}

// told returns whether the account is up behind any shard, and behind the last.
func (c stream) told(t *testing.T, seed uint64) (ever, end bool) {
	r := rand.New(rand.NewPCG(seed, 83))
	a := Account{Columns: make([]Column, 1)}
	x, scores := make([]float64, c.rows), make([]float64, c.rows)
	for range c.shards {
		common, of := r.NormFloat64(), c.x(r)
		for i := range x {
			if x[i] = of; c.rows > 1 && c.shards != shardsOfOne {
				x[i] = c.x(r)
			}
			scores[i] = c.score(r, x[i], common)
		}
		if a.Add(told(x, scores), x, 1, one, nil, c.rows); !a.valid() {
			t.Fatalf("%+v", a)
		}
		end = a.Curved() == 0
		ever = ever || end
	}
	return ever, end
}

// shardsOfOne is the number of shards of streams whose rows of a shard have one value.
const shardsOfOne = 301

// Where scores are independent of the column, or their variance or what rows of a shard share depends on it, the account is up at
// some shard in at most one of 40 streams of each sort.
func TestNoCurve(t *testing.T) {
	normal := func(r *rand.Rand) float64 { return r.NormFloat64() }
	score := func(r *rand.Rand, _, _ float64) float64 { return r.NormFloat64() }
	for name, c := range map[string]stream{
		"one row":      {2000, 1, normal, score},
		"ten rows":     {500, 10, normal, score},
		"1,000 rows":   {60, 1000, normal, score},
		"Cauchy":       {500, 10, func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() }, score},
		"lognormal":    {500, 10, func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) - 1 }, score},
		"two values":   {500, 10, func(r *rand.Rand) float64 { return 3 * math.Floor(r.Float64()+.1) }, score},
		"one value":    {500, 10, func(*rand.Rand) float64 { return 0 }, score},
		"far out":      {500, 10, func(*rand.Rand) float64 { return 1e9 }, score},
		"too high":     {500, 10, normal, func(r *rand.Rand, _, _ float64) float64 { return r.NormFloat64() + 1 }},
		"a slope":      {500, 10, func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }, func(r *rand.Rand, x, _ float64) float64 { return r.NormFloat64() + .5*min(x, 2) }},
		"noise":        {500, 10, normal, func(r *rand.Rand, x, _ float64) float64 { return x * r.NormFloat64() }},
		"in common":    {shardsOfOne, 30, normal, func(r *rand.Rand, _, common float64) float64 { return r.NormFloat64() + common }},
		"a tiny curve": {200, 300, normal, func(r *rand.Rand, x, _ float64) float64 { return r.NormFloat64() + .03*(x*x-1) }},
	} {
		up := 0
		for seed := range uint64(40) {
			if ever, _ := c.told(t, seed); ever {
				up++
			}
		}
		if up > 1 {
			t.Errorf("%s: up in %d of 40 streams", name, up)
		}
	}
}

// Curves are told, and for good.
func TestCurve(t *testing.T) {
	normal := func(r *rand.Rand) float64 { return r.NormFloat64() }
	square := func(r *rand.Rand, x, _ float64) float64 { return r.NormFloat64() + .3*(x*x-1) }
	for name, c := range map[string]stream{
		"one row":    {600, 1, normal, square},
		"ten rows":   {60, 10, normal, square},
		"1,000 rows": {12, 1000, normal, square},
		"saturation": {100, 10, normal, func(r *rand.Rand, x, _ float64) float64 { return r.NormFloat64() + min(x, 0) + .4 - x/2 }},
		"for long":   {400, 300, normal, func(r *rand.Rand, x, _ float64) float64 { return r.NormFloat64() + .1*(x*x-1) }},
	} {
		up := 0
		for seed := range uint64(20) {
			if _, end := c.told(t, seed); end {
				up++
			}
		}
		if up < 19 {
			t.Errorf("%s: told in %d of 20 streams", name, up)
		}
	}
}

// What is told is the column with most of a curve, of enough rows, by more than chance allows and by enough to matter.
func TestCurved(t *testing.T) {
	for name, c := range map[string]struct {
		a    Account
		want int
	}{
		"the greater":    {Account{Rows: 1000, Columns: []Column{{Off: 100, Variance: 300}, {Off: -110, Variance: 300}}}, 1},
		"few rows":       {Account{Rows: leastRows - 1, Columns: []Column{{Off: 100, Variance: 300}}}, -1},
		"enough rows":    {Account{Rows: leastRows, Columns: []Column{{Off: 100, Variance: 300}}}, 0},
		"of one column":  {Account{Rows: 1000, Columns: []Column{{Off: 45, Variance: 100}}}, 0}, // 20.25 > 19.81
		"of two columns": {Account{Rows: 1000, Columns: []Column{{Off: 45, Variance: 100}, {}}}, -1},
		"too little":     {Account{Rows: 10_000, Columns: []Column{{Off: 69, Variance: 100}}}, -1}, // 47.6 < 50
		"enough":         {Account{Rows: 10_000, Columns: []Column{{Off: 72, Variance: 100}}}, 0},  // 51.8
		"hardly a value": {Account{Rows: 1000, Columns: []Column{{Off: 4, Variance: 0}}}, -1},      // 16, beside .001 for each row
		"some values":    {Account{Rows: 1000, Columns: []Column{{Off: 5, Variance: 0}}}, 0},
	} {
		if got := c.a.Curved(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Old rows fade, at the same rate in sums and variances.
func TestFades(t *testing.T) {
	a := Account{Rows: recalled, Columns: []Column{{Off: 8, Variance: 4}}}
	x := []float64{0, 0, 0, 0}
	a.Add(told(x, nil), x, 1, one, nil, recalled)
	// Of no scores the sum is 8 below what it was expected to be.
	if c := a.Columns[0]; a.Rows != recalled || c.Off != 4 || c.Variance != (4+64)/2 {
		t.Errorf("%+v", a)
	}
}

// A state is read as it was written and a copy is one; what cannot be is refused.
func TestCodec(t *testing.T) {
	a := Account{Rows: 70, Columns: []Column{{1, 2, 3, -4}, {-5, 6, .5, 0}}}
	b := a.Append(nil)
	for n := range len(b) + 1 {
		var got Account
		rest, ok := got.Read(b[:n])
		if ok != (n == len(b)) || ok && (len(rest) != 0 || !reflect.DeepEqual(got, a)) {
			t.Errorf("%d of %d bytes are read as %+v, %v", n, len(b), got, ok)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range []Account{
		{}, {Columns: a.Columns}, {Rows: recalled + 1, Columns: a.Columns}, {Rows: nan, Columns: a.Columns},
		{Rows: 1, Columns: []Column{{Variance: -1}}}, {Rows: 1, Columns: []Column{{Variance: nan}}},
		{Rows: 1, Columns: []Column{{Off: inf}}}, {Rows: 1, Columns: []Column{{Slope: nan}}},
	} {
		if _, ok := new(Account).Read(bad.Append(nil)); ok {
			t.Errorf("%+v is read", bad)
		}
	}
	for _, columns := range []uint64{3, 1 << 60, 1<<64 - 1} { // 1 << 60 columns of 16 bytes would be none
		if _, ok := new(Account).Read(append(binary.AppendUvarint(nil, columns), b[1:]...)); ok {
			t.Errorf("%d columns are read of two", columns)
		}
	}
	var to Account
	a.CopyTo(&to)
	if a.Columns[0].Off = 9; to.Columns[0].Off != 1 || to.Rows != 70 {
		t.Errorf("a copy %+v", to)
	}
}

// Nobody tells where nobody asks, and what is told of a shard is not told of the next.
func TestTold(t *testing.T) {
	if scores := (*Shard)(nil).Begin(3); scores != nil {
		t.Errorf("scores %v of no shard", scores)
	}
	s := told([]float64{1, 2}, []float64{1, 2})
	if !s.Told() || s.Begin(1)[0] != 0 {
		t.Error("nothing is told, or what was told of another shard")
	}
	if s.Reset(); s.Told() {
		t.Error("told of nothing")
	}
}
