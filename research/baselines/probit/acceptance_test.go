package probit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
	"github.com/credence-stream/credence/research/measure"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

const firstSeed = 2000

// replication makes the data of a replication.
type replication func(seed uint64) (shards []*cdf.Batch, truth []float64)

// scenario returns data of a scenario: the rows of 100 shards in the
// given number of shards.
func scenario(t *testing.T, name, key string, shards int) replication {
	t.Helper()
	sc := methodtest.Scenario(t, name)
	return func(seed uint64) (all []*cdf.Batch, truth []float64) {
		for _, v := range sc.Truth(seed, key, 1) {
			truth = append(truth, v.Value)
		}
		var fine []*cdf.Batch
		for at := int64(1); at <= 100; at++ {
			d, b := sc.Shard(seed, key, at, sc.Rows), &cdf.Batch{Rows: sc.Rows}
			for j, name := range d.Names {
				b.Columns = append(b.Columns, cdf.Column{Name: name, Type: cdf.Float, Number: d.Columns[j]})
			}
			fine = append(fine, b)
		}
		for each := 100 / shards; len(fine) > 0; fine = fine[each:] {
			all = append(all, joined(fine[:each]))
		}
		return all, truth
	}
}

// narrow is the first experiment with predictors of sd .2.
func narrow(seed uint64) ([]*cdf.Batch, []float64) {
	truth := simulate.Strong(seed, "case1", 100, .75)
	return newBatches(rand.New(rand.NewPCG(seed, 4)), 100, 25, truth, .2), truth
}

// figures are means over replications of what the paper prints.
type figures struct{ coverage, length, mse10, mse float64 }

// judge runs a method with the prior N(0, 1) of the paper's experiments
// on replications of their data. Intervals are those of 95 % probability.
func judge(t *testing.T, method string, reps int, data replication) (o figures) {
	t.Helper()
	for rep := range reps {
		seed, n := uint64(firstSeed+rep), float64(reps)
		all, truth := data(seed)
		_, sum := stream(t, specOf(t, method, len(truth), 500, seed, nil), all)
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

func seedsText(reps int) string { return fmt.Sprintf("seeds %d-%d", firstSeed, firstSeed+reps-1) }

// Rows P1 of S-MCMC. What it draws from after the last row does not depend on
// how the rows came, but for the last shard's part in the chains' start: fewer
// shards are the same sampler in less time.
func TestAcceptanceSMCMC(t *testing.T) {
	reps, shards := accept.Reps(t, 0, 10, 10), 4
	if accept.Asked() == accept.Full {
		shards = 20
	}
	o, seeds := judge(t, "smcmc", reps, scenario(t, "probit", "case1", shards)), seedsText(reps)
	accept.Range(t, "P1", "smcmc: coverage", o.coverage, .91, .955, seeds)
	accept.Range(t, "P1", "smcmc: length", o.length, .56, .59, seeds)
	accept.Range(t, "P1", "smcmc: MSE", o.mse, .020, .026, seeds)
}

// Rows P1 of S-VB, also on predictors of sd .2, which are those of the
// program that the paper's authors published.
func TestAcceptanceSVB(t *testing.T) {
	reps := accept.Reps(t, 10, 10, 40)
	o, seeds := judge(t, "svb", reps, scenario(t, "probit", "case1", 100)), seedsText(reps)
	accept.Range(t, "P1", "svb: coverage", o.coverage, .47, .57, seeds)
	accept.Range(t, "P1", "svb: length", o.length, .317, .321, seeds)
	accept.Range(t, "P1", "svb: MSE of the first 10", o.mse10, .36, .51, seeds)
	accept.Range(t, "P1", "svb: MSE", o.mse, .070, .086, seeds)
	o = judge(t, "svb", reps, narrow)
	accept.Range(t, "P1", "sd .2, svb: coverage", o.coverage, .60, .70, seeds)
	accept.Range(t, "P1", "sd .2, svb: length", o.length, .39, .405, seeds)
}

// Rows P1 of SMC: with 100 coefficients its particles collapse, which is what
// the paper finds too.
func TestAcceptanceSMC(t *testing.T) {
	reps := accept.Reps(t, 0, 0, 1)
	o, seeds := judge(t, "smc", reps, scenario(t, "probit", "case1", 100)), seedsText(reps)
	accept.Range(t, "P1", "smc: coverage", o.coverage, 0, .35, seeds)
	accept.Range(t, "P1", "smc: MSE", o.mse, .35, 10, seeds)
	t.Logf("length %.3f, MSE of the first 10 %.2f", o.length, o.mse10)
}

// Row P2 of S-VB, with predictors of sd .2; the printed figures are .55, .20, .026 and .017.
// Ranges are for one data set of 500 coefficients. The length is that of weight
// 1, 3.92 / (.2 sqrt(10,000 - 500 - 1)) = .201.
func TestAcceptanceWideSVB(t *testing.T) {
	reps := accept.Reps(t, 0, 0, 1)
	o, seeds := judge(t, "svb", reps, scenario(t, "probit-wide-20", "case2", 100)), seedsText(reps)
	accept.Range(t, "P2", "svb: coverage", o.coverage, .48, .62, seeds)
	accept.Range(t, "P2", "svb: length", o.length, .199, .203, seeds)
	accept.Range(t, "P2", "svb: MSE of the first 10", o.mse10, .01, .04, seeds)
	accept.Range(t, "P2", "svb: MSE", o.mse, .014, .020, seeds)
}
