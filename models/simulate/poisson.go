package simulate

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// poisson is a regression of counts with an effect for each of 100 groups,
// 200 rows a shard: two predictors, standard normal, with coefficients .3 and
// -.2, intercept .5, sd of the effects .5.
func poisson() Scenario {
	return mixedCounts("poisson", func(t int64, r *rand.Rand) (group int, exposure float64) {
		return r.IntN(100), 1
	})
}

// poissonLate has exposures from .2 to 3, and groups that appear one by one:
// half of them are there from the first shard, the last from shard 50.
func poissonLate() Scenario {
	return mixedCounts("poisson-late", func(t int64, r *rand.Rand) (group int, exposure float64) {
		return r.IntN(min(100, 50+int(t))), 0.2 + 2.8*r.Float64()
	})
}

// mixedCounts are shards of 200 rows of 100 groups, whose effects have the sd .5; row draws the
// group and the exposure of a row of shard t.
func mixedCounts(name string, row func(t int64, r *rand.Rand) (int, float64)) Scenario {
	const sd = 0.5
	effects := func(seed uint64, key string) []float64 {
		r, u := source(seed, key, 0), make([]float64, 100)
		for g := range u {
			u[g] = float64(sd * r.NormFloat64())
		}
		return u
	}
	return Scenario{
		Name: name, Kind: "poisson", Rows: 200,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			r, u := source(seed, key, t), effects(seed, key)
			d := Data{Names: []string{"x1", "x2", "group", "exposure", "y"}, Whole: []string{"group", "y"}}
			for range d.Names {
				d.Columns = append(d.Columns, make([]float64, rows))
			}
			for i := range rows {
				g, e := row(t, r)
				x1, x2 := r.NormFloat64(), r.NormFloat64()
				eta := 0.5 + float64(0.3*x1) - float64(0.2*x2) + u[g]
				for j, v := range [...]float64{x1, x2, float64(g + 1), e, Count(r, e*math.Exp(eta))} {
					d.Columns[j][i] = v
				}
			}
			return d
		},
		Truth: func(seed uint64, key string, _ int64) []Truth {
			out := []Truth{{"beta[intercept]", 0.5}, {"beta[x1]", 0.3}, {"beta[x2]", -0.2}, {"sigma2_u", sd * sd}}
			return appendTruths(out, "u", "", effects(seed, key))
		},
	}
}

// Count draws from the Poisson distribution of the given mean.
func Count(r *rand.Rand, mean float64) float64 {
	return distuv.Poisson{Lambda: mean, Src: r}.Rand()
}
