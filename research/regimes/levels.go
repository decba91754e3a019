package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// drawnResponse is how a predictor becomes a response of a kind.
type drawnResponse struct {
	words string
	noise part[law]
	// it turns a predictor of mean 0 into responses, and says what stands where the predictor is 0.
	it func(r *rand.Rand, eta []float64) (level float64)
}

func newResponse(r *rand.Rand, kind string) drawnResponse {
	switch kind {
	case "probit":
		level := oneOf(r, 0, -1, 1.5)
		return drawnResponse{fmt.Sprintf("intercept %g at the columns' means", level), noises[0], func(r *rand.Rand, eta []float64) float64 {
			for i, v := range eta {
				eta[i] = 0
				if v+level+r.NormFloat64() > 0 {
					eta[i] = 1
				}
			}
			return level
		}}
	case "poisson":
		level, rowSD := oneOf(r, -2., 0, 1, 3, 6), oneOf(r, 0, .3, 1)
		return drawnResponse{fmt.Sprintf("intercept %g at the columns' means, effects of rows of sd %g", level, rowSD), noises[0], func(r *rand.Rand, eta []float64) float64 {
			for i, v := range eta {
				eta[i] = simulate.Count(r, math.Exp(min(v+level+rowSD*r.NormFloat64()-rowSD*rowSD/2, 20)))
			}
			return level
		}}
	}
	noise, level := pick(r, noises), oneOf(r, 0., 10)
	return drawnResponse{fmt.Sprintf("noise %s about %g", noise.words, level), noise, func(r *rand.Rand, eta []float64) float64 {
		for i, e := range noise.it(r, len(eta), nil) {
			eta[i] += level + e
		}
		return level
	}}
}

// ofLevels are the columns of a regression of a kind on numbers and a column g of k levels, the first its baseline.
func ofLevels(kind string, numbers []cdf.Feature, k int) cdf.Roles {
	f := cdf.Feature{Name: "g", Baseline: "1", Other: "level"}
	for j := range k {
		f.Levels = append(f.Levels, fmt.Sprint(j+1))
	}
	return cdf.Roles{Features: append(numbers, f), Intercept: kind != "compressed"}
}

// besideBaseline is the truth of a kind's coefficients: an intercept that stands for the baseline, if the kind publishes one, slopes, and levels beside
// the first.
func besideBaseline(kind string, intercept float64, slopes, levels []float64) (truth []simulate.Truth) {
	name := "gamma"
	if kind != "compressed" {
		name = "beta"
		truth = append(truth, simulate.Truth{Variable: "beta[intercept]", Value: intercept})
	}
	for j, v := range slopes {
		truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("%s[x%d]", name, j+1), Value: v})
	}
	for j, v := range levels[1:] {
		truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("%s[g=%d]", name, j+2), Value: v - levels[0]})
	}
	return truth
}

// drawnLevels draws regressions on a column of levels beside numbers.
func drawnLevels(kind string) func(r *rand.Rand) regime {
	return func(r *rand.Rand) regime {
		p := r.IntN(3)
		d, response := newDesign(r, p, []int{10, 30, 100, 300}, 0, .1, .5, 1), newResponse(r, kind)
		g := newGroups(r, []int{2, 3, 6, 12, 40}, .1, .5, 1)
		g.levels = levels[0]
		_, list := features(p)
		return regime{
			kind: kind, columns: ofLevels(kind, list, g.k),
			about: fmt.Sprintf("%s; %s; a column of levels, %s", d.words(), response.words, g.words()),
			simulate: func(r *rand.Rand) experiment {
				x, slopes, eta := d.draw(r)
				labels, added, effects := g.draw(r, len(eta))
				for i, v := range added {
					eta[i] += v
				}
				mean := measure.Mean(eta)
				for i := range eta {
					eta[i] -= mean
				}
				level := response.it(r, eta)
				truth := besideBaseline(kind, level-mean+effects[0], slopes, effects)
				return experiment{truth, d.shards(r, x, []column{{"g", labels}}, eta)}
			},
		}.ordered(d).normally(response.noise, "")
	}
}

// manyLevels has a column of many levels, which differ as much as errors are large.
func manyLevels(kind string) regime {
	const k, rows = 40, 100
	return regime{
		kind: kind, name: "40 levels", replicates: 300,
		about:   "A column of 40 levels, drawn from N(0, 1), noise N(0, 1); 100 rows a shard, whose levels come by chance.",
		columns: ofLevels(kind, nil, k),
		simulate: func(r *rand.Rand) experiment {
			g, d := drawnGroups{k, memberships[0], levels[0], 1}, design{order: orders[0], rows: rows}
			labels, y, effects := g.draw(r, rows*shards)
			for i := range y {
				if y[i] += r.NormFloat64(); kind == "probit" {
					y[i] = max(math.Copysign(1, y[i]), 0)
				}
			}
			return experiment{besideBaseline(kind, effects[0], nil, effects), d.shards(r, nil, []column{{"g", labels}}, y)}
		},
	}
}
