package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// drawnTerms has what a configuration of poisson can ask for beside one factor: slopes of groups, a factor crossed with these, and exposure.
func drawnTerms(r *rand.Rand) regime {
	d, intercept := newDesign(r, 1+r.IntN(2), []int{10, 50, 200}, 0, .1, .5), oneOf(r, -1., 0, 1, 3, 6)
	g, rowSD := newGroups(r, []int{5, 10, 30}, .1, .5, 1), oneOf(r, 0, .3, .7)
	h, slopeSD := newGroups(r, []int{3, 7, 20}, .1, .5), oneOf(r, 0, 0, .1, .3)
	crossed, exposed := slopeSD == 0 || r.IntN(2) == 0, r.IntN(2) == 0
	_, list := features(len(d.laws))
	columns := cdf.Roles{Features: list, Intercept: true, Groups: []cdf.Group{{Column: "g"}}}
	about := fmt.Sprintf("%s; intercept %g at the columns' means, effects of rows of sd %g; %s", d.words(), intercept, rowSD, g.words())
	if slopeSD > 0 {
		columns.Groups[0].Slopes = []string{"x1"}
		about += fmt.Sprintf("; slopes of an sd of x1 of sd %g", slopeSD)
	}
	if crossed {
		columns.Groups = append(columns.Groups, cdf.Group{Column: "h"})
		about += "; crossed with " + h.words()
	}
	if exposed {
		columns.Exposure = "w"
		about += "; exposures exp(N(0, 1))"
	}
	return regime{
		kind: "poisson", columns: columns, about: about,
		simulate: func(r *rand.Rand) experiment {
			x, slopes, eta := d.draw(r)
			mean := measure.Mean(eta)
			truth := append(coefficients(intercept-mean, slopes), simulate.Truth{Variable: "sigma2_u[g]", Value: g.sd * g.sd})
			labels, added, _ := g.draw(r, len(eta))
			beside := []column{{"g", labels}}
			for i, v := range added {
				eta[i] += v
			}
			if slopeSD > 0 {
				center, unit := measure.Mean(x[0]), slopeSD/max(spread(x[0]), 1e-3)
				byGroup := make([]float64, g.k+1)
				for j := range byGroup {
					byGroup[j] = unit * r.NormFloat64()
				}
				for i, v := range x[0] {
					eta[i] += byGroup[int(labels[i])] * (v - center)
				}
				truth = append(truth, simulate.Truth{Variable: "sigma2_u[g,x1]", Value: unit * unit})
			}
			if crossed {
				labels, added, _ := h.draw(r, len(eta))
				beside = append(beside, column{"h", labels})
				for i, v := range added {
					eta[i] += v
				}
				truth = append(truth, simulate.Truth{Variable: "sigma2_u[h]", Value: h.sd * h.sd})
			}
			exposures := make([]float64, len(eta))
			for i, v := range eta {
				if exposures[i] = 1; exposed {
					exposures[i] = math.Exp(r.NormFloat64())
				}
				eta[i] = simulate.Count(r, exposures[i]*math.Exp(min(v-mean+intercept+rowSD*r.NormFloat64()-rowSD*rowSD/2, 18)))
			}
			return experiment{truth, d.shards(r, x, append(beside, column{"w", exposures}), eta)}
		},
	}.ordered(d).normally(g.levels, "sigma2_u[g]").normally(h.levels, "sigma2_u[h]")
}
