package poisson

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// eventStream feeds shards of an intercept, a normal column and an indicator of every third
// row to a new model. mean is of a row, given the column and the indicator.
func eventStream(t *testing.T, s Settings, seed uint64, shards, rows int, forget float64, mean func(shard int, x, level float64) float64) *Model {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 65))
	m := newTest(t, s, []string{"intercept", "x", "level"})
	d := modeltest.Stepper{Model: m}
	for shard := range shards {
		sh := cdf.Shard{Rows: rows, Cols: 3}
		for i := range rows {
			x, level := r.NormFloat64(), 0.0
			if i%3 == 0 {
				level = 1
			}
			sh.X = append(sh.X, 1, x, level)
			sh.Y = append(sh.Y, simulate.Count(r, mean(shard, x, level)))
		}
		d.Must(t, &sh, forget)
	}
	return m
}

// few_events rises where all counts are 0, or those of a level, or hardly a row has one, and in at most one of 60
// streams of 30 rows with counts or more, rows with effects of their own or not.
func TestFewEvents(t *testing.T) {
	plain := func(level float64) func(int, float64, float64) float64 {
		return func(_ int, x, _ float64) float64 { return math.Exp(level + 0.3*x) }
	}
	for _, c := range []struct {
		name         string
		shards, rows int
		mean         func(shard int, x, level float64) float64
		least, most  int // of 60
	}{
		{"very rare", 40, 50, plain(-6), 60, 60},
		{"nothing but 0", 1, 4, func(int, float64, float64) float64 { return 1e-12 }, 60, 60},
		{"nothing but 0, many", 5, 50, func(int, float64, float64) float64 { return 1e-12 }, 60, 60},
		{"a level of 0", 1, 30, func(_ int, _, level float64) float64 { return 2 - 2*level + 1e-12 }, 60, 60},
		{"a level of 0, many", 8, 30, func(_ int, _, level float64) float64 { return 2 - 2*level + 1e-12 }, 60, 60},
		{"a level of one in ten streams", 10, 30, func(_ int, _, level float64) float64 { return 2 - 1.999*level }, 54, 60},
		{"rare", 10, 60, plain(-2), 0, 1},
		{"30 rows", 1, 30, plain(1), 0, 1},
		{"eight counts of a level", 1, 9, plain(1), 0, 15},
		{"large counts", 1, 9, plain(7), 0, 1},
		{"varying counts", 4, 30, func(_ int, x, level float64) float64 {
			u := math.Abs(math.Sin(1e3*x + level)) // a fixed function of the row, nearly uniform
			return 3 * math.Log(1/(u+1e-9))
		}, 0, 1},
	} {
		for _, over := range []string{lognormal, none} {
			if c.name == "very rare" && over == none {
				continue // it does not know how many rows have a count
			}
			s := Defaults()
			s.Overdispersion = over
			up := 0
			for rep := range uint64(60) {
				if slices.Contains(eventStream(t, s, rep, c.shards, c.rows, 1, c.mean).AppendFlags(nil), fewEventsFlag) {
					up++
				}
			}
			t.Logf("%s, %s: %d of 60", c.name, over, up)
			if up < c.least || up > c.most {
				t.Errorf("%s, %s: %d of 60 are flagged, want %d to %d", c.name, over, up, c.least, c.most)
			}
		}
	}
}

// What only the prior bounds is listed: the level of 0, nothing else; of nothing but 0 all that
// the zeros are of. A prior that says what is possible takes the flag away.
func TestNoEventsAreLeftToThePrior(t *testing.T) {
	zero := func(int, float64, float64) float64 { return 1e-12 }
	level := func(_ int, _, level float64) float64 { return 2 - 2*level + 1e-12 }
	known := Defaults()
	known.Prior.BetaVariance = 0.25
	for _, c := range []struct {
		name  string
		s     Settings
		mean  func(int, float64, float64) float64
		want  []bool // intercept, x, level
		raise bool
	}{
		{"nothing but 0", Defaults(), zero, []bool{true, true, true}, true},
		{"a level of 0", Defaults(), level, []bool{false, false, true}, true},
		{"a level of 0, prior known", known, level, []bool{false, false, false}, false},
	} {
		m := eventStream(t, c.s, 1, 2, 30, 1, c.mean)
		got := slices.Repeat([]float64{math.NaN()}, 3)
		m.PriorSensitivity([]cdf.Functional{{Param: []int{0}, Weight: []float64{1}}, {Param: []int{1}, Weight: []float64{1}}, {Param: []int{2}, Weight: []float64{1}}}, got)
		for j, want := range c.want {
			if want != (got[j] > 0.35) {
				t.Errorf("%s: the sensitivity of coefficient %d is %v", c.name, j, got[j])
			}
		}
		if raised := slices.Contains(m.AppendFlags(nil), fewEventsFlag); raised != c.raise {
			t.Errorf("%s: few_events is up: %v", c.name, raised)
		}
	}
}

// The flag goes with the first counts, and comes back where they are forgotten.
func TestFewEventsComeAndGo(t *testing.T) {
	mean := func(from, to int) func(int, float64, float64) float64 {
		return func(shard int, _, _ float64) float64 {
			if shard >= from && shard < to {
				return 3
			}
			return 1e-12
		}
	}
	for _, c := range []struct {
		from, to, shards int
		forget           float64
		want             bool
	}{{2, 9, 2, 1, true}, {2, 9, 5, 1, false}, {0, 3, 3, 0.5, false}, {0, 3, 40, 0.5, true}} {
		m := eventStream(t, Defaults(), 3, c.shards, 30, c.forget, mean(c.from, c.to))
		if up := slices.Contains(m.AppendFlags(nil), fewEventsFlag); up != c.want {
			t.Errorf("%+v: few_events is up: %v", c, up)
		}
	}
}

// A level without a count is told in any coding of its column, and one with counts in none.
func TestNoEventsInAnyCoding(t *testing.T) {
	for _, c := range []struct{ zero, one float64 }{{0, 1}, {1, 2}, {-.17, 5.7}, {1, 0}} {
		for _, rate := range []float64{0, 1} {
			r, m := rand.New(rand.NewPCG(2, 65)), newTest(t, Defaults(), []string{"intercept", "x"})
			d := modeltest.Stepper{Model: m}
			for range 20 {
				sh := cdf.Shard{Rows: 50, Cols: 2}
				for i := range sh.Rows {
					x, mean := c.zero, 3.
					if i%17 == 0 {
						x, mean = c.one, 3*rate+1e-12
					}
					sh.X, sh.Y = append(sh.X, 1, x), append(sh.Y, simulate.Count(r, mean))
				}
				d.Must(t, &sh, 1)
			}
			flags := m.AppendFlags(nil)
			depends := []float64{math.NaN()}
			m.PriorSensitivity([]cdf.Functional{{Param: []int{1}, Weight: []float64{1}}}, depends)
			if told := slices.Contains(flags, fewEventsFlag); told != (rate == 0) || (depends[0] > .35) != told {
				t.Errorf("%+v, rate %g: flags %q, sensitivity %g", c, rate, flags, depends[0])
			}
		}
	}
}
