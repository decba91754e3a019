package main

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/models/simulate"
)

// dlm has a level that returns, one that hardly does, and one wild response.
func dlm() []regime {
	one := func(name, about string, steps, replicates int, phi float64, wild bool) regime {
		return regime{
			kind: "dlm", name: name, about: about, replicates: replicates,
			simulate: func(r *rand.Rand) experiment {
				const mu, tau, sigma = 3., .5, 1.
				theta := tau / math.Sqrt(1-phi*phi) * r.NormFloat64()
				t := newTable("y")
				for i := range steps * shards {
					theta = phi*theta + tau*r.NormFloat64()
					y := mu + theta + sigma*r.NormFloat64()
					if wild && i == 6 {
						y += 1e3
					}
					t.add(y)
				}
				return experiment{[]simulate.Truth{
					{Variable: "phi", Value: phi}, {Variable: "tau2", Value: tau * tau}, {Variable: "sigma2", Value: sigma * sigma},
					{Variable: "mu", Value: mu},
				}, t.Cut(shards)}
			},
		}
	}
	return append([]regime{
		one("a level that returns", "mu 3, phi .9, tau .5, sigma 1; 20 steps a shard.", 20, 300, .9, false),
		one("a level that returns, 500 steps a shard", "The same.", 500, 100, .9, false),
		one("near a random walk", "phi .999, else the same; 20 steps a shard.", 20, 300, .999, false),
		one("a wild response", "phi .9, 20 steps a shard, and the seventh response is 1,000 sd too large.", 20, 300, .9, true),
	}, otherLevels()...)
}

// otherLevels alternate, hardly move, are hardly disturbed, or have shocks, noise or
// a season that the model has not.
func otherLevels() []regime {
	one := func(name, about string, steps int, phi, tau, sigma float64, shock func(r *rand.Rand, i int) float64, noise func(r *rand.Rand, i int) float64) regime {
		return regime{
			kind: "dlm", name: name, about: about, replicates: 200,
			simulate: func(r *rand.Rand) experiment {
				theta := tau / math.Sqrt(1-phi*phi) * r.NormFloat64()
				t := newTable("y")
				for i := range steps * shards {
					theta = phi*theta + tau*shock(r, i)
					t.add(3 + theta + sigma*noise(r, i))
				}
				return experiment{[]simulate.Truth{
					{Variable: "phi", Value: phi}, {Variable: "tau2", Value: tau * tau}, {Variable: "sigma2", Value: sigma * sigma},
					{Variable: "mu", Value: 3},
				}, t.Cut(shards)}
			},
		}
	}
	normal := func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }
	tailed := func(r *rand.Rand, _ int) float64 { return heavy(r, 1) }
	return []regime{
		one("a level that alternates", "phi -.8, tau .5, sigma 1; 50 steps a shard.", 50, -.8, .5, 1, normal, normal),
		one("a level that hardly moves", "phi .9, tau .05, sigma 1; 50 steps a shard.", 50, .9, .05, 1, normal, normal),
		one("hardly any noise", "phi .9, tau 1, sigma .01; 50 steps a shard.", 50, .9, 1, .01, normal, normal),
		one("t noise", "phi .9, tau .5, noise t with 3 degrees of freedom and sd 1; 50 steps a shard.", 50, .9, .5, 1, normal, tailed),
		one("a season", "phi .9, tau .5, sigma 1; 48 steps a shard, and a sine of amplitude 2 and period 24 is added.", 48, .9, .5, 1, normal,
			func(r *rand.Rand, i int) float64 { return r.NormFloat64() + 2*math.Sin(2*math.Pi*float64(i)/24) }),
		one("a jump", "phi .9, tau .5, sigma 1; 50 steps a shard, and the mean is 8 more from the middle of the fifth on.", 50, .9, .5, 1, normal,
			func(r *rand.Rand, i int) float64 { return r.NormFloat64() + map[bool]float64{true: 8}[i >= 225] }),
	}
}
