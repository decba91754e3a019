package baselines

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/measure"
	"github.com/credence-stream/credence/models/simulate"
)

const probitSeed = 2000

// probitCase1 is the paper's first experiment: the rows of 100 shards of 25,
// 100 coefficients, in the given number of shards. Of sd .25 they are those
// that the model itself is accepted on.
func probitCase1(t *testing.T, seed uint64, sd float64, shards int) (all []*cdf.Batch, truth []float64) {
	t.Helper()
	truth = simulate.Strong(seed, "case1", 100, .75)
	if sd != .25 {
		return probitBatches(rand.New(rand.NewPCG(seed, 4)), shards, 2500/shards, truth, sd), truth
	}
	sc, ok := simulate.Lookup("probit")
	if !ok {
		t.Fatal("no scenario probit")
	}
	var fine []*cdf.Batch
	for at := int64(1); at <= 100; at++ {
		d := sc.Shard(seed, "case1", at, sc.Rows)
		b := &cdf.Batch{Rows: sc.Rows}
		for j, name := range d.Names {
			b.Columns = append(b.Columns, cdf.Column{Name: name, Type: cdf.Float, Number: d.Columns[j]})
		}
		fine = append(fine, b)
	}
	for each := 100 / shards; len(fine) > 0; fine = fine[each:] {
		all = append(all, probitJoined(fine[:each]))
	}
	return all, truth
}

// probitFigures are means over replications of what the paper prints.
type probitFigures struct{ coverage, length, mse10, mse float64 }

// probitJudge runs a method with the paper's prior on replications of the
// first experiment. Intervals are those of 95 % probability.
func probitJudge(t *testing.T, method string, reps, shards int, sd float64) (o probitFigures) {
	t.Helper()
	for rep := range reps {
		seed, n := uint64(probitSeed+rep), float64(reps)
		all, truth := probitCase1(t, seed, sd, shards)
		_, sum := probitStream(t, probitSpec(t, method, len(truth), 500, seed, nil), all)
		var mean, lo, hi []float64
		for _, r := range sum.Rows {
			mean = append(mean, r.Mean)
			if method == "smc" {
				lo, hi = append(lo, r.Q025), append(hi, r.Q975)
				continue
			}
			lo, hi = append(lo, r.Mean-1.959963984540054*r.SD), append(hi, r.Mean+1.959963984540054*r.SD)
		}
		o.coverage += measure.Coverage(lo, hi, truth) / n
		o.length += measure.Length(lo, hi) / n
		o.mse10 += measure.MSE(mean[:10], truth[:10]) / n
		o.mse += measure.MSE(mean, truth) / n
	}
	return o
}

func probitSeeds(reps int) string { return fmt.Sprintf("seeds %d-%d", probitSeed, probitSeed+reps-1) }

// Rows P1 of S-MCMC. What it draws from after the last row does not depend on
// how the rows came; 100 shards are for `full`.
func TestAcceptanceProbitSMCMC(t *testing.T) {
	reps, shards := accept.Reps(t, 0, 10, 10), 4
	if accept.Asked() == accept.Full {
		shards = 100
	}
	o, seeds := probitJudge(t, "smcmc", reps, shards, .25), probitSeeds(reps)
	accept.Range(t, "P1", "smcmc: coverage", o.coverage, .91, .955, seeds)
	accept.Range(t, "P1", "smcmc: length", o.length, .56, .59, seeds)
	accept.Range(t, "P1", "smcmc: MSE", o.mse, .020, .026, seeds)
}

// Rows P1 of S-VB, also on predictors of sd .2, which are those of the
// program that the paper's authors published.
func TestAcceptanceProbitSVB(t *testing.T) {
	reps := accept.Reps(t, 10, 10, 40)
	o, seeds := probitJudge(t, "svb", reps, 100, .25), probitSeeds(reps)
	accept.Range(t, "P1", "svb: coverage", o.coverage, .47, .57, seeds)
	accept.Range(t, "P1", "svb: length", o.length, .317, .321, seeds)
	accept.Range(t, "P1", "svb: MSE of the first 10", o.mse10, .36, .51, seeds)
	accept.Range(t, "P1", "svb: MSE", o.mse, .070, .086, seeds)
	o = probitJudge(t, "svb", reps, 100, .2)
	accept.Range(t, "P1", "sd .2, svb: coverage", o.coverage, .60, .70, seeds)
	accept.Range(t, "P1", "sd .2, svb: length", o.length, .39, .405, seeds)
}

// Rows P1 of SMC: with 100 coefficients its particles collapse, which is what
// the paper finds too.
func TestAcceptanceProbitSMC(t *testing.T) {
	reps := accept.Reps(t, 0, 0, 2)
	o, seeds := probitJudge(t, "smc", reps, 100, .25), probitSeeds(reps)
	accept.Range(t, "P1", "smc: coverage", o.coverage, 0, .35, seeds)
	accept.Range(t, "P1", "smc: MSE", o.mse, .35, 10, seeds)
	t.Logf("length %.3f, MSE of the first 10 %.2f", o.length, o.mse10)
}
