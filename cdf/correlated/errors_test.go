package correlated

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scores draws those of a shard, of which a pair has the correlation shared.
func scores(r *rand.Rand, n int, shared float64) float64 {
	return float64(n)*math.Sqrt(shared)*r.NormFloat64() + math.Sqrt(float64(n)*(1-shared))*r.NormFloat64()
}

// alarms returns in what share of blocks the flag is up, and after how many shards it was so first.
func alarms(seed uint64, shards, rows int, shared, known float64) (up float64, first int) {
	r := rand.New(rand.NewPCG(seed, 3))
	var e Errors
	for shard := range shards {
		e.Add(Shard{Rows: rows, Scores: scores(r, rows, shared), Shared: known}, Past{Rows: 1e9, Variance: 1})
		if e.Correlated() {
			if up += 1 / float64(shards); first == 0 {
				first = shard + 1
			}
		}
	}
	return up, first
}

// Where rows share what the model says, or less, the flag is up after one of 10,000 blocks at
// most. It is up after some dozens of shards of rows that share what doubles the variance
// of their sum, however few they are, and for good.
func TestErrors(t *testing.T) {
	const blocks = 1_000_000
	for _, c := range []struct {
		rows          int
		shared, known float64
	}{{1, 0, 1e-9}, {5, 0, 1e-9}, {30, 0, 1e-9}, {30, .1, .1}, {30, .1, .5}} {
		if up, _ := alarms(1, blocks, c.rows, c.shared, c.known); up > 1e-4 {
			t.Errorf("%+v: up after %.1e of blocks, want at most 1e-4", c, up)
		}
	}
	for _, c := range []struct {
		rows   int
		shared float64
	}{{5, .5}, {30, .1}, {300, .01}} {
		up, first := alarms(2, 5000, c.rows, c.shared, 1e-9)
		if first == 0 || first > 100 || up < .95 {
			t.Errorf("%+v: first after %d shards, up after %.2f of them", c, first, up)
		}
	}
}

// What is not known is not judged: the part that rows share, and what scores are before there
// are enough of them.
func TestNotJudged(t *testing.T) {
	past := Past{Rows: leastRows, Variance: 1}
	for name, c := range map[string]struct {
		s    Shard
		past Past
	}{
		"no part":      {Shard{Rows: 9, Scores: 99}, past},
		"no rows":      {Shard{Shared: .1}, past},
		"few rows":     {Shard{Rows: 9, Scores: 99, Shared: .1}, Past{Rows: leastRows - 1, Variance: 1}},
		"no variance":  {Shard{Rows: 9, Scores: 99, Shared: .1}, Past{Rows: leastRows}},
		"all and more": {Shard{Rows: 9, Scores: 99, Shared: math.Inf(1)}, past},
		"unknown":      {Shard{Rows: 9, Scores: 99, Shared: math.NaN()}, Past{Rows: math.NaN()}},
	} {
		var e Errors
		if e.Add(c.s, c.past); e != (Errors{}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// What hardly shares anything can be read again, also where that is nothing as a float32.
func TestHardlyShared(t *testing.T) {
	var e Errors
	if e.Add(Shard{Rows: 1, Scores: 1, Shared: 1e-60}, Past{Rows: leastRows, Variance: 1}); e.Rows != 1 || !e.Valid() {
		t.Errorf("%+v", e)
	}
}

// Scores that are all too high, as those of predictions that are too low, are no errors in common.
func TestMeanOfScores(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	var e, off Errors
	for range 2000 {
		s := Shard{Rows: 1000, Scores: 200 + scores(r, 1000, 0), Shared: 1e-9}
		e.Add(s, Past{Rows: 20_000, Mean: .2, Variance: 1})
		off.Add(s, Past{Rows: 20_000, Variance: 1})
	}
	if e.Correlated() || !off.Correlated() {
		t.Errorf("beside their mean %+v, beside 0 %+v", e, off)
	}
}

// Rows that come one by one are judged by fours, with what each of them shares.
func TestBlocks(t *testing.T) {
	past := Past{Rows: 1e9, Mean: .5, Variance: 2}
	var e Errors
	for i, shared := range []float64{.1, .2, .3} {
		e.Add(Shard{Rows: 1, Scores: 3, Shared: shared}, past)
		if e.Rows != int32(i+1) || e.Sum != 0 || !e.Valid() {
			t.Fatalf("%+v", e)
		}
	}
	e.Add(Shard{Rows: 1, Scores: 3, Shared: .4}, past)
	// (12 - 2)^2 / (4 2 (1 + 1 (3/4)))
	if want := 100/(8*1.75) - slack; math.Abs(float64(e.Sum)-want) > 1e-6 || e.Rows != 0 || !e.Valid() {
		t.Errorf("%+v, want a sum of %g", e, want)
	}
	var wild Errors
	if wild.Add(Shard{Rows: 9, Scores: 1e9, Shared: .1}, past); wild.Sum != furthest-slack || wild.Correlated() {
		t.Errorf("a block may count for %g, and has %+v", furthest-slack, wild)
	}
	for range 100 {
		e.Add(Shard{Rows: 9, Scores: 1e9, Shared: .1}, past)
	}
	if !e.Correlated() || e.Sum != 1.5*alarm || !e.Valid() {
		t.Errorf("%+v", e)
	}
	for _, bad := range []Errors{{Sum: -1}, {Sum: 2 * alarm}, {Rows: block, Shared: 1}, {Rows: -1}, {Rows: 1, Shared: 2}, {Scores: 1}, {Sum: float32(math.NaN())}} {
		if bad.Valid() {
			t.Errorf("%+v is valid", bad)
		}
	}
}

// The statistic of a block is that of the formula, and the alarm is where it is said to be.
func TestStatistic(t *testing.T) {
	var e Errors
	e.Add(Shard{Rows: 4, Scores: 8, Shared: .5}, Past{Rows: 100, Mean: .1, Variance: 1.2})
	// 7.6 above the mean, and 1 + 2 (3/4) + 4/100 times the variance of four.
	if want := 7.6*7.6/(4*1.2*2.54) - slack; math.Abs(float64(e.Sum)-want) > 1e-6 {
		t.Errorf("sum %g, want %g", e.Sum, want)
	}
	for sum, up := range map[float32]bool{0: false, 27.5: false, 28.5: true, 42: true} {
		if e := (Errors{Sum: sum}); e.Correlated() != up || !e.Valid() {
			t.Errorf("sum %g: correlated %v, valid %v", sum, e.Correlated(), e.Valid())
		}
	}
}
