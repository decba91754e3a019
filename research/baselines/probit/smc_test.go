package probit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/probit"
	"github.com/credence-stream/credence/research/measure"
)

// smallSMC returns a model of N particles with the given log weights; the
// particles are 1 .. N in every coefficient.
func smallSMC(t *testing.T, p int, logw ...float64) *smc {
	t.Helper()
	columns := make([]string, p)
	m, err := newSMC(smcSettings{Particles: len(logw), Prior: probit.Defaults().Prior}, cdf.Dims{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	m.logw, m.fit, m.beta = logw, make([]float64, len(logw)), make([]float64, len(logw)*p)
	for i := range m.beta {
		m.beta[i] = float64(i/p + 1)
	}
	if err := m.weigh(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Systematic resampling copies a particle of weight w floor(Nw) or ceil(Nw)
// times, and Nw times on average.
func TestSMCResamples(t *testing.T) {
	weight := []float64{.31, .02, .4, .07, .2}
	logw := make([]float64, len(weight))
	for k, w := range weight {
		logw[k] = math.Log(w)
	}
	r, mean := rand.New(rand.NewPCG(1, 1)), make([]float64, len(weight))
	const reps = 4000
	for range reps {
		m, count := smallSMC(t, 1, slices.Clone(logw)...), make([]float64, len(weight))
		m.resample(r)
		for _, v := range m.beta {
			count[int(v)-1]++
		}
		for k, w := range weight {
			if n := 5 * w; count[k] < math.Floor(n) || count[k] > math.Ceil(n) {
				t.Fatalf("particle %d of weight %v is there %v times of 5", k, w, count[k])
			}
			mean[k] += count[k] / reps
		}
	}
	for k, w := range weight {
		// The sd of a count is at most 1/2: 4.5 standard errors.
		if math.Abs(mean[k]-5*w) > 4.5*.5/math.Sqrt(reps) {
			t.Errorf("particle %d of weight %v is there %v times of 5 on average", k, w, mean[k])
		}
	}
}

func TestSMCSummarizesWeights(t *testing.T) {
	m := smallSMC(t, 1, math.Log(.1/.5), 0, math.Log(.4/.5))
	rows := make([]cdf.Row, 2)
	if err := m.Summarize([]cdf.Functional{
		{Param: []int{0}, Weight: []float64{2}, Const: 1}, {Param: []int{0}, Weight: []float64{-1}},
	}, rows); err != nil {
		t.Fatal(err)
	}
	// Values 1 2 3, of weights .1 .5 .4 with their middles at .05 .35 .8.
	for _, c := range [][2]float64{
		{rows[0].Mean, 1 + 2*2.3}, {rows[0].SD, 2 * math.Sqrt(.1*1.69+.5*.09+.4*.49)},
		{rows[0].Q025, 3}, {rows[0].Q25, 1 + 2*(1+.2/.3)}, {rows[0].Median, 1 + 2*(2+.15/.45)}, {rows[0].Q95, 7},
		{rows[1].Q75, -(1 + .2/.3)}, {rows[1].Median, -(2 + .15/.45)}, {rows[1].Q05, -3},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, want %v (%+v)", c[0], c[1], rows)
		}
	}
}

// While enough particles count, their weights are the likelihoods of the rows,
// those of age k to the power lambda^k.
func TestSMCWeighs(t *testing.T) {
	prior := probit.Prior{BetaVariance: .1, InterceptVariance: .1}
	m, err := newSMC(smcSettings{Particles: 50, Prior: prior}, cdf.Dims{Columns: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, sh := range []*cdf.Shard{
		{Rows: 2, Cols: 1, X: []float64{1, -.5}, Y: []float64{1, 0}},
		{Rows: 2, Cols: 1, X: []float64{.7, 2}, Y: []float64{0, math.NaN()}},
	} {
		m.Blocks()[0].Absorb(&cdf.Step{Shard: sh, Forget: .9, RNG: r})
	}
	logPhi := func(x float64) float64 { return math.Log(.5 * math.Erfc(-x/math.Sqrt2)) }
	want, sum := make([]float64, m.n), 0.0
	for k, b := range m.beta {
		want[k] = .9*(logPhi(b)+logPhi(.5*b)) + logPhi(-.7*b)
		sum += math.Exp(want[k])
	}
	for k, w := range m.weight {
		if got := math.Exp(want[k]) / sum; math.Abs(w-got) > 1e-12 {
			t.Errorf("particle %d at %v weighs %v, want %v", k, m.beta[k], w, got)
		}
	}
	if m.failed != nil || len(m.power) != 3 {
		t.Errorf("%d rows, %v", len(m.power), m.failed)
	}
}

// With five coefficients the particles are the posterior: over independent
// runs on one data set their mean misses that of S-MCMC by noise only. The
// bounds are 4.5 standard errors of 10 (mean) and 15 (sd) numbers, of which
// 7 degrees of freedom estimate each: a false alarm in about 1 of 30 choices of seeds,
// and these are fixed.
func TestSMCAgreesWithBatch(t *testing.T) {
	const p, runs = 5, 8
	shards := newBatches(rand.New(rand.NewPCG(11, 1)), 8, 25, []float64{1.5, -1, .5, 0, .8}, 1)
	_, sum := stream(t, specOf(t, "smcmc", p, 16000, 1, nil), []*cdf.Batch{joined(shards)})
	mean, sd := moments(sum)
	var misses, ratios [p][]float64
	for seed := range runs {
		f, sum := stream(t, specOf(t, "smc", p, 1, uint64(seed), nil), shards)
		if f.N() != 200 {
			t.Fatal(f.N())
		}
		for j, r := range sum.Rows {
			misses[j] = append(misses[j], (r.Mean-mean[j])/sd[j])
			ratios[j] = append(ratios[j], math.Log(r.SD/sd[j]))
		}
	}
	for j := range p {
		// The reference has noise of its own: about 5,000 effective draws.
		m, se := measure.MeanSE(misses[j])
		if limit := 4.5 * math.Hypot(se, .015); math.Abs(m) > limit || limit > .2 {
			t.Errorf("x%d: the mean is off by %.3f sd, %.3f allowed", j+1, m, limit)
		}
		s, se := measure.MeanSE(ratios[j])
		if limit := 4.5 * math.Hypot(se, .01); math.Abs(s) > limit || limit > .2 {
			t.Errorf("x%d: log sd is off by %.3f, %.3f allowed", j+1, s, limit)
		}
		t.Logf("x%d: mean off by %+.4f sd, log sd by %+.4f", j+1, m, s)
	}
}
