package anova

import (
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
	"github.com/credence-stream/credence/research/measure"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// weak is the prior that lets ten groups inform tau2; strong is the one that
// does not.
var (
	weak   = anova.Prior{Tau2Shape: .5, Tau2Rate: .005, Sigma2Shape: 1, Sigma2Rate: 1}
	strong = anova.Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}
)

// judged is what a competitor is judged by in the paper's experiment.
type judged struct {
	lo, hi, truth []float64 // of zeta, over all shards, groups and replications
	mse           float64   // at the last shard
	zeta, sigma2  []float64 // overlaps with the exact posterior, at the given shards
}

func (j *judged) coverage() float64 { return measure.Coverage(j.lo, j.hi, j.truth) }
func (j *judged) length() float64   { return measure.Length(j.lo, j.hi) }

// run takes a competitor through 500 shards of the given number of rows. At
// the shards listed, its draws are compared with 50,000 of the exact posterior.
func run(t *testing.T, method string, prior anova.Prior, reps, perShard int, at ...int) *judged {
	s, out := methodtest.Scenario(t, "anova"), &judged{}
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		var truth []float64
		for _, v := range s.Truth(seed, "paper", 1)[3:] {
			truth = append(truth, v.Value)
		}
		d := methodtest.Drive(competitor(t, method, prior), seed, 500)
		exact := methodtest.Drive(newSMCMC(anova.Settings{Prior: prior}), seed+1_000_000, 1)
		few, many := exact.Draws, methodtest.Draws(exact.Model, 50_000)
		next := at
		for shard := 1; shard <= 500; shard++ {
			sh := modeltest.GroupShard(s.Shard(seed, "paper", int64(shard), perShard))
			d.Must(t, sh, 1)
			compare := len(next) > 0 && next[0] == shard
			if compare {
				next = next[1:]
				exact.Draws = many
			}
			exact.Must(t, sh, 1)
			out.add(t, d, truth)
			if compare {
				out.compare(d, exact)
				exact.Draws = few
			}
			if shard == 500 {
				means := make([]float64, len(truth))
				for i := range means {
					means[i] = measure.Mean(d.Draws.Row(levelRow(d.Model) + i))
				}
				out.mse += measure.MSE(means, truth) / float64(reps)
			}
		}
	}
	return out
}

// competitor returns a competitor of the anova model at its defaults but for
// the prior.
func competitor(t *testing.T, method string, prior anova.Prior) cdf.Model {
	t.Helper()
	return modeltest.Model(t, methodtest.Lookup(t, anova.Kind(), Competitors(), method), "", func(v any) error {
		switch s := v.(type) {
		case *anova.Settings:
			s.Prior = prior
		case *SMCSettings:
			s.Prior = prior
		}
		return nil
	}, cdf.Dims{})
}

// levelRow returns the row of the first zeta.
func levelRow(m cdf.Model) int {
	p := m.Params()
	return methodtest.Rows(m) - p[len(p)-1].Len
}

// add takes the intervals of the shard: those of the summary, where there is
// one, else those of the draws.
func (j *judged) add(t *testing.T, d *modeltest.Stepper, truth []float64) {
	from := levelRow(d.Model)
	if _, ok := d.Model.(cdf.Summarizer); ok {
		for _, r := range methodtest.Summarize(t, d.Model)[from:] {
			j.lo, j.hi = append(j.lo, r.Q025), append(j.hi, r.Q975)
		}
	} else {
		for i := range truth {
			lo, hi := measure.Interval(d.Draws.Row(from+i), .95)
			j.lo, j.hi = append(j.lo, lo), append(j.hi, hi)
		}
	}
	j.truth = append(j.truth, truth...)
}

func (j *judged) compare(d, exact *modeltest.Stepper) {
	from := levelRow(d.Model)
	for i := range methodtest.Rows(d.Model) - from {
		j.zeta = append(j.zeta, measure.Overlap(d.Draws.Row(from+i), exact.Draws.Row(zetaRow+i)))
	}
	j.sigma2 = append(j.sigma2, measure.Overlap(measure.Logs(d.Draws.Row(from-1)), measure.Logs(exact.Draws.Row(sigma2Row))))
}

// The paper's experiment, ten rows per group and shard, and one. S-MCMC and
// SMC-CH sample the exact posterior, so that their lengths are those of the
// streaming model's rows N1 and N4. Row N6 is that of ADF and SMC-CH under the
// prior that ten groups hardly inform. Under the one that they do, ADF freezes
// what the first shard says of tau2: the intervals are two thirds of the exact
// ones. Intervals of a replication move together, so that few of them say
// little of coverage.
//
// With one row per group the first ten rows have two modes, of which ADF must
// not take the one without noise: the levels then run away.
func TestAcceptanceCompetitors(t *testing.T) {
	type interval [2]float64
	for _, c := range []struct {
		id, name, method string
		prior            anova.Prior
		rows             int
		coverage, length interval
		mse              interval // at t = 500
		zeta, sigma2     float64  // least mean accuracy at t = 50 and 500
		test, full       int      // replications
	}{
		{"N1s", "S-MCMC, IG(.5, .005)", "smcmc", weak, 100, interval{.925, .985}, interval{.53, .62}, interval{.004, .012}, .93, .93, 0, 32},
		{"N4s", "S-MCMC, IG(1, 1)", "smcmc", strong, 100, interval{.95, .995}, interval{.88, .95}, interval{.008, .025}, .93, .93, 2, 24},
		{"N6", "ADF, IG(1, 1)", "adf", strong, 100, interval{.95, .995}, interval{.79, .89}, interval{.008, .025}, .90, .90, 2, 24},
		{"N6", "SMC-CH, IG(1, 1)", "smc", strong, 100, interval{.95, .995}, interval{.88, .95}, interval{.008, .025}, .92, .92, 2, 24},
		{"N6w", "ADF, IG(.5, .005)", "adf", weak, 100, interval{.74, .92}, interval{.31, .42}, interval{.004, .015}, .70, .92, 0, 24},
		{"N6w", "SMC-CH, IG(.5, .005)", "smc", weak, 100, interval{.925, .985}, interval{.53, .62}, interval{.004, .012}, .92, .92, 0, 24},
		{"N6o", "S-MCMC, IG(1, 1), 1 row", "smcmc", strong, 10, interval{.95, .995}, interval{2.2, 2.45}, interval{.04, .15}, .93, .93, 0, 24},
		{"N6o", "ADF, IG(1, 1), 1 row", "adf", strong, 10, interval{.95, 1}, interval{1.6, 1.95}, interval{.025, .1}, .75, .8, 2, 24},
		{"N6o", "SMC-CH, IG(1, 1), 1 row", "smc", strong, 10, interval{.95, .995}, interval{2.2, 2.45}, interval{.04, .15}, .92, .92, 0, 24},
	} {
		t.Run(c.id+" "+c.method, func(t *testing.T) {
			reps := accept.Reps(t, c.test, 6, c.full)
			r, seeds := run(t, c.method, c.prior, reps, c.rows, 50, 500), modeltest.Seeds(reps)
			check := func(what string, got float64, accepted interval) {
				t.Helper()
				accept.Range(t, c.id, c.name+": "+what, got, accepted[0], accepted[1], seeds)
			}
			check("coverage of zeta", r.coverage(), c.coverage)
			check("length", r.length(), c.length)
			check("MSE t=500", r.mse, c.mse)
			check("accuracy of zeta", measure.Mean(r.zeta), interval{c.zeta, 1})
			check("accuracy of sigma2", measure.Mean(r.sigma2), interval{c.sigma2, 1})
		})
	}
}
