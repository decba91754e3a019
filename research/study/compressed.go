package study

import (
	"fmt"

	"github.com/credence-stream/credence/research/measure"
)

// compressed returns the six designs of section 4.2, 500 shards of 100 rows.
// Coefficients are drawn anew for every replication, and with them, where ten are
// not 0, their squared length, to which relative errors are.
func compressed() []*Experiment {
	var out []*Experiment
	for i, d := range []struct {
		about string
		rho   float64
	}{
		{"500 predictors of correlation .1^|i-j|, 10 coefficients in (-3, 3)", .1},
		{"1,000 predictors of correlation .1^|i-j|, 10 coefficients in (-3, 3)", .1},
		{"500 predictors of correlation .4^|i-j|, 10 coefficients in (-3, 3)", .4},
		{"1,000 predictors of correlation .4^|i-j|, 10 coefficients in (-3, 3)", .4},
		{"500 predictors of correlation .1^|i-j|, all coefficients in (-3, 3)", .1},
		{"500 predictors of correlation .1^|i-j|, all coefficients .10", .1},
	} {
		name := fmt.Sprintf("compressed-%d", i+1)
		e := &Experiment{
			Name: name, About: d.about + " (section 4.2)", Kind: "compressed",
			Size: Size{Reps: 2, Shards: 500}, Quick: Size{Reps: 1, Shards: 200},
			Methods: []Method{
				{Name: "cdf", Settings: "statistics: packed", Draws: 30},
				{Name: "credence", Settings: "statistics: sketch", Draws: 30},
				{Name: "cdf-paper", Draws: 30},
				{Name: "smcmc", Draws: 30},
				{Name: "smcmc[batch]", Draws: 1000, Batch: true},
				{Name: "vb-gdp", Draws: 30, Batch: true},
			},
			Reference: "smcmc[batch]",
			Open:      scenario(name, 1000),
			Measure: func(shards int64) Measures {
				at, end := upTo(shards, 100, 200, 500), []int64{shards}
				return Measures{At: at, All: []Measure{
					intervals("gamma", 0, at), relativeErrors("gamma", at), predictions(at),
					populationErrors(d.rho, at), drawsUntilGood(d.rho, shards), normalAccuracies("gamma", at), costs("gamma", end),
				}}
			},
		}
		out = append(out, e)
	}
	return out
}

// relativeErrors reports the squared error of a parameter's means, relative
// to its squared length.
func relativeErrors(param string, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		b := l.block(param, 0)
		return []Figure{{l.T, "relative_mse", measure.RelativeMSE(b.mean, b.truth)}}, nil
	})
}

// predictions reports how many of the stream's fresh rows lie in the 95 %
// intervals that are predicted for them, and how long these are.
func predictions(at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		found, err := l.Filter.Predict(l.Stream.Fresh)
		if err != nil {
			return nil, err
		}
		lo, hi := make([]float64, len(found)), make([]float64, len(found))
		for i := range found {
			lo[i], hi[i] = found[i].Q025, found[i].Q975
		}
		return []Figure{
			{l.T, "predictive_coverage", measure.Coverage(lo, hi, response(l.Stream.Fresh))},
			{l.T, "predictive_length", measure.Length(lo, hi)},
		}, nil
	})
}

// populationErrors reports the mean squared error of predictions over the
// population of rows, whose predictors have the correlation rho^|i-j|.
func populationErrors(rho float64, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		return []Figure{{l.T, "mspe", l.populationError(rho)}}, nil
	})
}

// drawsUntilGood reports, at the last shard, the draws that were taken until
// the error of populationErrors was at most 5; nothing where it never was.
func drawsUntilGood(rho float64, last int64) Measure {
	const good = 5
	return following(func() func(*Look) ([]Figure, error) {
		first := int64(0)
		return func(l *Look) ([]Figure, error) {
			if first == 0 && l.populationError(rho) <= good {
				first = l.T
			}
			if first == 0 || l.T != last {
				return nil, nil
			}
			return []Figure{{l.T, "draws_to_mspe5", float64(first) * float64(l.S)}}, nil
		}
	})
}

// populationError is sigma2 + e'Re for the errors e of the coefficients gamma
// and correlations R = rho^|i-j|.
func (l *Look) populationError(rho float64) float64 {
	b, v, before := l.block("gamma", 0), l.Truth["sigma2"], 0.0
	for j := range b.mean {
		e := b.mean[j] - b.truth[j]
		v += e * (e + 2*before)
		before = rho * (before + e)
	}
	return v
}
