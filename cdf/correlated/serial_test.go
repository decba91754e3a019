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

// Independent rows raise no alarm in millions, of few and of many to a shard, of two values and of a mean that is not 0; those that
// are correlated by .3 and more do after some hundreds, and by .5 after two shards of 100.
func TestSerial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 131))
	normal := rng.NormFloat64
	for name, draw := range map[string]func() float64{
		"normal":     normal,
		"off":        func() float64 { return 1 + normal() },
		"two values": func() float64 { return float64(2*rng.IntN(2)-1) * 1.3 },
		"skewed":     func() float64 { return min(rng.ExpFloat64(), 3) },
	} {
		for _, rows := range []int{10, 20, 300, 3000} {
			var s Serial
			top := Serial(0)
			for range 3_000_000 / rows {
				s.Add(inOrder(rng, rows, 0, draw))
				top = max(top, s)
			}
			if top > certain {
				t.Errorf("%s, %d rows: %g", name, rows, top)
			}
			t.Logf("%s, %d rows: %.3g", name, rows, top)
		}
	}
	for _, c := range []struct {
		rows, most int
		r          float64
	}{{10, 60, .6}, {20, 60, .3}, {100, 8, .3}, {100, 3, .5}, {1000, 2, .3}} {
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
