package poisson

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

// Counts of the first rows that are out of proportion raise first_outliers, in at
// least 95 of 100 streams with one or two counts of 500 among 50 of some 2, in one
// shard or in small ones, of single rows in half; counts with effects of rows of sd 1,
// and negative binomial ones of size .5, in hardly any, of few rows or many, rare
// and frequent ones.
func TestFirstWildCounts(t *testing.T) {
	lognormal := func(r *rand.Rand) func() float64 {
		return func() float64 { return math.Exp(r.NormFloat64()) }
	}
	gamma := func(r *rand.Rand) func() float64 { return negativeBinomial(r, .5) }
	alone := func(*rand.Rand) func() float64 { return func() float64 { return 1 } }
	for _, c := range []struct {
		name              string
		rows, shard, wild int
		level             float64
		vary              func(*rand.Rand) func() float64
		reps              uint64
		least, most       int
	}{
		{"one wild", 50, 50, 1, .5, alone, 100, 95, 100},
		{"two wild", 50, 50, 2, .5, alone, 100, 95, 100},
		{"two wild, shards of 10", 50, 10, 2, .5, alone, 100, 95, 100},
		{"two wild, shards of 5", 50, 5, 2, .5, alone, 100, 90, 100},
		{"two wild, single rows", 50, 1, 2, .5, alone, 100, 50, 100},
		{"lognormal, few", 20, 20, 0, 5, lognormal, 1000, 0, 3},
		{"lognormal, shards of 19", 57, 19, 0, 5, lognormal, 300, 0, 3},
		{"lognormal, shards of 5", 50, 5, 0, 5, lognormal, 300, 0, 3},
		{"lognormal, small", 20, 20, 0, .5, lognormal, 300, 0, 1},
		{"lognormal, many", 300, 300, 0, 3, lognormal, 200, 0, 1},
		{"negative binomial", 50, 50, 0, 1, gamma, 300, 0, 1},
		{"negative binomial, shards of 10", 50, 10, 0, 1, gamma, 300, 0, 1},
		{"rare", 50, 50, 0, -3, alone, 300, 0, 1},
	} {
		up := 0
		for rep := range c.reps {
			r := rand.New(rand.NewPCG(rep, 97))
			sh := noisyShard(r, c.rows, 5, c.level, make([]float64, 5), c.vary(r))
			for i := range c.wild {
				sh.Y[3+20*i] = 500
			}
			sh.Offset = make([]float64, c.rows)
			m, flagged := newTest(t, Defaults(), []string{"intercept", "x"}, "g"), false
			d := modeltest.Stepper{Model: m}
			for _, part := range cutShards(sh, c.rows/c.shard) {
				d.Must(t, part, 1)
				flagged = flagged || slices.Contains(m.AppendFlags(nil), firstFlag)
			}
			if flagged {
				up++
			}
		}
		t.Logf("%s: %d of %d", c.name, up, c.reps)
		if up < c.least || up > c.most {
			t.Errorf("%s: %d of %d are flagged, want %d to %d", c.name, up, c.reps, c.least, c.most)
		}
	}
}

// The first rows are kept until they are judged for good, with what forgetting
// leaves of them; a state that was stored in between goes on as the model itself.
func TestFirstRowsAreKept(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 97))
	m, again := newTest(t, Defaults(), []string{"intercept", "x"}, "g"), newTest(t, Defaults(), []string{"intercept", "x"}, "g")
	d := modeltest.Stepper{Model: m}
	for shard := range 6 {
		sh := noisyShard(r, 10, 5, .5, make([]float64, 5), func() float64 { return 1 })
		if shard == 0 {
			sh.Y[3] = 500
		}
		d.Must(t, sh, .9)
		kept := 10 * (shard + 1)
		if kept >= wildEnough {
			kept = 0
		}
		if m.early.n != kept || len(m.early.y) != kept {
			t.Fatalf("%d rows are kept after %d shards of 10, want %d", m.early.n, shard+1, kept)
		}
		if shard == 2 {
			state, err := m.AppendBinary(nil)
			if err == nil {
				err = again.UnmarshalBinary(state)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if shard > 2 {
			next := modeltest.Stepper{Model: again, T: d.T - 1}
			next.Must(t, sh, .9)
		}
		if want := math.Pow(.9, float64(shard)); kept == 0 && math.Abs(m.odd/want-1) > 1e-12 {
			t.Errorf("%g wild rows are left of one after %d shards, want %g", m.odd, shard+1, want)
		}
	}
	a, errA := m.AppendBinary(nil)
	b, errB := again.AppendBinary(nil)
	if errA != nil || errB != nil || !slices.Equal(a, b) {
		t.Errorf("the stored state goes on to another (%v, %v)", errA, errB)
	}
}

// The flag is gone when rows that came later outweigh the wild ones, as they do
// sooner where they are forgotten. Of later counts, which are predicted, the engine
// tells.
func TestWildCountsFade(t *testing.T) {
	for _, c := range []struct {
		forget   float64
		up, gone int // more shards of 25 rows
	}{{1, 10, 20}, {.8, 2, 10}} {
		r := rand.New(rand.NewPCG(5, 97))
		sh := noisyShard(r, 50, 5, .5, make([]float64, 5), func() float64 { return 1 })
		sh.Y[7] = 500
		m := newTest(t, Defaults(), []string{"intercept", "x"}, "g")
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		for shard := range c.gone + 1 {
			up := slices.Contains(m.AppendFlags(nil), firstFlag)
			if shard <= c.up && !up || shard == c.gone && up {
				t.Errorf("forget %g: up %t after %d more shards, %g of %g rows are wild", c.forget, up, shard, m.odd, m.n)
			}
			sh := noisyShard(r, 25, 5, .5, make([]float64, 5), func() float64 { return 1 })
			sh.Y[0] = 500
			d.Must(t, sh, c.forget)
		}
	}
}
