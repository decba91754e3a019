package reliability

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What the state does not know of a slope all rows share, and it is nothing to the sum of a square beside it. Without draws, or with few, it
// might be all of the same, and a shard predicted by as many rows counts for little.
func TestTogether(t *testing.T) {
	const rows, unknown = 400, .01
	for _, c := range []struct {
		name         string
		draws        int
		asked, level bool // the state does not know a level instead
		least, most  float64
	}{
		{"not asked", 0, false, false, .05, .1},
		{"asked", 200, true, false, .8, 1},
		{"few draws", 20, true, false, .05, .1},
		{"a level", 200, true, true, .8, 1},
	} {
		r := rand.New(rand.NewPCG(1, 109))
		var s Shard
		var a Account
		if s.Reset(false); c.asked {
			s.Together()
		}
		s.Begin(1)
		deltas := make([]float64, c.draws)
		for i := range deltas {
			deltas[i] = math.Sqrt(3) * .1 * (2*float64(i)/float64(c.draws-1) - 1)
		}
		var xs []float64
		for i := range rows {
			x := r.NormFloat64()
			xs = append(xs, x)
			tells := x
			if c.level {
				tells = 1
			}
			s.Add(float64(i%2), .5, unknown*tells*tells, []float64{x})
		}
		if s.Spreads() != c.asked {
			t.Fatalf("%s: spreads %v", c.name, s.Spreads())
		}
		for _, x := range xs {
			ones := make([]float64, c.draws)
			for i := range ones {
				if ones[i] = .499 + deltas[i]*x; c.level {
					ones[i] = .499 + deltas[i]
				}
			}
			if c.asked {
				s.Spread(ones, []float64{x})
			}
		}
		a.Add(&s)
		variance := 0.
		for _, x := range xs {
			variance += curve(x) * curve(x) / 4
		}
		if part := float64(a.Curves[0].Variance) / variance; part < c.least || part > c.most {
			t.Errorf("%s: the rows count for %.3f of a curve", c.name, part)
		}
		if part := float64(a.Rows) / rows; c.level && part > .1 {
			t.Errorf("%s: the rows count for %.3f though they share their level", c.name, part)
		}
	}
}

// Of many columns predictions are too steep, and what they have in common is bounded as before.
func TestManyColumnsAreBounded(t *testing.T) {
	for columns, want := range map[int]bool{5: true, 20: false} {
		var s Shard
		s.Reset(false)
		s.Together()
		s.Begin(columns)
		for i := range 100 {
			s.Add(float64(i%2), .5, .005, make([]float64, columns))
		}
		if s.Spreads() != want {
			t.Errorf("%d columns: draws are asked for: %v", columns, s.Spreads())
		}
	}
}
