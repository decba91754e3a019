package predictive

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// check compares what is got with what gonum says, or a formula.
func check(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// quantiler is a law of gonum.
type quantiler interface {
	Quantile(p float64) float64
	StdDev() float64
}

// describes compares a prediction with the laws of a new observation and of the line.
func describes(t *testing.T, what string, p *cdf.Prediction, mean float64, one, line quantiler) {
	t.Helper()
	check(t, what+": mean", p.Mean, mean)
	check(t, what+": sd", p.SD, one.StdDev())
	check(t, what+": .025", p.Q025, one.Quantile(.025))
	check(t, what+": .975", p.Q975, one.Quantile(.975))
	for i, level := range dist.InnerLevels {
		check(t, what+": inner", p.Inner[i], one.Quantile(level))
	}
	check(t, what+": sd of the line", p.EpredSD, line.StdDev())
	check(t, what+": .025 of the line", p.EpredQ025, line.Quantile(.025))
	check(t, what+": .975 of the line", p.EpredQ975, line.Quantile(.975))
}

// Predictions are those of the laws, as gonum computes them.
func TestPredictionsAreOfTheirLaws(t *testing.T) {
	for _, shape := range []float64{1.5, 3, 40, 500} {
		var law dist.Standard
		var p cdf.Prediction
		Student(law.At(shape), 1, 2, .5, 4, &p)
		one, line := distuv.StudentsT{Mu: 1, Sigma: 2, Nu: 2 * shape}, distuv.StudentsT{Mu: 1, Sigma: .5, Nu: 2 * shape}
		describes(t, "t", &p, 1, one, line)
		check(t, "log density of t", p.LogDensity, one.LogProb(4))
		if math.Abs(p.PIT-one.CDF(4)) > 1e-3 { // as well as a bin tells it
			t.Errorf("a transform of %v, want %v", p.PIT, one.CDF(4))
		}
	}
	var law dist.Standard
	var p cdf.Prediction
	if Student(law.At(1), 1, 2, .5, math.NaN(), &p); !math.IsNaN(p.SD) || !math.IsNaN(p.EpredSD) || !math.IsNaN(p.LogDensity) || !math.IsNaN(p.PIT) {
		t.Errorf("of a law without a variance, and no response: %+v", p)
	}
	Normal(&p, 1, 2, .5)
	describes(t, "normal", &p, 1, distuv.Normal{Mu: 1, Sigma: 2}, distuv.Normal{Mu: 1, Sigma: .5})
}

// Quantiles on either side are those of the laws.
func TestQuantilesAreOfTheirLaws(t *testing.T) {
	levels := []float64{.01, .3, .5, .7, .99}
	got := make([]float64, len(levels))
	for name, law := range map[string]quantiler{"t": distuv.StudentsT{Mu: 1, Sigma: 2, Nu: 7}, "normal": distuv.Normal{Mu: 1, Sigma: 2}} {
		if name == "t" {
			StudentQuantiles(7, 1, 2, levels, got)
		} else {
			NormalQuantiles(1, 2, levels, got)
		}
		for i, level := range levels {
			check(t, name, got[i], law.Quantile(level))
		}
	}
}

// The scores of a shard are those of its rows by the laws, and what pairs share is their mean covariance.
func TestScoresAreOfTheirLaws(t *testing.T) {
	const shape = 4.
	x := []float64{1, -1, 1, 0, 1, 2, 1, 3, 1, .5}
	y := []float64{.5, 9, -2, math.NaN(), 1}
	covariance := [2][2]float64{{.3, .1}, {.1, .2}}
	line := func(a, b []float64) (v float64) {
		for i := range a {
			for j := range b {
				v += a[i] * covariance[i][j] * b[j]
			}
		}
		return v
	}
	at := func(_ struct{}, x []float64) (mean, row, own float64) { return x[1], 1 + line(x, x), line(x, x) }
	var law dist.Standard
	sh := &cdf.Shard{X: x, Y: y, Rows: 5, Cols: 2}
	got, err := ScoreStudent("x", law.At(shape), sh, struct{}{}, at)
	if err != nil {
		t.Fatal(err)
	}
	logs, squares, variances, lines, covered, n := 0., 0., 0., 0., 0., 0.
	for i, v := range y {
		row := x[2*i : 2*i+2]
		if mean, row, own := at(struct{}{}, row); !math.IsNaN(v) {
			one := distuv.StudentsT{Mu: mean, Sigma: math.Sqrt(row), Nu: 2 * shape}
			logs, squares, variances, lines, n = logs+one.LogProb(v), squares+(v-mean)*(v-mean), variances+row, lines+own, n+1
			if v > one.Quantile(.025) && v < one.Quantile(.975) {
				covered++
			}
		}
	}
	check(t, "log density", got.LogDensity, logs/n)
	check(t, "rmse", got.RMSE, math.Sqrt(squares/n))
	check(t, "coverage", got.Coverage95, covered/n)
	check(t, "shared", got.Shared, lines/variances)
	if got.Rows != 4 || got.PredictedRows != 1 || covered != 2 {
		t.Errorf("%+v, of which %v are covered", got, covered)
	}
	expected, h := 0., 1e-3
	for i := range y {
		if _, row, _ := at(struct{}{}, x[2*i:2*i+2]); !math.IsNaN(y[i]) {
			one := distuv.StudentsT{Sigma: math.Sqrt(row), Nu: 2 * shape}
			for v := -300.; v < 300; v += h {
				expected += h * one.Prob(v) * one.LogProb(v)
			}
		}
	}
	check(t, "expected log density", got.Expected, expected/n)

	tally := NewTally(cdf.NoScore())
	for i, v := range y {
		if _, row, own := at(struct{}{}, x[2*i:2*i+2]); !tally.Skip(v) {
			tally.Add(0, .5, true)
			tally.Share(own, row)
		}
	}
	mean := []float64{math.NaN(), 7} // of a shard before
	if MeanRow(sh, mean); mean[0] != 1 || mean[1] != 1.5/4 {
		t.Errorf("a mean row of %v", mean)
	}
	tally.Pairs(line(mean, mean))
	pairs := 0.
	for i := range y {
		for j := range y {
			if i != j && !math.IsNaN(y[i]+y[j]) {
				pairs += line(x[2*i:2*i+2], x[2*j:2*j+2]) / (n * (n - 1))
			}
		}
	}
	tally.Logs = 0
	tally.Untold(1, 4)
	tally.Untold(2, 6)
	got, err = tally.Score("x")
	check(t, "pairs", got.Pair, n*pairs/variances)
	check(t, "what is the prior's", got.Untold, .3)
	if err != nil || !tally.Shares() {
		t.Errorf("rows that share nothing, or %v", err)
	}
}
