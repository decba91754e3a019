package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// drawn makes regimes up: of each kind, and of what else a configuration of one can ask for, by the number's random numbers, of the parts that data are made of.
var drawn = map[string]func(r *rand.Rand) regime{
	"linear": drawnLinear, "anova": drawnAnova, "dlm": drawnDLM, "probit": drawnProbit, "compressed": drawnCompressed, "poisson": drawnPoisson,
	"poisson terms":  drawnTerms,
	"linear formula": drawnFormula,
	"linear levels":  drawnLevels("linear"), "probit levels": drawnLevels("probit"), "poisson levels": drawnLevels("poisson"), "compressed levels": drawnLevels("compressed"),
}

// design is how columns are drawn, and what they do to the response.
type design struct {
	laws    []part[law]
	effects []float64 // of one sd of the column
	order   part[order]
	rows    int // of a shard
	missing float64
}

// newDesign draws one of p columns whose effects are among the sizes.
func newDesign(r *rand.Rand, p int, rows []int, sizes ...float64) *design {
	of := orders
	if p == 0 {
		of = of[:len(of)-1] // the last is by x1
	}
	d := &design{rows: oneOf(r, rows...), order: pick(r, of), missing: pick(r, []part[float64]{{"", 0}, {"", .3}}).it}
	for range p {
		d.laws = append(d.laws, pick(r, columns))
		effect := oneOf(r, sizes...)
		if r.IntN(2) == 0 {
			effect = 0 - effect
		}
		d.effects = append(d.effects, effect)
	}
	return d
}

func (d *design) words() string {
	var list []string
	for j, l := range d.laws {
		list = append(list, fmt.Sprintf("x%d %s (effect of an sd %g)", j+1, l.words, d.effects[j]))
	}
	words := fmt.Sprintf("%d rows a shard, %s; %.0f %% of the responses missing", d.rows, d.order.words, 100*d.missing)
	if len(list) == 0 {
		return words
	}
	return words + "; columns: " + strings.Join(list, ", ")
}

// draw returns the columns, their slopes and the linear predictor.
func (d *design) draw(r *rand.Rand) (x [][]float64, slopes, eta []float64) {
	n := d.rows * shards
	eta = make([]float64, n)
	var before []float64
	for j, l := range d.laws {
		before = l.it(r, n, before)
		slope := d.effects[j] / max(spread(before), 1e-3)
		for i, v := range before {
			eta[i] += slope * v
		}
		x, slopes = append(x, before), append(slopes, slope)
	}
	return x, slopes, eta
}

// spread is the sd of some values.
func spread(x []float64) float64 {
	_, variance := measure.Moments(x)
	return math.Sqrt(variance)
}

// column is one beside those of the design.
type column struct {
	name   string
	values []float64
}

// shards cuts columns, those beside them, such as labels of groups, and the response.
func (d *design) shards(r *rand.Rand, x [][]float64, beside []column, y []float64) []*cdf.Batch {
	var x1 []float64
	if len(x) > 0 {
		x1 = x[0]
	}
	at := d.order.it(r, x1, y)
	data := &simulate.Data{Whole: []string{"g", "h"}}
	arranged := func(v []float64) []float64 {
		out := make([]float64, len(at))
		for i, k := range at {
			out[i] = v[k]
		}
		return out
	}
	for j, v := range x {
		data.Append(fmt.Sprintf("x%d", j+1), arranged(v))
	}
	for _, c := range beside {
		data.Append(c.name, arranged(c.values))
	}
	y = arranged(y)
	for i := range y {
		if r.Float64() < d.missing {
			y[i] = math.NaN()
		}
	}
	data.Append("y", y)
	return data.Cut(shards)
}

func drawnLinear(r *rand.Rand) regime {
	p := 1 + r.IntN(5)
	d, noise := newDesign(r, p, []int{3, 10, 20, 50, 100, 300}, 0, .1, 1, 10), pick(r, noises)
	unit, offset := math.Pow(10, float64(r.IntN(9)-4)), oneOf(r, 0., 1, 1e3)
	_, list := features(p)
	return regime{
		kind: "linear", columns: cdf.Roles{Features: list, Intercept: true},
		about: fmt.Sprintf("%s; noise %s; responses in units of %g about %g", d.words(), noise.words, unit, offset*unit),
		simulate: func(r *rand.Rand) experiment {
			x, slopes, y := d.draw(r)
			for i, e := range noise.it(r, len(y), nil) {
				y[i] = unit * (offset + y[i] + e)
			}
			for j := range slopes {
				slopes[j] *= unit
			}
			truth := append(coefficients(unit*offset, slopes), simulate.Truth{Variable: "sigma2", Value: unit * unit})
			return experiment{truth, d.shards(r, x, nil, y)}
		},
	}.ordered(d).normally(noise, "sigma2")
}

// normally leaves out a variance, if one is named, whose law is not normal: its interval is wrong with flags that need many rows, which the page says.
func (g regime) normally(l part[law], variance string) regime {
	if l.words != "normal" {
		g.other = true
		return g.without(variance)
	}
	return g
}

// ordered is a regime whose rows come in the order of the design.
func (g regime) ordered(d *design) regime {
	g.other = g.other || d.order.words != orders[0].words
	return g
}

func drawnCompressed(r *rand.Rand) regime {
	p := oneOf(r, 20, 60)
	d, noise := newDesign(r, p, []int{10, 50, 200}, 0, .1, .3), pick(r, noises)
	_, list := features(p)
	return regime{
		kind: "compressed", columns: cdf.Roles{Features: list},
		about: fmt.Sprintf("%s; noise %s", d.words(), noise.words),
		simulate: func(r *rand.Rand) experiment {
			x, slopes, y := d.draw(r)
			for i, e := range noise.it(r, len(y), nil) {
				y[i] += e
			}
			var truth []simulate.Truth
			for j, v := range slopes {
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("gamma[x%d]", j+1), Value: v})
			}
			return experiment{truth, d.shards(r, x, nil, y)}
		},
	}.ordered(d).normally(noise, "")
}

func drawnProbit(r *rand.Rand) regime {
	p := 1 + r.IntN(3)
	d, intercept := newDesign(r, p, []int{10, 30, 100}, 0, .3, 1, 3), oneOf(r, 0, -1, 1.5)
	_, list := features(p)
	return regime{
		kind: "probit", columns: cdf.Roles{Features: list, Intercept: true},
		about: fmt.Sprintf("%s; intercept %g at the columns' means", d.words(), intercept),
		simulate: func(r *rand.Rand) experiment {
			x, slopes, eta := d.draw(r)
			mean := measure.Mean(eta)
			for i, v := range eta {
				eta[i] = 0
				if v-mean+intercept+r.NormFloat64() > 0 {
					eta[i] = 1
				}
			}
			return experiment{coefficients(intercept-mean, slopes), d.shards(r, x, nil, eta)}
		},
	}.ordered(d)
}

// drawnGroups are groups: how many, how rows fall to them and what they differ by.
type drawnGroups struct {
	k      int
	fall   part[func(r *rand.Rand, n, k int) []int]
	levels part[law]
	sd     float64
}

func newGroups(r *rand.Rand, counts []int, sds ...float64) drawnGroups {
	return drawnGroups{oneOf(r, counts...), pick(r, memberships), pick(r, levels), oneOf(r, sds...)}
}

func (g *drawnGroups) words() string {
	return fmt.Sprintf("%d groups, to which rows fall %s, of sd %g, %s", g.k, g.fall.words, g.sd, g.levels.words)
}

// draw returns each row's label and what its group adds, and the groups' levels.
func (g *drawnGroups) draw(r *rand.Rand, n int) (labels, added, levels []float64) {
	levels = g.levels.it(r, g.k, nil)
	for j := range levels {
		levels[j] *= g.sd
	}
	for _, j := range g.fall.it(r, n, g.k) {
		labels, added = append(labels, float64(j+1)), append(added, levels[j])
	}
	return labels, added, levels
}

func drawnAnova(r *rand.Rand) regime {
	g := newGroups(r, []int{2, 3, 5, 10, 30, 100}, .05, .3, 1, 5, 100)
	d, noise := newDesign(r, 0, []int{5, 10, 30, 100, 300}), pick(r, noises)
	unit := math.Pow(10, float64(r.IntN(9)-4))
	return regime{
		kind: "anova", columns: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}},
		about: fmt.Sprintf("%s; %s; noise %s of sd 1; in units of %g", g.words(), d.words(), noise.words, unit),
		simulate: func(r *rand.Rand) experiment {
			labels, y, levels := g.draw(r, d.rows*shards)
			truth := []simulate.Truth{{Variable: "mu", Value: 5 * unit}, {Variable: "tau2", Value: g.sd * g.sd * unit * unit}, {Variable: "sigma2", Value: unit * unit}}
			for j, v := range levels {
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: (5 + v) * unit})
			}
			for i, e := range noise.it(r, len(y), nil) {
				y[i] = (5 + y[i] + e) * unit
			}
			return experiment{truth, d.shards(r, nil, []column{{"g", labels}}, y)}
		},
	}.ordered(d).normally(noise, "sigma2").normally(g.levels, "tau2")
}

func drawnPoisson(r *rand.Rand) regime {
	p := r.IntN(3)
	d, intercept := newDesign(r, p, []int{10, 50, 200}, 0, .1, .5), oneOf(r, -2., 0, 1, 3, 6)
	g, rowSD := newGroups(r, []int{3, 10, 50}, .1, .5, 1.5), oneOf(r, 0, .3, 1)
	_, list := features(p)
	columns := cdf.Roles{Features: list, Intercept: true}
	about := fmt.Sprintf("%s; intercept %g at the columns' means, effects of rows of sd %g", d.words(), intercept, rowSD)
	grouped := r.IntN(3) > 0
	if grouped {
		columns.Groups = []cdf.Group{{Column: "g"}}
		about += "; " + g.words()
	}
	return regime{
		kind: "poisson", columns: columns, about: about,
		simulate: func(r *rand.Rand) experiment {
			x, slopes, eta := d.draw(r)
			mean := measure.Mean(eta)
			truth, beside := coefficients(intercept-mean, slopes), []column(nil)
			if grouped {
				labels, added, _ := g.draw(r, len(eta))
				beside = []column{{"g", labels}}
				for i, v := range added {
					eta[i] += v
				}
				truth = append(truth, simulate.Truth{Variable: "sigma2_u", Value: g.sd * g.sd})
			}
			for i, v := range eta {
				eta[i] = simulate.Count(r, math.Exp(min(v-mean+intercept+rowSD*r.NormFloat64()-rowSD*rowSD/2, 20)))
			}
			return experiment{truth, d.shards(r, x, beside, eta)}
		},
	}.ordered(d).normally(g.levels, "sigma2_u")
}

func drawnDLM(r *rand.Rand) regime {
	phi, tau := oneOf(r, -.8, 0, .5, .9, .98), oneOf(r, .1, .5, 1, 3)
	d, noise, shocks := newDesign(r, 0, []int{5, 20, 50}), pick(r, noises[:5]), pick(r, noises[:5])
	d.order = orders[0]
	unit := math.Pow(10, float64(r.IntN(9)-4))
	return regime{
		kind:  "dlm",
		about: fmt.Sprintf("%s; phi %g, shocks of sd %g, %s, noise of sd 1, %s; in units of %g", d.words(), phi, tau, shocks.words, noise.words, unit),
		simulate: func(r *rand.Rand) experiment {
			y, n := noise.it(r, d.rows*shards, nil), d.rows*shards
			theta := tau / math.Sqrt(1-phi*phi) * r.NormFloat64()
			for i, w := range shocks.it(r, n, nil) {
				theta = phi*theta + tau*w
				y[i] = unit * (3 + theta + y[i])
			}
			return experiment{[]simulate.Truth{
				{Variable: "phi", Value: phi}, {Variable: "tau2", Value: unit * unit * tau * tau}, {Variable: "sigma2", Value: unit * unit},
				{Variable: "mu", Value: 3 * unit},
			}, d.shards(r, nil, nil, y)}
		},
	}.normally(noise, "sigma2").normally(shocks, "tau2")
}
