package curved

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// even returns a shard of rows of one column with the given scores, of a model that has one variance.
func even(x, scores []float64) *Shard {
	s := new(Shard)
	copy(s.BeginEven(len(x)), scores)
	return s
}

// The sums are those of the formulas; a row without a response is none, and nothing is asked of a model that does not say that it has one variance.
func TestUnevenSums(t *testing.T) {
	a := Account{Columns: make([]Column, 1)}
	if a.Add(told([]float64{1}, []float64{2}), []float64{1}, 1, one, nil, 1); a.Uneven.Rows != 0 {
		t.Errorf("nobody asked for %+v", a.Uneven)
	}
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	x := []float64{-5, 1.5, .5}
	a.Add(even(x, []float64{2, 0, .5}), x, 1, one, nil, 2)
	// Squares of 4 and .25 are 3 and -.75 above 1; of the column 4, its bound, and .25 likewise.
	off := 3*3. + .75*.75
	u := &a.Uneven
	near("rows", u.Rows, 2)
	near("mean", u.Mean, 1+2.25/52)
	near("off", u.Columns[0].Off, off)
	near("variance", u.Columns[0].Variance, off*off)
	near("level", u.Columns[0].Level, 1+(3+1.25-.75)/3*2/52)
	mean, level := float64(u.Mean), float64(u.Columns[0].Level)
	a.Add(even(x[1:2], []float64{-1}), x[1:], 1, one, nil, 1)
	e := (1 - mean) * (2.25 - level)
	near("off behind two shards", u.Columns[0].Off, off+e)
	near("variance behind two shards", u.Columns[0].Variance, off*off+(e-off/2)*(e-off/2))
	near("mean behind two shards", u.Mean, mean+(1-mean)/53)
	if a.Add(even(x, make([]float64, 3)), x, 1, one, nil, 3); u.Rows != 3 {
		t.Errorf("%g rows, of a shard without responses", u.Rows)
	}
}

// The sums of dummies stand behind those of the columns, wherever they are among these, and begin with as many ones as zeros.
func TestUnevenDummies(t *testing.T) {
	a := Account{Columns: make([]Column, 1)}
	x, runs := []float64{1, 2, 0, 0, 2, 1}, []Run{{1, 1}}
	a.Add(even(x[:2], []float64{2, .5}), x, 3, runs, []Run{{0, 1}, {2, 1}}, 2)
	u := &a.Uneven
	if want := []float32{3*3 - .75*3, 1.5 + .375, -1.5 - .375}; u.Rows != 2 || len(u.Columns) != 3 || u.Columns[0].Off != want[0] || u.Columns[1].Off != want[1] || u.Columns[2].Off != want[2] {
		t.Errorf("%+v, want sums %v", *u, want)
	}
	if u.Columns[1].Variance != 1.875*1.875 || u.Columns[1].Level != .5 {
		t.Errorf("a dummy %+v", u.Columns[1])
	}
	if a.Add(even(x[:1], []float64{2}), x, 3, runs, []Run{{0, 1}, {2, 1}}, 1); !(u.Columns[1].Level > .5 && u.Columns[2].Level < .5) {
		t.Errorf("dummies of means %g and %g", u.Columns[1].Level, u.Columns[2].Level)
	}
}

// Where no column may have a curve, a model with one variance is asked, and no other.
func TestAsk(t *testing.T) {
	var s Shard
	for _, curves := range []bool{false, true} {
		s.Reset()
		if s.Ask(curves); (s.Begin(3) != nil) != curves || s.Told() != curves {
			t.Errorf("curves %t: told %t", curves, s.Told())
		}
		if s.Reset(); len(s.BeginEven(3)) != 3 || !s.Told() {
			t.Errorf("curves %t: nothing of uneven errors is told", curves)
		}
	}
}

// Of a shard of many rows some that stand together are looked at, from a place that the rows so far choose.
func TestUnevenRows(t *testing.T) {
	x, scores := make([]float64, 2*mostSizes), make([]float64, 2*mostSizes)
	for i := range x {
		if x[i], scores[i] = 1, 1; i >= 7 && i < 7+mostSizes {
			x[i], scores[i] = 2, 2
		}
	}
	a := Account{Columns: make([]Column, 1)}
	a.Uneven.begin(1, 0)
	a.Uneven.Rows = 7
	if a.Add(even(x, scores), x, 1, one, nil, len(x)); a.Uneven.Rows != 7+mostSizes || a.Uneven.Columns[0].Off != 9*mostSizes {
		t.Errorf("%+v", a.Uneven)
	}
}

// What is told is the column with most, on the side of larger errors, of enough rows, by more than chance allows and by enough to matter.
func TestUnevenAt(t *testing.T) {
	for name, c := range map[string]struct {
		rows    float32
		columns []Spread
		curve   float32
		dummies int // at the end
		want    int
	}{
		"the greater":            {rows: 1000, columns: []Spread{{Off: 100, Variance: 300}, {Off: 110, Variance: 300}}, want: 1},
		"less errors":            {rows: 1000, columns: []Spread{{Off: -110, Variance: 300}}, want: -1},
		"few rows":               {rows: leastRows - 1, columns: []Spread{{Off: 100, Variance: 300}}, want: -1},
		"of one column":          {rows: 1000, columns: []Spread{{Off: 38, Variance: 100}}}, // 14.44 > 13.82
		"of two columns":         {rows: 1000, columns: []Spread{{Off: 38, Variance: 100}, {}}, want: -1},
		"too little":             {rows: 10_000, columns: []Spread{{Off: 44, Variance: 100}}, want: -1}, // 19.36 < 20
		"enough":                 {rows: 10_000, columns: []Spread{{Off: 46, Variance: 100}}},
		"hardly a value":         {rows: 1000, columns: []Spread{{Off: 3}}, want: -1}, // 9, beside .001 for each row
		"where there is a curve": {rows: 1000, columns: []Spread{{Off: 100, Variance: 300}}, curve: 100, want: -1},
		"a dummy behind it":      {rows: 1000, columns: []Spread{{Off: 100, Variance: 300}, {Off: 100, Variance: 200, Level: .1}}, dummies: 1, want: 1},
		"with rare ones":         {rows: 1000, columns: []Spread{{}, {Off: 39, Variance: 100, Level: .1}}, dummies: 1, want: 1}, // 31.2 > 13.5, 15.21 > 15.2
		"less with rare ones":    {rows: 1000, columns: []Spread{{}, {Off: -39, Variance: 100, Level: .1}}, dummies: 1, want: -1},
		"with rare zeros":        {rows: 1000, columns: []Spread{{}, {Off: -39, Variance: 100, Level: .9}}, dummies: 1, want: 1},
		"by chance":              {rows: 1000, columns: []Spread{{}, {Off: 38.9, Variance: 100, Level: .1}}, dummies: 1, want: -1},
		"too little to matter":   {rows: 1000, columns: []Spread{{}, {Off: 150, Variance: 300, Level: .4}}, dummies: 1, want: -1}, // 30 < 36
		"as many of both":        {rows: 1000, columns: []Spread{{}, {Off: 390, Variance: 100, Level: .5}}, dummies: 1, want: -1},
	} {
		a := Account{Rows: c.rows, Columns: make([]Column, len(c.columns)-c.dummies), Uneven: Uneven{Rows: c.rows, Columns: c.columns}}
		a.Columns[0] = Column{Off: c.curve, Variance: 100}
		if got := a.UnevenAt(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Errors of one law raise it at any shard in at most one of 200 streams of each sort, whatever that law and the column's are, and errors that vary more
// where the column is far from 0 in nine of ten and more.
func TestUneven(t *testing.T) {
	const streams = 200
	normal := func(r *rand.Rand, _ float64) float64 { return r.NormFloat64() }
	heavy := func(r *rand.Rand, _ float64) float64 { return max(min(heavyScore(r), 2.3), -2.3) }
	for _, c := range []struct {
		name         string
		shards, rows int
		x            func(r *rand.Rand) float64
		score        func(r *rand.Rand, x float64) float64
		up           bool
	}{
		{"normal", 60, 30, (*rand.Rand).NormFloat64, normal, false},
		{"one row", 1000, 1, (*rand.Rand).NormFloat64, normal, false},
		{"a skewed column", 60, 30, (*rand.Rand).ExpFloat64, normal, false},
		{"a column of twice the scale", 60, 30, func(r *rand.Rand) float64 { return 2 * r.NormFloat64() }, normal, false},
		{"heavy tails", 60, 30, (*rand.Rand).NormFloat64, heavy, false},
		{"too wide", 60, 30, (*rand.Rand).NormFloat64, func(r *rand.Rand, _ float64) float64 { return r.NormFloat64() / 2 }, false},
		{"too sure", 60, 30, (*rand.Rand).NormFloat64, func(r *rand.Rand, _ float64) float64 { return min(max(2*r.NormFloat64(), -2.3), 2.3) }, false},
		{"less far out", 60, 30, (*rand.Rand).NormFloat64, func(r *rand.Rand, x float64) float64 { return r.NormFloat64() / (1 + x*x) }, false},
		{"more far out", 60, 30, (*rand.Rand).NormFloat64, func(r *rand.Rand, x float64) float64 { return math.Sqrt(.7+.3*x*x) * r.NormFloat64() }, true},
		{"more far out, one row", 1500, 1, (*rand.Rand).NormFloat64, func(r *rand.Rand, x float64) float64 { return math.Sqrt(.7+.3*x*x) * r.NormFloat64() }, true},
	} {
		ever, end := 0, 0
		x, scores := make([]float64, c.rows), make([]float64, c.rows)
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 112))
			a, once, last := Account{Columns: make([]Column, 1)}, false, false
			for range c.shards {
				for i := range x {
					x[i] = c.x(r)
					scores[i] = c.score(r, x[i])
				}
				a.Add(even(x, scores), x, 1, one, nil, c.rows)
				last = a.UnevenAt() == 0
				once = once || last
			}
			if once {
				ever++
			}
			if last {
				end++
			}
		}
		t.Logf("%s: up in %d of %d streams, at the end in %d", c.name, ever, streams, end)
		if c.up && end < streams*9/10 || !c.up && ever > streams/200 {
			t.Errorf("%s: up in %d of %d streams, at the end in %d", c.name, ever, streams, end)
		}
	}
}

func heavyScore(r *rand.Rand) float64 {
	return .7 * r.NormFloat64() / math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2)
}

// What is appended is read, into columns that are room, and what Add cannot have left is refused. Rows fade.
func TestUnevenCodec(t *testing.T) {
	a := Account{Rows: 70, Columns: make([]Column, 1), Uneven: Uneven{Rows: 60, Mean: .9, Columns: []Spread{{4, 9, 1.2}, {-1, 3, .8}}}}
	b := append(a.AppendUneven(nil), 7)
	for n := range len(b) {
		got := Account{Rows: 70, Columns: make([]Column, 1), Uneven: Uneven{Columns: make([]Spread, 1, 2)}}
		rest, ok := got.ReadUneven(b[:n])
		if whole := n == len(b)-1; ok != whole || whole && (len(rest) != 0 || !reflect.DeepEqual(got, a)) {
			t.Errorf("%d of %d bytes are read as %+v, %t", n, len(b), got, ok)
		}
	}
	dummies := Account{Rows: 70, Columns: []Column{}, Uneven: Uneven{Rows: 60, Mean: .9, Columns: []Spread{{4, 9, .2}}}}
	got := Account{Columns: []Column{}}
	if rest, ok := got.Read(dummies.AppendUneven(dummies.Append(nil))); !ok {
		t.Error("an account of dummies alone is refused")
	} else if rest, ok = got.ReadUneven(rest); !ok || len(rest) > 0 || !reflect.DeepEqual(got, dummies) {
		t.Errorf("%+v is read, want %+v", got, dummies)
	}
	var copied Account
	if a.CopyTo(&copied); !reflect.DeepEqual(copied, a) || &copied.Uneven.Columns[0] == &a.Uneven.Columns[0] {
		t.Errorf("%+v is copied as %+v", a, copied)
	}
	nan := float32(math.NaN())
	for _, u := range []Uneven{
		{Rows: 0, Mean: 1, Columns: []Spread{{}}},
		{Rows: recalled + 1, Mean: 1, Columns: []Spread{{}}},
		{Rows: 1, Mean: -1, Columns: []Spread{{}}},
		{Rows: 1, Mean: nan, Columns: []Spread{{}}},
		{Rows: 1, Mean: 1, Columns: []Spread{{Variance: -1}}},
		{Rows: 1, Mean: 1, Columns: []Spread{{Level: -1}}},
		{Rows: 1, Mean: 1, Columns: []Spread{{Off: nan}}},
		{Rows: 1, Mean: 1, Columns: []Spread{{Off: float32(math.Inf(-1))}}},
	} {
		wrong := Account{Columns: make([]Column, 1), Uneven: u}
		if _, ok := (&Account{Columns: make([]Column, 1)}).ReadUneven(wrong.AppendUneven(nil)); ok {
			t.Errorf("%+v is read", u)
		}
	}
	old := Account{Columns: make([]Column, 1), Uneven: Uneven{Rows: recalled, Mean: 1, Columns: []Spread{{Off: 100, Variance: 100, Level: 1}}}}
	x := []float64{1}
	old.Add(even(x, []float64{1}), x, 1, one, nil, 1)
	if u := old.Uneven; u.Rows != recalled || u.Columns[0].Off >= 100 || u.Columns[0].Variance >= 100 {
		t.Errorf("%+v of a full account", u)
	}
}
