package study

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// dlm is the series of section 3.3.1, 3,000 steps, one a shard: tau2 = 2,
// sigma2 = .01, phi = .7. The noise hardly shows, so that its prior decides;
// this one knows its size.
func dlm() *Experiment {
	return series("dlm", "a level seen with little noise, priors that know its size (section 3.3.1)",
		"prior: {sigma2_shape: 2, sigma2_rate: .01, tau2_shape: 2, tau2_rate: 2, theta0_variance: 10}")
}

// dlmVague is the same under IG(1, 1) for both variances, which reproduces
// what the paper prints.
func dlmVague() *Experiment {
	return series("dlm-vague", "the same, IG(1, 1) for both variances (section 3.3.1)", vaguePrior)
}

const vaguePrior = "prior: {sigma2_shape: 1, sigma2_rate: 1, tau2_shape: 1, tau2_rate: 1, theta0_variance: 10}"

// dlmRatios are series whose noise has the variance of the innovations, and a
// twentieth of it, where the paper's has a two-hundredth: its text says that
// ratios were varied and reports one.
func dlmRatios() []*Experiment {
	var out []*Experiment
	for _, v := range []struct {
		name, about string
		sigma2      float64
	}{
		{"dlm-ratio1", "tau2/sigma2 = 1 in place of 200, IG(1, 1) for both variances (section 3.3.1, without figures)", 2},
		{"dlm-ratio20", "the same, tau2/sigma2 = 20", .1},
	} {
		e := series(v.name, v.about, vaguePrior)
		e.Size, e.Quick = Size{Reps: 8, Shards: 1000}, Size{Reps: 2, Shards: 1000}
		l := simulate.PaperLevel()
		l.Sigma = math.Sqrt(v.sigma2)
		e.Open = leveled(l)
		out = append(out, e)
	}
	return out
}

// series compares theta_t given y_1 .. y_t at every step, and all marginals
// at some of them. The paper takes 50 sweeps a step and, of phi, 500 Metropolis
// draws, ten a sweep; our sweeps draw phi from its conditional law, which such
// draws tend to. A further method has as many sweeps as the others have draws.
func series(name, about, prior string) *Experiment {
	with := func(more string) string { return prior + "\n" + more }
	return &Experiment{
		Name: name, About: about, Kind: "dlm",
		Size: Size{Reps: 8, Shards: 3000}, Quick: Size{Reps: 2, Shards: 3000},
		Methods: []Method{
			{Name: "cdf", Settings: with("mode: compact\nwindow: 50"), Draws: 500},
			{Name: "credence", Settings: with("mode: grid"), Draws: 500},
			{Name: "cdf-paper", Settings: with("window: 100"), Draws: 50},
			{Name: "cdf-paper[500]", Settings: with("window: 100"), Draws: 500},
			{Name: "pl", Settings: with("particles: 100"), Draws: 100},
			{Name: "ffbs", Settings: with("thin: 5"), Draws: 10_000, Batch: true},
		},
		Reference: "ffbs",
		Open:      leveled(simulate.PaperLevel()),
		Drawn:     []string{"theta", "phi", "tau2", "sigma2"},
		Measure: func(shards int64) Measures {
			end, compared := []int64{shards}, upTo(shards, 500, 1000, 2000)
			return Measures{At: compared, Many: compared, All: []Measure{
				following(intervals("theta", 1, end)), following(runningErrors("theta", end)),
				accuracies(compared,
					marginal{param: "theta"}, marginal{param: "phi", label: "phi"},
					marginal{param: "tau2", label: "tau2", log: true}, marginal{param: "sigma2", label: "sigma2", log: true}),
				costs("theta", end),
			}}
		},
	}
}

// leveled opens series of a law.
func leveled(l simulate.LocalLevel) func(Options) (Open, error) {
	return func(Options) (Open, error) {
		return func(seed uint64, shards int64) (*Stream, error) { return level(l, seed, shards), nil }, nil
	}
}

// level is a series with its hidden levels, a step a shard.
func level(l simulate.LocalLevel, seed uint64, shards int64) *Stream {
	y, theta := l.Series(seed, "paper", 1, int(shards))
	return &Stream{
		Shard: func(t int64) *cdf.Batch {
			return batch(simulate.Data{Names: []string{"y"}, Columns: [][]float64{{y[t-1]}}}, t)
		},
		Truth: func(t int64) map[string]float64 {
			return map[string]float64{
				"theta": theta[t-1], "phi": l.Phi(t), "tau2": l.Tau * l.Tau, "sigma2": l.Sigma * l.Sigma,
			}
		},
	}
}

// following is a measure that only a method has which saw every shard.
func following(m Measure) Measure {
	return func() func(*Look) ([]Figure, error) {
		f, last := m(), int64(0)
		return func(l *Look) ([]Figure, error) {
			if l.T != last+1 {
				return nil, nil
			}
			last = l.T
			figures, err := f(l)
			if err != nil {
				return nil, fmt.Errorf("shard %d: %w", l.T, err)
			}
			return figures, nil
		}
	}
}
