package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// noisyShard makes rows of a model with two columns and, in g, groups. vary is
// multiplied with the rate of each row.
func noisyShard(r *rand.Rand, rows, groups int, level float64, u []float64, vary func() float64) *cdf.Shard {
	sh := &cdf.Shard{Rows: rows, Cols: 2, Group: [][]int32{make([]int32, rows)}}
	for i := range rows {
		g, x := r.IntN(groups), r.NormFloat64()
		sh.Group[0][i] = int32(g)
		sh.X = append(sh.X, 1, x)
		sh.Y = append(sh.Y, simulate.Count(r, math.Exp(level+0.3*x+u[g])*vary()))
	}
	return sh
}

// negativeBinomial is the factor of a rate that makes counts negative binomial:
// gamma with mean 1.
func negativeBinomial(r *rand.Rand, size float64) func() float64 {
	return func() float64 { return rnd.Gamma(r, size) / size }
}

// Counts that are Poisson raise no flag in any of 1,000 streams of 10 shards, few
// or many rows each, rare events and frequent ones; negative binomial counts do
// within 200 rows in each of 100, and so do two counts out of all proportion.
func TestOverdispersed(t *testing.T) {
	flagged := func(m *Model) bool { return fmt.Sprint(m.AppendFlags(nil)) == "[overdispersed]" }
	stream := func(seed uint64, rows, shards int, level float64, vary func(r *rand.Rand) func() float64, wild float64) *Model {
		r := rand.New(rand.NewPCG(seed, 95))
		u := make([]float64, 12)
		for g := range u {
			u[g] = 0.4 * r.NormFloat64()
		}
		m := newTest(t, plain(), []string{"intercept", "x"}, "g")
		d := modeltest.Stepper{Model: m}
		for shard := range shards {
			sh := noisyShard(r, rows, len(u), level, u, vary(r))
			if shard == shards-1 && wild > 0 {
				sh.Y[0], sh.Y[1] = wild, wild
			}
			d.Must(t, sh, 1)
		}
		return m
	}
	poisson := func(*rand.Rand) func() float64 { return func() float64 { return 1 } }
	for seed := range uint64(1000) {
		rows, level := []int{10, 40, 200}[seed%3], []float64{-3, 0, 2, 5}[seed%4]
		if m := stream(seed, rows, 10, level, poisson, 0); flagged(m) {
			t.Errorf("seed %d, %d rows a shard about e^%g: Poisson counts raise the flag: %+v", seed, rows, level, m.surplus)
		}
	}
	for seed := range uint64(100) {
		m := stream(seed, 50, 4, 1.5, func(r *rand.Rand) func() float64 { return negativeBinomial(r, .5) }, 0)
		if !flagged(m) {
			t.Errorf("seed %d: negative binomial counts of size .5 raise no flag: %+v", seed, m.surplus)
		}
		if m := stream(seed, 50, 4, 1.5, poisson, 400); !flagged(m) {
			t.Errorf("seed %d: two counts of 400 among ones of 5 raise no flag: %+v", seed, m.surplus)
		}
	}
}

// Rows' own effects are what the flag advises: with them it is gone. Forgetting
// weakens what raised it.
func TestOverdispersedIsAdvice(t *testing.T) {
	s := Defaults()
	r := rand.New(rand.NewPCG(96, 1))
	with, without := newTest(t, s, []string{"intercept", "x"}, "g"), newTest(t, plain(), []string{"intercept", "x"}, "g")
	sh := noisyShard(r, 300, 5, 2, make([]float64, 5), negativeBinomial(r, 1))
	for _, m := range []*Model{with, without} {
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
	}
	if len(with.AppendFlags(nil)) > 0 || len(without.AppendFlags(nil)) == 0 || s.Advise(overdispersedFlag) == "" || s.Advise("other") != "" {
		t.Errorf("flags %q with rows' own effects, %q without", with.AppendFlags(nil), without.AppendFlags(nil))
	}
	before := without.surplus
	forgets := modeltest.Stepper{Model: without}
	forgets.Must(t, &cdf.Shard{Cols: 2, Group: [][]int32{{}}}, .5)
	if d := without.surplus; d != (surplus{before.excess / 2, before.variance / 2, before.expected / 2}) {
		t.Errorf("forgetting a half leaves %+v of %+v", d, before)
	}
}

// TestLevelInDoubt counts the streams of 10 shards of 30 rows about e^1.5 in which the interval of 95 % of the intercept has the truth, and those that say
// that the law of the rows' effects decides it. It is right where counts are Poisson or their effects small, and the flag is up in at most 1 % there at any shard; negative
// binomial counts of size .5 and 1 leave it in four of ten and fewer than nine of ten, and lognormal effects of sd 1, and the flag is up in all but 2 %.
func TestLevelInDoubt(t *testing.T) {
	const streams = 200
	poisson := func(*rand.Rand) func() float64 { return func() float64 { return 1 } }
	gamma := func(size float64) func(r *rand.Rand) func() float64 {
		return func(r *rand.Rand) func() float64 { return negativeBinomial(r, size) }
	}
	normal := func(sd float64) func(r *rand.Rand) func() float64 {
		return func(r *rand.Rand) func() float64 {
			return func() float64 { return math.Exp(sd*r.NormFloat64() - sd*sd/2) }
		}
	}
	for _, c := range []struct {
		name        string
		level       float64
		vary        func(r *rand.Rand) func() float64
		up          bool
		least, most float64 // of the intervals that have the truth
	}{
		{"Poisson", 1.5, poisson, false, .92, .99},
		{"Poisson, rare", -1, poisson, false, .9, .99},
		{"Poisson, of thousands", 8, poisson, false, .92, .99},
		{"lognormal of sd .3", 1.5, normal(.3), false, .91, .99},
		{"lognormal of sd 1", 1.5, normal(1), true, .75, .9},
		{"negative binomial of size .5", 1.5, gamma(.5), true, .5, .82},
		{"negative binomial of size 1, of some 50", 4, gamma(1), true, .3, .7},
	} {
		held, at, ever := 0, 0, 0
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 97))
			m := newTest(t, Defaults(), []string{"intercept", "x"})
			d := modeltest.Stepper{Model: m}
			up := false
			for range 10 {
				sh := noisyShard(r, 30, 1, c.level, []float64{0}, c.vary(r))
				sh.Group = nil
				d.Must(t, sh, 1)
				if up = slices.Contains(m.AppendFlags(nil), overdispersedFlag); up {
					ever++
				}
			}
			if up {
				at++
			}
			if row := modeltest.Summarize(t, m, []cdf.Functional{effect(0)})[0]; row.Q025 <= c.level && c.level <= row.Q975 {
				held++
			}
		}
		share := float64(held) / streams
		t.Logf("%s: held in %.3f, the flag is up in %d of %d, at any shard in %d of %d", c.name, share, at, streams, ever, 10*streams)
		if share < c.least || share > c.most || c.up && at < 196 || !c.up && ever > 20 {
			t.Errorf("%s: held in %.3f, the flag is up in %d, at any shard in %d", c.name, share, at, ever)
		}
	}
}

// TestZerosHaveNoNegativeVariance adds zeros of rates from nothing to many, of which the probability is 1 but for its last digit: a
// state with a variance below 0 is not read back.
func TestZerosHaveNoNegativeVariance(t *testing.T) {
	for logRate := -100.; logRate <= 3; logRate += .25 {
		for s2e := 1e-9; s2e < 20; s2e *= 3 {
			var s surplus
			if s.zero(0, logRate, s2e); !(s.variance >= 0 && s.expected <= 1) {
				t.Errorf("log rate %v, s2e %v: %+v", logRate, s2e, s)
			}
		}
	}
}
