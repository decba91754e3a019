package reliability

import (
	"math"
	"math/rand/v2"
	"testing"
)

// normalCDF is the normal distribution function.
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// stream is of rows with one column, which a state predicts with the probability q of x; they are 1 with that of truth. Rows of
// a shard share an error of their probability with the given sd, which the state knows of.
type stream struct {
	shards, rows int
	q, truth     func(x float64) float64
	shared       float64
}

// unreliable returns after what share of shards the account is up, and whether after the last.
func (c stream) unreliable(r *rand.Rand) (up float64, end bool) {
	var s Shard
	var a Account
	for range c.shards {
		s.Begin(1)
		common := c.shared * r.NormFloat64()
		for range c.rows {
			x, y := r.NormFloat64(), 0.
			q := c.q(x)
			if r.Float64() < c.truth(x)+common {
				y = 1
			} else {
				q = 1 - q
			}
			s.Add(y, q, c.shared*c.shared, []float64{x})
		}
		if a.Add(&s); !a.Valid() {
			return 1, true
		}
		if end = a.Unreliable(); end {
			up += 1 / float64(c.shards)
		}
	}
	return up, end
}

// Probabilities that come true are up after one of 10,000 shards at most, what the rows of a shard share included.
func TestComesTrue(t *testing.T) {
	steep := func(x float64) float64 { return normalCDF(2 * x) }
	flat := func(float64) float64 { return .4 }
	rare := func(x float64) float64 { return normalCDF(-3 + .3*x) }
	for name, c := range map[string]stream{
		"one row":              {shards: 3000, rows: 1, q: steep, truth: steep},
		"30 rows":              {shards: 1000, rows: 30, q: steep, truth: steep},
		"300 rows":             {shards: 300, rows: 300, q: steep, truth: steep},
		"one probability":      {shards: 1000, rows: 30, q: flat, truth: flat},
		"rare":                 {shards: 1000, rows: 30, q: rare, truth: rare},
		"an error in common":   {shards: 300, rows: 100, q: flat, truth: flat, shared: .1},
		"of many rows":         {shards: 100, rows: 3000, q: flat, truth: flat, shared: .1},
		"too cautious, a lot":  {shards: 100, rows: 30, q: func(x float64) float64 { return normalCDF(x) }, truth: func(x float64) float64 { return normalCDF(4 * x) }},
		"so little off":        {shards: 1000, rows: 300, q: flat, truth: func(float64) float64 { return .42 }},
		"too cautious, classy": {shards: 1000, rows: 30, q: func(x float64) float64 { return normalCDF(x) }, truth: func(x float64) float64 { return normalCDF(1.5 * x) }},
	} {
		sum := 0.
		for seed := range uint64(30) {
			up, _ := c.unreliable(rand.New(rand.NewPCG(seed, 81)))
			sum += up / 30
		}
		if sum > 1e-4 {
			t.Errorf("%s: up after %.1e of the shards", name, sum)
		}
	}
}

// Those that do not are told after some hundred rows, or a few thousand where few of them go wrong.
func TestDoesNotComeTrue(t *testing.T) {
	for name, c := range map[string]stream{
		"too sure":         {shards: 30, rows: 30, q: func(x float64) float64 { return normalCDF(2 * x) }, truth: func(x float64) float64 { return normalCDF(x) }},
		"a curve alone":    {shards: 30, rows: 30, q: func(float64) float64 { return .45 }, truth: func(x float64) float64 { return normalCDF(.5 * (x*x - 1)) }},
		"too low":          {shards: 60, rows: 30, q: func(float64) float64 { return .2 }, truth: func(float64) float64 { return .3 }},
		"too high":         {shards: 60, rows: 30, q: func(float64) float64 { return .8 }, truth: func(float64) float64 { return .7 }},
		"3 % wrong labels": {shards: 100, rows: 30, q: func(x float64) float64 { return normalCDF(2 * x) }, truth: func(x float64) float64 { return .03 + .94*normalCDF(2*x) }},
		"common, too sure": {shards: 300, rows: 100, q: func(x float64) float64 { return normalCDF(2 * x) }, truth: func(x float64) float64 { return normalCDF(x) }, shared: .02},
	} {
		up := 0
		for seed := range uint64(20) {
			if _, end := c.unreliable(rand.New(rand.NewPCG(seed, 82))); end {
				up++
			}
		}
		if up < 19 {
			t.Errorf("%s: told in %d of 20 streams", name, up)
		}
	}
}

// The sums are those of the formulas, of a class and of a column, and count for less where rows share an error.
func TestSums(t *testing.T) {
	var s Shard
	s.Begin(2)
	s.Add(1, .3, .001, []float64{1, -2})
	s.Add(0, .6, .002, []float64{-1, 9})
	if s.Rows() != 2 {
		t.Errorf("%d rows", s.Rows())
	}
	var a Account
	a.Add(&s)
	// q is .3 and .4: both have the third class from the middle. The squares are 4 and, cut off, 6.
	v0, v1, s0, s1 := .3*.7, .4*.6, math.Sqrt(.001), math.Sqrt(.002)
	w := (v0 + v1) / (v0 + v1 + 2*s0*s1)
	near := func(what string, got float32, want float64) {
		if math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("rows", a.Rows, 2*w)
	near("off", a.Classes[3].Off, w*(.7-.4))
	near("variance", a.Classes[3].Variance, w*(v0+v1))
	v := 9*v0 + 25*v1
	w = v / (v + 2*3*s0*5*s1)
	near("off of the curve", a.Curves[1].Off, w*(3*.7-5*.4))
	near("variance of the curve", a.Curves[1].Variance, w*v)
	if a.Curves[0] != (Sum{}) {
		t.Errorf("a column of 1 and -1 has %+v", a.Curves[0])
	}
	for class, q := range [Classes]float64{.01, .05, .2, .4, .6, .8, .95, .99} {
		s.Begin(0)
		s.Add(1, q, 0, nil)
		s.Add(0, 1-q, 0, nil)
		if got := s.classes[class].variance; math.Abs(got-2*q*(1-q)) > 1e-12 {
			t.Errorf("rows of %g are not in class %d", q, class)
		}
	}
	s.Reset(false)
	if s.Rows() != 0 {
		t.Errorf("%d rows of none", s.Rows())
	}
}

// A sum is doubted as Bennett's inequality says, which is the square of a normal score where many rows
// made it and less where few did.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		s            Sum
		weight, want float64
	}{
		{Sum{}, 1, 0},
		{Sum{Off: 1e-3}, 1, 0},
		{Sum{Off: 400, Variance: 1e4}, 1, 15.79},
		{Sum{Off: -400, Variance: 1e4}, 1, 15.79},
		{Sum{Off: 4, Variance: 1}, 1, 2 * (5*math.Log(5) - 4)},
		{Sum{Off: 4, Variance: 1}, 5, 2. / 25 * (21*math.Log(21) - 20)},
	} {
		if got := c.s.doubt(c.weight); math.Abs(got-c.want) > .01 {
			t.Errorf("%+v by %g: %.4f, want %.4f", c.s, c.weight, got, c.want)
		}
	}
}

// Nothing is taken in while the state knows too little, one row is never enough, and old rows fade.
func TestWhatCounts(t *testing.T) {
	var s Shard
	var a Account
	s.Begin(1)
	s.Add(1, .5, .05*.25+1e-6, []float64{3})
	if a.Add(&s); a.Rows != 0 {
		t.Errorf("a row that shares too much: %+v", a)
	}
	s.Begin(1)
	s.Add(1, .5, .04*.25, []float64{3})
	if a.Add(&s); a.Rows != 1 {
		t.Errorf("a row that shares little: %+v", a)
	}
	for range 100 {
		s.Begin(1)
		for range 999 {
			s.Add(1, 1, 0, []float64{3})
		}
		s.Add(0, 1e-200, 0, []float64{3})
		if a.Add(&s); !a.Valid() || a.Unreliable() {
			t.Fatalf("one in a thousand: %+v", a)
		}
	}
	if a.Rows != recalled || !(a.Classes[Classes-1].Variance < 21) {
		t.Errorf("nothing fades: %+v", a)
	}
	few := Account{Rows: leastRows - 1, Classes: [Classes]Sum{{Off: 20, Variance: 1}}}
	if few.Unreliable() {
		t.Error("few rows are judged")
	}
	if few.Rows++; !few.Unreliable() {
		t.Error("enough rows are not judged")
	}
}

// The column that has the curve is named, and none while none is known.
func TestCurved(t *testing.T) {
	a := Account{Rows: 1000, Curves: []Sum{{}, {Off: 20, Variance: 500}, {Off: -400, Variance: 1000}}}
	if got := a.Curved(); got != 2 {
		t.Errorf("column %d", got)
	}
	a.Curves[2].Off = 40
	if got := a.Curved(); got != -1 {
		t.Errorf("column %d", got)
	}
	var to Account
	a.CopyTo(&to)
	if a.Curves[1].Off = 0; to.Curves[1].Off != 20 || to.Rows != 1000 {
		t.Errorf("a copy %+v", to)
	}
	for _, bad := range []Account{{}, {Rows: -1}, {Rows: recalled + 1}, {Rows: 1, Curves: []Sum{{Off: 1}}}, {Rows: 1, Classes: [Classes]Sum{{Variance: -1}}}} {
		if bad.Valid() {
			t.Errorf("%+v is valid", bad)
		}
	}
}
