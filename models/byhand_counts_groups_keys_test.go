package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// priorOfGroups is the prior of the variance of groups as settings have it, but for the bracket at its end, and the logarithm of its density by that
// of the variance.
func priorOfGroups(inverse bool, shape, rate, scale float64) (settings string, density func(l float64) float64) {
	if inverse {
		return fmt.Sprintf("prior: {group: inverse-gamma, group_shape: %v, group_rate: %v", shape, rate),
			func(l float64) float64 { return -shape*l - rate*math.Exp(-l) }
	}
	return fmt.Sprintf("prior: {group: half-cauchy, group_scale: %v", scale),
		func(l float64) float64 { return l/2 - math.Log1p(math.Exp(l)/scale/scale) }
}

// followCountsOfGroups takes a poisson key with groups that have two events or more through shards that are all kept.
func followCountsOfGroups(seed uint64) (string, error) {
	r := newChance(seed, 77)
	groups := 1 + r.IntN(4)
	own, sloped, exposed, inverse := r.of(.04), r.of(.06), r.of(.4), r.of(.3)
	sloped = sloped && !own
	h := &handCountLevels{v: 10000, slope: sloped, own: own}
	scale, shape, rate := 10., 1., .1
	if inverse && r.of(.5) {
		shape, rate = .5+3*r.Float64(), math.Exp(2*r.NormFloat64())
	}
	if !inverse && r.of(.5) {
		scale = choose(r, []float64{.5, 1, 3})
	}
	var settings string
	settings, h.prior = priorOfGroups(inverse, shape, rate, scale)
	if r.of(.3) {
		h.v = choose(r, []float64{1, 10, 100})
	}
	settings += fmt.Sprintf(", beta_variance: %v}", h.v)
	if !own {
		settings += ", overdispersion: none"
	}
	shards := 1 + r.IntN(3)
	buffer := 0
	if shards > 1 { // the page says what small shards lose without
		buffer = 1000
	}
	settings = fmt.Sprintf("{%s, buffer: %d}", settings, buffer)
	roles := cdf.Roles{Scaling: "none", Response: cdf.Feature{Name: "y"}, Groups: []cdf.Group{{Column: "g"}}, Features: []cdf.Feature{}, Intercept: true}
	if sloped {
		roles.Features = append(roles.Features, cdf.Feature{Name: "x"})
	}
	if exposed {
		roles.Exposure = "exposure"
	}
	model, _ := Lookup("poisson")
	spec, err := model.Spec("", roles, strictyaml.Decode(settings))
	if err != nil {
		return settings, err
	}
	if r.of(.25) {
		spec.Forget = choose(r, []float64{.7, .9, .97})
	}
	f := cdf.NewFilter(spec, "key")
	level, sd, over := choose(r, []float64{-1.5, 0, 1, 3}), choose(r, []float64{.1, .5, 1, 2}), 0.
	if own {
		over = choose(r, []float64{0, .3, .8})
	}
	about := fmt.Sprintf("%s groups %d slope %v exposure %v forget %v level %v sd %v over %v", settings, groups, sloped, exposed, spec.Forget, level, sd, over)
	effects := make([]float64, groups)
	c := cdf.Column{Name: "g", Type: cdf.Text}
	for g := range effects {
		effects[g] = sd * r.NormFloat64()
		c.Levels = append(c.Levels, fmt.Sprint("g", g))
	}
	size := choose(r, []int{groups, 3 * groups, 20, 50})
	var sum *cdf.Summary
	index := map[int]int{}
	var names []string
	for range shards {
		b := &cdf.Batch{Rows: size}
		y, x, e := cdf.Column{Name: "y"}, cdf.Column{Name: "x"}, cdf.Column{Name: "exposure"}
		c.Code = nil
		for g := range h.rows {
			for i := range h.rows[g] {
				h.rows[g][i].weight *= spec.Forget
			}
		}
		for range size {
			g := r.IntN(groups)
			v := handCount{weight: 1}
			exposure := 1.
			if sloped {
				v.x = r.NormFloat64()
			}
			if exposed {
				exposure = .3 + 2*r.Float64()
			}
			v.offset = math.Log(exposure)
			v.y = poissonCount(r, exposure*math.Exp(level+effects[g]+.3*v.x+over*r.NormFloat64()))
			at, ok := index[g]
			if !ok {
				at = len(names)
				index[g] = at
				names = append(names, c.Levels[g])
				h.rows = append(h.rows, nil)
			}
			h.rows[at] = append(h.rows[at], v)
			y.Number, x.Number, e.Number, c.Code = append(y.Number, v.y), append(x.Number, v.x), append(e.Number, exposure), append(c.Code, int32(g))
		}
		b.Columns = []cdf.Column{y, c}
		if sloped {
			b.Columns = append(b.Columns, x)
		}
		if exposed {
			b.Columns = append(b.Columns, e)
		}
		if sum, err = f.Update(b); err != nil {
			return about, err
		}
	}
	events, least := "", math.Inf(1)
	for g := range h.rows {
		t := 0.
		for _, v := range h.rows[g] {
			t += v.y
		}
		least = min(least, t)
		events += fmt.Sprintf(" %s:%v/%d", names[g], t, len(h.rows[g]))
	}
	about += " rows" + events
	if least < 2 || len(sum.Flags) > 0 {
		return about, nil // the page says what then is off
	}
	h.solve()
	unit := 0.
	for _, q := range sum.Rows {
		if q.Variable == "beta[intercept]" {
			unit = (q.Q75 - q.Q25) / 50
		}
	}
	mb, ms, ml, mu := h.marginals(unit)
	dens := map[string]float64{}
	lastOwn := -1.
	begin := make([]float64, len(names))
	for i, w := range h.w {
		p := h.at[i]
		if h.own && p.own != lastOwn {
			h.tabulate(p.own)
			lastOwn = p.own
		}
		begin[0] = p.b
		eta, ew, _ := h.effects(0, p, &begin[0])
		for k := range eta {
			if ew[k] > 1e-9 {
				for _, c := range []float64{0, 1, 5} {
					lg, _ := math.Lgamma(c + 1)
					dens[fmt.Sprint("known ", c)] += w * ew[k] * math.Exp(logCount(c, eta[k], p.own)-lg)
				}
			}
		}
		s := math.Exp(p.l / 2)
		for z := -6.; z <= 6; z += .25 {
			pw := .25 * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
			for _, c := range []float64{0, 1, 5} {
				lg, _ := math.Lgamma(c + 1)
				dens[fmt.Sprint("new ", c)] += w * pw * math.Exp(logCount(c, p.b+s*z, p.own)-lg)
			}
		}
	}
	out, bad := "", false
	for i := range sum.Rows {
		q := &sum.Rows[i]
		var m *handMarginal
		log := false
		switch q.Variable {
		case "beta[intercept]":
			m = mb
		case "beta[x]":
			m = ms
		case "sigma2_u":
			m, log = ml, true
		default:
			for g, n := range names {
				if q.Variable == "u["+n+"]" {
					m = &mu[g]
				}
			}
		}
		if m == nil {
			return about, fmt.Errorf("a row of %s", q.Variable)
		}
		ps := ""
		mean, sd := m.moments()
		worst := 0.
		for k, v := range quantilesOf(q) {
			if log {
				v = math.Log(v) + 14 + logStep/2
			}
			p := m.below(v)
			ps += fmt.Sprintf(" %.3f", p)
			worst = max(worst, math.Abs(p-rowLevels[k]))
		}
		line := fmt.Sprintf("\n\t  %-16s mean %.4g sd %.4g by hand %.4g %.4g ratio %.3f quantiles at%s", q.Variable, q.Mean, q.SD, mean, sd, q.SD/sd, ps)
		if log {
			line = fmt.Sprintf("\n\t  %-16s mean %.4g sd %.4g q %.4g %.4g %.4g quantiles at%s", q.Variable, q.Mean, q.SD, q.Q025, q.Median, q.Q975, ps)
		}
		if worst > .09 || !log && !(math.Abs(q.SD/sd-1) < .15) {
			bad = true
			line += " <<<"
		}
		out += line
	}
	for k, which := range []string{"known", "new"} {
		for _, y := range []float64{0, 1, 5} {
			ask := &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{y}}, {Name: "x", Number: []float64{0}}, {Name: "exposure", Number: []float64{1}}, {Name: "g", Type: cdf.Text, Levels: []string{names[0], "new one"}, Code: []int32{int32(k)}}}}
			preds, err := f.Predict(ask)
			if err != nil {
				return about, err
			}
			want := math.Log(dens[fmt.Sprint(which, " ", y)])
			out += fmt.Sprintf("\n\t  %s %v: log density %.4f by hand %.4f", which, y, preds[0].LogDensity, want)
			if math.Abs(preds[0].LogDensity-want) > .12 && want > -5 {
				bad = true
				out += " <<<"
			}
		}
	}
	about += fmt.Sprintf("\n\t  flags %v dominated %v", sum.Flags, sum.PriorDominated)
	if bad {
		return about, fmt.Errorf("departs%s", out)
	}
	return about, nil
}

// TestCountsOfGroupsByHand: a poisson key with up to four groups publishes about what sums over all its unknowns make of its rows.
func TestCountsOfGroupsByHand(t *testing.T) { handSeeds(t, 8, followCountsOfGroups) }
