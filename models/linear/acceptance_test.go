package linear

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// paperRun is one replication of the paper's experiment: 500 shards.
type paperRun struct {
	coverage, length float64         // over t = 10, 20, .., 500 and the coefficients
	mse              map[int]float64 // mean squared error of beta, at a shard
	beta, sigma      map[int]float64 // accuracy against the exact marginals, at a shard
}

func runPaper(t *testing.T, variant string, rep int, accuracy bool) paperRun {
	s, ok := simulate.Lookup("linear")
	if !ok {
		t.Fatal("no scenario")
	}
	m := modeltest.Model(t, Kind(), variant, nil, cdf.Dims{Columns: modeltest.Columns(5)})
	d, o := modeltest.Stepper{Model: m}, newOracle(5, Defaults().Prior, false)
	seed := uint64(modeltest.FirstSeed + rep)
	truth := s.Truth(seed, "paper", 1)
	f := modeltest.Coefficients(5)
	out := paperRun{mse: map[int]float64{}, beta: map[int]float64{}, sigma: map[int]float64{}}
	for shard := 1; shard <= 500; shard++ {
		sh := modeltest.ScenarioShard(s.Shard(seed, "paper", int64(shard), s.Rows))
		o.add(sh)
		d.Must(t, sh, 1)
		if shard%10 != 0 {
			continue
		}
		rows := modeltest.Summarize(t, m, f)
		mse := 0.0
		for j, r := range rows[:5] {
			e := r.Mean - truth[j].Value
			mse += e * e / 5
			out.length += (r.Q975 - r.Q025) / 250
			if r.Q025 <= truth[j].Value && truth[j].Value <= r.Q975 {
				out.coverage += 1. / 250
			}
		}
		out.mse[shard] = mse
		if x, ok := m.(*Model); ok && accuracy && (shard == 50 || shard == 100 || shard == 500) {
			o.solve(161)
			out.sigma[shard] = o.accuracySigma(x.post.shape, x.post.shape*x.s2)
			for j := range 5 {
				out.beta[shard] += o.accuracyBeta(j, x.post.beta[j], math.Sqrt(closedScale(x, j, j)), 2*x.post.shape) / 5
			}
		}
	}
	return out
}

// Rows L1 to L6 of the acceptance list, 20 replications. The ranges leave
// about three standard errors on either side; seeds are fixed.
func TestAcceptancePaperSetting(t *testing.T) {
	const reps = 20
	seeds := fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
	var cov, length, covPaper, msePaper, worst float64
	mse, beta, sigma := map[int]float64{}, map[int]float64{}, map[int]float64{}
	worst = 1
	for rep := range reps {
		r := runPaper(t, "corrected", rep, true)
		cov += r.coverage / reps
		length += r.length / reps
		for _, at := range []int{50, 100, 200, 400, 500} {
			mse[at] += r.mse[at] / reps
			beta[at] += r.beta[at] / reps
			sigma[at] += r.sigma[at] / reps
		}
		worst = min(worst, r.sigma[500])
		r = runPaper(t, "paper", rep, false)
		covPaper += r.coverage / reps
		msePaper += r.mse[200] / reps
	}
	accept.Range(t, "L1", "coverage of beta", cov, .92, .99, seeds)
	accept.Range(t, "L2", "mean length", length, 1.29, 1.38, seeds)
	accept.Range(t, "L3", "MSE t=200", mse[200], .065, .125, seeds)
	accept.Range(t, "L3", "MSE t=400", mse[400], .030, .075, seeds)
	accept.Range(t, "L3", "MSE t=500", mse[500], .028, .062, seeds)
	accept.Range(t, "L4", "accuracy of beta t=100", beta[100], .995, 1, seeds)
	accept.Range(t, "L4", "accuracy of beta t=500", beta[500], .995, 1, seeds)
	accept.Range(t, "L5", "accuracy of sigma2 t=50", sigma[50], .995, 1, seeds)
	accept.Range(t, "L5", "accuracy of sigma2 t=100", sigma[100], .995, 1, seeds)
	accept.Range(t, "L5", "accuracy of sigma2 t=500", sigma[500], .995, 1, seeds)
	accept.Range(t, "L5", "worst accuracy of sigma2 t=500", worst, .99, 1, seeds)
	accept.Range(t, "L6", "paper: coverage of beta", covPaper, .65, .83, seeds)
	accept.Range(t, "L6", "paper: MSE t=200", msePaper, .18, .40, seeds)
}

// Row L7: a coefficient jumps, lambda = .9, 6 replications.
func TestAcceptanceDrift(t *testing.T) {
	s, ok := simulate.Lookup("linear-drift")
	if !ok {
		t.Fatal("no scenario")
	}
	const reps = 6
	seeds := fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
	rmse, neff := 0.0, 0.0
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(5)})
		if err != nil {
			t.Fatal(err)
		}
		d, sum := modeltest.Stepper{Model: m}, 0.0
		for shard := int64(1); shard <= 500; shard++ {
			d.Must(t, modeltest.ScenarioShard(s.Shard(seed, "drift", shard, s.Rows)), 0.9)
			if shard > 100 {
				e := m.post.beta[0] - s.Truth(seed, "drift", shard)[0].Value
				sum += e * e
			}
		}
		rmse += math.Sqrt(sum/400) / reps
		neff += m.n / reps
	}
	accept.Range(t, "L7", "RMSE of beta_1, t > 100", rmse, .30, .42, seeds)
	accept.Range(t, "L7", "N_eff", neff, 199, 201, seeds)
}
