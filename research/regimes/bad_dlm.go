package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// badDLM has gaps, steps that are missing without a word, and series that are none.
func badDLM() []regime {
	one := func(name, about, want string, sizes []int, columns cdf.Roles, edit func(f rowOf) rowOf, judged bool) regime {
		return badRegime("dlm", name, about, want, columns, []string{"c", "y"}, sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			const phi, mu, tau, sigma = .8, 3., .7, .5
			theta := tau / math.Sqrt(1-phi*phi) * r.NormFloat64()
			f := rowOf(func(i int) []float64 {
				theta = phi*theta + tau*r.NormFloat64()
				return []float64{float64(i), mu + theta + sigma*r.NormFloat64()}
			})
			if edit != nil {
				f = edit(f)
			}
			if !judged {
				return f, nil
			}
			return f, []simulate.Truth{
				{Variable: "phi", Value: phi}, {Variable: "tau2", Value: tau * tau}, {Variable: "sigma2", Value: sigma * sigma}, {Variable: "mu", Value: mu},
			}
		})
	}
	steps := cdf.Roles{}
	timed := cdf.Roles{Time: "c"}
	const design = "mu 3, phi .8, tau .7, sigma .5; "
	gap := func(f rowOf) rowOf {
		step := 0
		return func(i int) []float64 {
			for ; step < i/50*250+i%50; step++ { // 200 steps pass behind every shard of 50
				f(step)
			}
			step++
			return f(step - 1)
		}
	}
	return []regime{
		one("two rows in all", design+"two shards of a row.", "flagged", []int{1, 1}, steps, nil, true),
		one("gaps with a time column", design+"20 shards of 50 rows, 200 steps without a row between two.", "covered", equal(20, 50), timed, gap, true),
		one("gaps without a time column", "The same, the column of time not named.", "flagged", equal(20, 50), steps, gap, true),
		one("every third row left out", design+"20 shards of 50 rows, of three steps each the first alone, no column of time.", "off", equal(20, 50), steps, func(f rowOf) rowOf {
			return func(i int) []float64 {
				row := f(i)
				f(i)
				f(i)
				return row
			}
		}, true),
		one("shards sent twice", design+"20 shards of 50 rows, every other one a copy of the one before, no column of time.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.twice(50) }, true),
		one("a constant response", design+"20 shards of 50 rows, but the response is 0 in all.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.times(0, 1, 0) }, false),
		one("the response by 100", design+"20 shards of 50 rows, the response a hundredth from the eleventh on.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.times(500, 1, .01) }, false),
		one("the response times 100", design+"20 shards of 50 rows, the response a hundredfold from the eleventh on.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.times(500, 1, 100) }, false),
		one("a response of 1e6", design+"20 shards of 50 rows, the response of row 400 is 1e6.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.at(400, func(row []float64) { row[1] = 1e6 }) }, true),
		one("rows in another order", design+"20 shards of 50 rows, no column of time, those of each shard shuffled.", "flagged", equal(20, 50), steps, func(f rowOf) rowOf { return f.shuffled(50) }, true),
	}
}
