package linear

import (
	"os"
	"testing"

	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
	"github.com/credence-stream/credence/research/measure"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// S-MCMC in the paper's setting, t = 10, 20, .., 500: coverage .961 and MSE
// .094/.051/.044 at t = 200/400/500 over 40 replications of other data, and
// the exact mean length 1.335. The ranges are those of the streaming model,
// about three standard errors on either side.
func TestAcceptanceSMCMC(t *testing.T) {
	reps := accept.Reps(t, 8, 20, 40)
	s := methodtest.Scenario(t, "linear")
	var lo, hi, truth []float64
	mse := map[int]float64{}
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		var want []float64
		for _, v := range s.Truth(seed, "paper", 1)[:5] {
			want = append(want, v.Value)
		}
		d := methodtest.Drive(newTest(t, linear.Defaults(), 5, false), seed, 500)
		for shard := 1; shard <= 500; shard++ {
			d.Must(t, modeltest.ScenarioShard(s.Shard(seed, "paper", int64(shard), s.Rows)), 1)
			if shard%10 != 0 {
				continue
			}
			means := make([]float64, 5)
			for j := range means {
				a, b := measure.Interval(d.Draws.Row(j), .95)
				lo, hi = append(lo, a), append(hi, b)
				means[j] = measure.Mean(d.Draws.Row(j))
			}
			truth = append(truth, want...)
			mse[shard] += measure.MSE(means, want) / float64(reps)
		}
	}
	seeds := modeltest.Seeds(reps)
	accept.Range(t, "L1s", "S-MCMC: coverage of beta", measure.Coverage(lo, hi, truth), .92, .99, seeds)
	accept.Range(t, "L2s", "S-MCMC: mean length", measure.Length(lo, hi), 1.29, 1.38, seeds)
	accept.Range(t, "L3s", "S-MCMC: MSE t=200", mse[200], .065, .125, seeds)
	accept.Range(t, "L3s", "S-MCMC: MSE t=400", mse[400], .030, .075, seeds)
	accept.Range(t, "L3s", "S-MCMC: MSE t=500", mse[500], .028, .062, seeds)
}
