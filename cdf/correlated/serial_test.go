package correlated

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inOrder is a shard whose scores have the correlation r from row to row.
func inOrder(rng *rand.Rand, rows int, r float64, draw func() float64) Order {
	o, last := Order{Rows: rows, Shared: 1e-9}, draw()
	for i := range rows {
		score := r*last + math.Sqrt(1-r*r)*draw()
		o.Scores += score
		o.Squares += score * score
		if i > 0 {
			o.Products += score * last
		}
		last = score
	}
	return o
}

// Independent rows raise no alarm in millions, of few and of many to a shard, of two values and of a mean that is not 0, and of their states one
// in 500 has a sum at most; those that are correlated by .3 and more do after some hundreds and thousands.
func TestSerial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 131))
	normal := rng.NormFloat64
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"normal", normal},
		{"off", func() float64 { return 1 + normal() }},
		{"two values", func() float64 { return float64(2*rng.IntN(2)-1) * 1.3 }},
		{"skewed", func() float64 { return min(rng.ExpFloat64(), 3) }},
	} {
		for _, rows := range []int{25, 50, 300, 3000} {
			var s Serial
			top, there := Serial(0), 0
			for range 3_000_000 / rows {
				if s.Add(inOrder(rng, rows, 0, c.draw)); s > 0 {
					there++
				}
				top = max(top, s)
			}
			t.Logf("%s, %d rows: the highest sum %.3g, states with one %.4f", c.name, rows, top, float64(there*rows)/3e6)
			if top > certain || there > 3_000_000/rows/500 {
				t.Errorf("%s, %d rows: %g, and of %d states %d have a sum", c.name, rows, top, 3_000_000/rows, there)
			}
		}
	}
	for _, c := range []struct {
		rows, most int
		r          float64
	}{{25, 60, .6}, {30, 60, .5}, {50, 60, .3}, {50, 10, .6}, {100, 20, .3}, {100, 5, .5}, {1000, 2, .3}} {
		late := 0
		for range 200 {
			var s Serial
			for range c.most {
				s.Add(inOrder(rng, c.rows, c.r, normal))
			}
			if !s.Correlated() {
				late++
			}
		}
		t.Logf("%+v: not told in %d of 200", c, late)
		if late > 20 {
			t.Errorf("%+v: not told in %d of 200", c, late)
		}
	}
}

// One shard is no alarm, as where the level moves in its middle; the sum is bounded, and goes when errors are independent again.
func TestSerialOfOneShard(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 131))
	var s Serial
	if s.Add(inOrder(rng, 100_000, .9, rng.NormFloat64)); s.Correlated() || !s.Valid() {
		t.Errorf("one shard: %g", s)
	}
	for range 100 {
		s.Add(inOrder(rng, 1000, .9, rng.NormFloat64))
	}
	if !s.Correlated() || s != 1.5*certain || !s.Valid() {
		t.Errorf("many: %g", s)
	}
	for range 5 {
		s.Add(inOrder(rng, 1000, 0, rng.NormFloat64))
	}
	if s != 0 {
		t.Errorf("5,000 independent rows behind them: %g", s)
	}
}

// What rows share of the state's error is no correlation of theirs; where it is not known, rows are few or all alike, or the order says
// nothing, nothing is judged.
func TestSerialIsTheStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 131))
	var s Serial
	for range 1000 {
		o := inOrder(rng, 100, .3, rng.NormFloat64)
		o.Shared = .3
		s.Add(o)
	}
	if s.Correlated() {
		t.Errorf("all of it the state's: %g", s)
	}
	o := inOrder(rng, 1000, .9, rng.NormFloat64)
	for name, edit := range map[string]func(o *Order){
		"an unknown share": func(o *Order) { o.Shared = 0 },
		"no share":         func(o *Order) { o.Shared = math.NaN() },
		"few rows":         func(o *Order) { o.Rows = fewest - 1 },
		"no order":         func(o *Order) { o.Products = math.NaN() },
		"all alike":        func(o *Order) { o.Scores, o.Squares, o.Products = 2000, 4000, 3996 },
	} {
		got, o := Serial(3), o
		edit(&o)
		if got.Add(o); got != 3 {
			t.Errorf("%s: %g", name, got)
		}
	}
}
