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

// oddStreams returns in how many of streams odd_levels is up after any of five shards, and after the last, of groups whose effects have sd .5 and a law of
// variance 1, with so many rows of each group in a shard. Groups differ by a skewed column, too.
func oddStreams(t *testing.T, streams, groups, rows int, level, slope float64, effect func(r *rand.Rand) float64) (ever, end int) {
	t.Helper()
	for seed := range streams {
		m, r := newTest(t, Defaults(), []string{"intercept", "x"}, "g"), rand.New(rand.NewPCG(uint64(seed), 126))
		d, u, x := modeltest.Stepper{Model: m}, make([]float64, groups), make([]float64, groups)
		for g := range u {
			u[g], x[g] = .5*effect(r), r.ExpFloat64()-1
		}
		had, last := false, false
		for range 5 {
			sh := &cdf.Shard{Rows: groups * rows, Cols: 2, Group: make([][]int32, 1)}
			for i := range sh.Rows {
				g := i % groups
				sh.Group[0], sh.X = append(sh.Group[0], int32(g)), append(sh.X, 1, x[g])
				sh.Y = append(sh.Y, simulate.Count(r, math.Exp(level+slope*x[g]+u[g])))
			}
			d.Must(t, sh, 1)
			last = slices.Contains(m.AppendFlags(nil), oddFlag)
			had = had || last
		}
		if had {
			ever++
		}
		if last {
			end++
		}
	}
	return ever, end
}

// Effects of another law than a normal one are told, of many groups, and normal ones are not: in 2 of 7,000 streams of seven sorts at any of five
// shards.
func TestOddEffects(t *testing.T) {
	exponential := func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }
	student := func(r *rand.Rand) float64 {
		return r.NormFloat64() / math.Sqrt(2*(r.ExpFloat64()+r.ExpFloat64())) * math.Sqrt2
	}
	for _, c := range []struct {
		name         string
		groups, rows int
		level, slope float64
		effect       func(r *rand.Rand) float64
		least, most  int // of 20 streams: in the end, and at any shard
	}{
		{"exponential", 150, 2, 1, 1, exponential, 18, 20},
		{"exponential, below", 150, 2, 2, 1, func(r *rand.Rand) float64 { return -exponential(r) }, 18, 20},
		{"t of 4 degrees of freedom", 300, 2, 3, 1, student, 12, 20},
		{"normal", 50, 2, 1, 1, (*rand.Rand).NormFloat64, 0, 0},
		{"normal", 150, 2, 1, 1, (*rand.Rand).NormFloat64, 0, 0},
		{"normal, of few counts at first", 200, 2, 0, 0, (*rand.Rand).NormFloat64, 0, 0},
		{"normal, of few counts", 150, 1, -1, 1, (*rand.Rand).NormFloat64, 0, 0},
		{"exponential, of few counts", 150, 1, -2, 1, exponential, 0, 0},
	} {
		ever, end := oddStreams(t, 20, c.groups, c.rows, c.level, c.slope, c.effect)
		t.Logf("%s, %d groups: in %d of 20 streams, in the end in %d", c.name, c.groups, ever, end)
		if end < c.least || ever > c.most {
			t.Errorf("%s, %d groups: in %d of 20 streams, in the end in %d, want %d to %d", c.name, c.groups, ever, end, c.least, c.most)
		}
	}
}
