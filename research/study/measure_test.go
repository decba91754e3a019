package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/measure"
)

// row is a published variable with the interval mean +- half.
func row(name string, mean, half, sd float64) cdf.Row {
	return cdf.Row{Variable: name, Mean: mean, SD: sd, Q025: mean - half, Q975: mean + half, ESSBulk: math.NaN()}
}

// take runs a measure over looks and returns its figures by shard and metric.
func take(t *testing.T, m Measure, looks ...*Look) map[Figure]float64 {
	t.Helper()
	f, out := m(), map[Figure]float64{}
	for _, l := range looks {
		figures, err := f(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range figures {
			out[Figure{T: v.T, Metric: v.Metric}] = v.Value
		}
	}
	return out
}

func want(t *testing.T, got map[Figure]float64, n int, shard int64, metric string, value, tol float64) {
	t.Helper()
	v, ok := got[Figure{T: shard, Metric: metric}]
	if !ok || !(math.Abs(v-value) <= tol) {
		t.Errorf("%s at shard %d is %v (there: %t), want %v within %v", metric, shard, v, ok, value, tol)
	}
	if len(got) != n {
		t.Errorf("%d figures, want %d: %v", len(got), n, got)
	}
}

// Two coefficients with truths 0 and 10. The variable of a longer name and one
// without a known truth do not count.
func twoLooks() (one, two *Look) {
	truth := map[string]float64{"beta[a]": 0, "beta[b]": 10, "beta2": 99, "sigma2": 4}
	one = &Look{T: 1, Truth: truth, Rows: []cdf.Row{row("beta[a]", 1, 2, 1), row("beta[b]", 13, 2, 1), row("beta[c]", 7, 0, 1), row("beta2", 0, 0, 1)}}
	two = &Look{T: 2, Truth: truth, Rows: []cdf.Row{row("beta[a]", 1, 4, 2), row("beta[b]", 8, 4, 2), row("beta[c]", 7, 0, 1), row("beta2", 0, 0, 1)}}
	return one, two
}

func TestIntervalsAverageOverShards(t *testing.T) {
	one, two := twoLooks()
	got := take(t, intervals("beta", 1, []int64{2}), one, two)
	want(t, got, 2, 2, "coverage", .75, 0)
	want(t, got, 2, 2, "length", 6, 0)
	got = take(t, intervals("beta", 2, []int64{2}), one, two)
	want(t, got, 2, 2, "coverage", 1, 0)
	got = take(t, intervals("beta", 0, []int64{1, 2}), one, two)
	want(t, got, 4, 1, "coverage", .5, 0)
	want(t, got, 4, 2, "coverage", 1, 0)
	want(t, got, 4, 1, "length", 4, 0)
	if got := take(t, following(intervals("beta", 1, []int64{2})), two); len(got) != 0 {
		t.Errorf("a method that saw all rows at once has %v", got)
	}
}

func TestErrors(t *testing.T) {
	one, two := twoLooks()
	want(t, take(t, errorsOf("beta", []int64{1}), one, two), 1, 1, "mse", 5, 0)
	want(t, take(t, errorsOfFirst(1, "beta", []int64{1}), one, two), 1, 1, "mse1", 1, 0)
	want(t, take(t, runningErrors("beta", []int64{2}), one, two), 1, 2, "mse", (5+2.5)/2, 0)
	want(t, take(t, relativeErrors("beta", []int64{1}), one, two), 1, 1, "relative_mse", .1, 1e-15)
}

func TestNormalAccuracies(t *testing.T) {
	one, two := twoLooks()
	two.Other = one.keep()
	got := take(t, normalAccuracies("beta", []int64{2}), two)
	// Misses of 0, 5 and 0 sds; sds of 2, 2 and 1 against 1.
	same, wide, far := 1., measure.NormalOverlap(0, 1, 0, 2), measure.NormalOverlap(13, 1, 8, 2)
	want(t, got, 3, 2, "accuracy", (same+wide+far)/3, 1e-12)
	want(t, got, 3, 2, "bias_sd", 5/math.Sqrt(3), 1e-12)
	want(t, got, 3, 2, "sd_ratio", 5./3, 1e-12)
	if got := take(t, normalAccuracies("beta", []int64{1}), one); len(got) != 0 {
		t.Errorf("without a reference there is %v", got)
	}
}

// Draws of N(0, 1) against N(1, 1), and lognormal ones against themselves.
func TestAccuraciesCompareDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	normal := func(mean, scale float64, f func(float64) float64) []float64 {
		x := make([]float64, 10_000)
		for i := range x {
			x[i] = f(mean + scale*r.NormFloat64())
		}
		return x
	}
	plain := func(v float64) float64 { return v }
	rows := []cdf.Row{row("theta", 0, 1, 1), row("tau2", 1, 1, 1)}
	other := &Look{T: 5, Rows: rows, Draws: [][]float64{normal(0, 1, plain), normal(0, 2, math.Exp)}}
	l := &Look{T: 5, Rows: rows, Draws: [][]float64{normal(1, 1, plain), normal(0, 2, math.Exp)}, Other: other.keep()}
	got := take(t, accuracies([]int64{5}, marginal{param: "theta"}, marginal{param: "tau2", label: "tau2", log: true}), l)
	want(t, got, 2, 5, "accuracy", measure.NormalOverlap(0, 1, 1, 1), .015)
	want(t, got, 2, 5, "accuracy[tau2]", .98, .01)
}

// The population error of two coefficients that are off by 1 and 2 is sigma2 +
// 1 + 4 + 2 rho 1 2; the third shard is the first with at most 5.
func TestPopulationErrors(t *testing.T) {
	truth := map[string]float64{"gamma[x1]": 0, "gamma[x2]": 0, "sigma2": 4}
	at := func(shard int64, a, b float64) *Look {
		return &Look{T: shard, S: 30, Truth: truth, Rows: []cdf.Row{row("gamma[x1]", a, 1, 1), row("gamma[x2]", b, 1, 1)}}
	}
	list := []*Look{at(1, 1, 2), at(2, 1, 0.5), at(3, 1, 0), at(4, 0, 0)}
	got := take(t, populationErrors(.5, []int64{1, 4}), list...)
	want(t, got, 2, 1, "mspe", 4+1+4+2, 1e-12)
	want(t, got, 2, 4, "mspe", 4, 0)
	want(t, take(t, drawsUntilGood(.5, 4), list...), 1, 4, "draws_to_mspe5", 90, 0)
	if got := take(t, drawsUntilGood(.5, 2), list[:2]...); len(got) != 0 {
		t.Errorf("errors above 5 have %v", got)
	}
	if got := take(t, drawsUntilGood(.5, 4), list[3]); len(got) != 0 {
		t.Errorf("a method that saw all rows at once has %v", got)
	}
}

func TestUpTo(t *testing.T) {
	for shards, wanted := range map[int64][]int64{20: {20}, 100: {50, 100}, 150: {50, 100, 150}, 500: {50, 100, 500}} {
		got := upTo(shards, 50, 100)
		if len(got) != len(wanted) || got[0] != wanted[0] || got[len(got)-1] != wanted[len(wanted)-1] {
			t.Errorf("up to %d: %v, want %v", shards, got, wanted)
		}
	}
}
