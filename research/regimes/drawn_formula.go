package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// drawnFormula is a linear regression by a formula, of a number beside levels, a slope of its own for each, and the square of another number. The numbers
// are as far from 0 as it is drawn.
func drawnFormula(r *rand.Rand) regime {
	d, noise := newDesign(r, 2, []int{20, 50, 100, 300}, .1, .3, 1), pick(r, noises)
	g := newGroups(r, []int{2, 3, 6}, .1, 1)
	g.levels = levels[0] // a level has a coefficient, and no law
	far, bend, unlike := oneOf(r, 0., 3, 10, 100), oneOf(r, 0, .1, .5), oneOf(r, 0, .1, .5)
	f, err := formula.Parse("y ~ x1 * C(g) + x2 + I(x2**2)")
	if err != nil {
		panic(err)
	}
	return regime{
		kind: "linear", columns: f.Roles(),
		about: fmt.Sprintf("%s, %s; noise %s; means of columns %g sds from 0; %s; slopes of x1 unlike by %g (sd), the square of an sd of x2 is %g", f, d.words(), noise.words, far, g.words(), unlike, bend),
		simulate: func(r *rand.Rand) experiment {
			x, slopes, y := d.draw(r)
			var mean [2]float64
			for j := range x {
				mean[j] = far * max(spread(x[j]), 1e-3)
				shift := mean[j] - measure.Mean(x[j])
				for i := range x[j] {
					x[j][i] += shift
				}
			}
			square := bend / max(spread(x[1])*spread(x[1]), 1e-6)
			labels, added, levels := g.draw(r, len(y))
			own := make([]float64, g.k)
			for j := range own {
				own[j] = unlike * r.NormFloat64() / max(spread(x[0]), 1e-3)
			}
			for i, e := range noise.it(r, len(y), nil) {
				off, bent := x[0][i]-mean[0], x[1][i]-mean[1]
				y[i] += added[i] + own[int(labels[i])-1]*off + square*bent*bent + e
			}
			truth := []simulate.Truth{
				{Variable: "beta[x1]", Value: slopes[0] + own[0]}, {Variable: "beta[x2]", Value: slopes[1] - 2*square*mean[1]}, {Variable: "beta[I(x2 ** 2)]", Value: square},
			}
			for j := 1; j < g.k; j++ {
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("beta[C(g)[T.%d]]", j+1), Value: levels[j] - levels[0] - mean[0]*(own[j]-own[0])},
					simulate.Truth{Variable: fmt.Sprintf("beta[x1:C(g)[T.%d]]", j+1), Value: own[j] - own[0]})
			}
			return experiment{truth, d.shards(r, x, []column{{"g", labels}}, y)}
		},
	}.ordered(d).normally(noise, "")
}
