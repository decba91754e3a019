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

// A great count tells the sum of its predictor and its row's own effect: the intercept is where it belongs where groups have two rows each, and among
// ten rows. Of 40 streams the mean distance from the truth is within .8 sds, five of its own; with predictors and effects
// as if they were independent it was -1.0 to -1.7. Of the groups 60 rows are left to tell s2e, and overdispersed says what that leaves open.
func TestOwnEffectsBesideAPredictor(t *testing.T) {
	const reps = 40
	for _, c := range []struct {
		rows, groups int
		level        float64
	}{{120, 60, 3}, {10, 0, 3}, {400, 200, 2}} {
		off, told := 0.0, 0
		for rep := range uint64(reps) {
			var of []string
			if c.groups > 0 {
				of = []string{"g"}
			}
			m := newTest(t, Defaults(), []string{"intercept", "x"}, of...)
			d := modeltest.Stepper{Model: m}
			d.Must(t, lognormalGroups(rand.New(rand.NewPCG(rep, 129)), c.rows, c.groups, c.level, 1), 1)
			row := modeltest.Summarize(t, m, []cdf.Functional{effect(0)})[0]
			off += (row.Mean - c.level) / row.SD / reps
			if slices.Contains(m.AppendFlags(nil), overdispersedFlag) {
				told++
			}
		}
		t.Logf("%d rows, %d groups: %.2f sds off, told in %d", c.rows, c.groups, off, told)
		if math.Abs(off) > .8 || told < reps*3/4 {
			t.Errorf("%d rows, %d groups: the intercept is %.2f sds off on average, %d of %d have the flag", c.rows, c.groups, off, told, reps)
		}
	}
}

// The first rows of a key without groups, one by one or three at a time, are the fit of all at once, until they are judged; then each shard is expanded once.
func TestFirstRowsAreFittedAtOnce(t *testing.T) {
	all := lognormalRows(rand.New(rand.NewPCG(5, 129)), wildEnough+20, 2, .8)
	for _, per := range []int{1, 3} {
		m := newTest(t, Defaults(), []string{"intercept", "x"})
		d := modeltest.Stepper{Model: m}
		for from := 0; from < wildEnough-per; from += per {
			d.Must(t, part(all, from, from+per), 1)
			if rows := from + per; rows%12 == 0 {
				once := newTest(t, Defaults(), []string{"intercept", "x"})
				one := modeltest.Stepper{Model: once}
				one.Must(t, part(all, 0, rows), 1)
				f := []cdf.Functional{effect(0), effect(1)}
				got, want := modeltest.Summarize(t, m, f), modeltest.Summarize(t, once, f)
				for j := range got {
					if miss := (got[j].Mean - want[j].Mean) / want[j].SD; math.Abs(miss) > .05 || math.Abs(got[j].SD/want[j].SD-1) > .05 {
						t.Errorf("%d rows, %d a shard, coefficient %d: %v (%v), of all at once %v (%v)", rows, per, j, got[j].Mean, got[j].SD, want[j].Mean, want[j].SD)
					}
				}
			}
		}
		if !m.again() {
			t.Errorf("%d rows a shard: the first rows are not fitted anew", per)
		}
		d.Must(t, part(all, wildEnough, wildEnough+20), 1)
		if m.again() {
			t.Errorf("%d rows a shard: judged rows are fitted anew", per)
		}
	}
}

// What the rows do not tell of the variance of groups is listed: there is one group, or groups do not differ; not where forty do.
func TestVarianceOfGroupsDependsOnItsPrior(t *testing.T) {
	for _, c := range []struct {
		groups int
		alike  bool
		listed bool
	}{{1, false, true}, {40, true, true}, {40, false, false}} {
		m := newTest(t, Defaults(), []string{"intercept", "x"}, "g")
		sh := lognormalGroups(rand.New(rand.NewPCG(3, 129)), 400, c.groups, 2, .2)
		if c.alike {
			r := rand.New(rand.NewPCG(4, 129))
			for i := range sh.Y {
				sh.Y[i] = simulate.Count(r, 7)
			}
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		got := []float64{0}
		m.PriorSensitivity([]cdf.Functional{effect(2 + m.stats.effects())}, got)
		t.Logf("%d groups, alike %t: %.3f", c.groups, c.alike, got[0])
		if (got[0] > .35) != c.listed {
			t.Errorf("%d groups, alike %t: sigma2_u depends on its prior by %.3f", c.groups, c.alike, got[0])
		}
	}
}
