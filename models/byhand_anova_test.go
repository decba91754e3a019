package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// handGroups is an anova by hand: a grid of the logs of both variances, mu and the levels in closed form at each point.
type handGroups struct {
	v, a, b, c, d float64 // of mu, tau2 and sigma2
	n, mean, sum2 []float64
	t, s, w       []float64
	mu, mv        []float64
}

// at returns the log density of a point and the law of mu there.
func (g *handGroups) at(lt, ls float64) (f, mu, variance float64) {
	t, s := math.Exp(lt), math.Exp(ls)
	f = -g.a*lt - g.b/t - g.c*ls - g.d/s
	precision, sum := 0., 0.
	if g.v > 0 {
		precision = 1 / g.v
	}
	for i, n := range g.n {
		f -= (n*ls + g.sum2[i]/s - ls) / 2
		x := t + s/n
		f -= math.Log(x) / 2
		precision += 1 / x
		sum += g.mean[i] / x
	}
	mu = sum / precision
	for i, n := range g.n {
		x := t + s/n
		f -= (g.mean[i] - mu) * (g.mean[i] - mu) / x / 2
	}
	if g.v > 0 {
		f -= mu * mu / g.v / 2
	}
	return f - math.Log(precision)/2, mu, 1 / precision
}

func (g *handGroups) solve() {
	lo, hi, n := [2]float64{-40, -40}, [2]float64{60, 60}, 100
	for round := range 5 {
		top := math.Inf(-1)
		step := [2]float64{(hi[0] - lo[0]) / float64(n), (hi[1] - lo[1]) / float64(n)}
		g.w, g.t, g.s, g.mu, g.mv = g.w[:0], g.t[:0], g.s[:0], g.mu[:0], g.mv[:0]
		for i := range n + 1 {
			for j := range n + 1 {
				lt, ls := lo[0]+step[0]*float64(i), lo[1]+step[1]*float64(j)
				f, mu, v := g.at(lt, ls)
				g.w, g.t, g.s, g.mu, g.mv = append(g.w, f), append(g.t, math.Exp(lt)), append(g.s, math.Exp(ls)), append(g.mu, mu), append(g.mv, v)
				top = max(top, f)
			}
		}
		if round == 4 {
			sum := 0.
			for i := range g.w {
				g.w[i] = math.Exp(g.w[i] - top)
				sum += g.w[i]
			}
			for i := range g.w {
				g.w[i] /= sum
			}
			return
		}
		from, to := [2]int{n, n}, [2]int{}
		for k, f := range g.w {
			if f > top-32 {
				at := [2]int{k / (n + 1), k % (n + 1)}
				for a := range at {
					from[a], to[a] = min(from[a], at[a]), max(to[a], at[a])
				}
			}
		}
		for a := range from {
			lo[a], hi[a] = lo[a]+step[a]*float64(from[a]-1), lo[a]+step[a]*float64(to[a]+1)
		}
		if round == 3 {
			n = 160
		}
	}
}

// level is the law of a level, of mu where there is no such group.
func (g *handGroups) level(i int) *law {
	l := &law{w: g.w}
	for k := range g.w {
		m, v := g.mu[k], g.mv[k]
		if i >= 0 {
			t, s := g.t[k], g.s[k]
			p := g.n[i]/s + 1/t
			m, v = (g.n[i]*g.mean[i]/s+g.mu[k]/t)/p, 1/p+v/(t*p)/(t*p)
		}
		l.mean, l.sd = append(l.mean, m), append(l.sd, math.Sqrt(v))
	}
	return l
}

// expected is the mean of a variance, and its sd.
func (g *handGroups) expected(of []float64) (mean, sd float64) {
	for k, w := range g.w {
		mean += w * of[k]
	}
	for k, w := range g.w {
		sd += w * (of[k] - mean) * (of[k] - mean)
	}
	return mean, math.Sqrt(sd)
}

// below is the law of a variance, whose logs are evenly spaced: half of the weight of the nearest point is on each side.
func (g *handGroups) below(of []float64, v float64) (p float64) {
	step := 0.
	for _, x := range of {
		if x != of[0] {
			step = math.Abs(math.Log(x / of[0]))
			break
		}
	}
	for k, w := range g.w {
		p += w * min(1, max(0, math.Log(v/of[k])/step+.5))
	}
	return p
}

func followGroups(seed uint64) (about string, err error) {
	r := newChance(seed, 73)
	draw := func(most float64) float64 { return math.Pow(10, most*(2*r.Float64()-1)) }
	g := &handGroups{a: .5, b: .005, c: 1, d: 1}
	settings := "{}"
	if r.of(.7) {
		g.a, g.b, g.c, g.d = .3+3*r.Float64(), draw(2), .3+3*r.Float64(), draw(2)
		if r.of(.5) {
			g.v = draw(2)
		}
		settings = fmt.Sprintf("{prior: {mu_variance: %v, tau2_shape: %v, tau2_rate: %v, sigma2_shape: %v, sigma2_rate: %v}}", g.v, g.a, g.b, g.c, g.d)
	}
	roles := cdf.Roles{Scaling: choose(r, []string{"first", "first", "none"}), Response: cdf.Feature{Name: "y"}, Groups: []cdf.Group{{Column: "g"}}}
	unit, at := unitOfResponse(r, &roles)
	model, _ := Lookup("anova")
	spec, err := model.Spec("", roles, strictyaml.Decode(settings))
	if err != nil {
		return settings, err
	}
	spec.Draws = 2000
	spec.Missing = choose(r, []string{"drop", "level", "reject"})
	if r.of(.3) {
		spec.Forget = choose(r, []float64{.5, .8, .95, .99})
		spec.ForgetPer.Unit = choose(r, []string{"shard", "row"})
	}
	about = fmt.Sprintf("anova %s scaling %s response %s missing %s forget %v per %s unit %g at %g", settings, roles.Scaling, said(roles.Response), spec.Missing, spec.Forget, spec.ForgetPer.Unit, unit, at)
	f := cdf.NewFilter(spec, "key")
	groups := choose(r, []int{1, 2, 3, 6, 15})
	tau, sigma := draw(.7), draw(.5)
	effects := make([]float64, groups)
	for i := range effects {
		effects[i] = tau * r.NormFloat64()
	}
	type row struct {
		g    string
		y, w float64
	}
	var rows []row
	absorbed := 0
	for shard := range 1 + r.IntN(5) {
		b := &cdf.Batch{Rows: choose(r, []int{1, 1, 2, 3, 7, 20, 60})}
		y, c := cdf.Column{Name: "y"}, cdf.Column{Name: "g", Type: cdf.Text}
		for i := range groups {
			c.Levels = append(c.Levels, fmt.Sprint("g", i))
		}
		observed, refused := 0, false
		var next []row
		for range b.Rows {
			i := r.IntN(groups)
			v := unit * (at + effects[i] + sigma*r.NormFloat64())
			if r.of(.07) {
				v = math.NaN()
			}
			name := c.Levels[i]
			if r.of(.05) {
				i, name = -1, "__missing__"
				refused = refused || spec.Missing == "reject"
			}
			y.Number, c.Code = append(y.Number, v), append(c.Code, int32(i))
			if !math.IsNaN(v) && (i >= 0 || spec.Missing == "level") {
				observed++
				next = append(next, row{name, v, 1})
			}
		}
		b.Columns = []cdf.Column{y, c}
		sum, err := f.Update(b)
		if refused != errors.Is(err, cdf.ErrShard) || err != nil && !refused {
			return about, fmt.Errorf("by hand it is %v that the shard is refused: %w", refused, err)
		}
		if refused {
			continue
		}
		if absorbed++; absorbed > 1 && spec.Forget < 1 {
			by := spec.Forget
			if spec.ForgetPer.Unit == "row" {
				by = math.Pow(by, float64(observed))
			}
			if g.v == 0 && g.c < .5 { // sigma2 would have no law without a row
				all := 0.
				for _, x := range rows {
					all += x.w
				}
				by = max(by, min(1, 1/all))
			}
			for i := range rows {
				rows[i].w *= by
			}
		}
		rows = append(rows, next...)
		if f.Settled() {
			rows = slices.DeleteFunc(rows, func(x row) bool { // of groups that retire
				n := 0.
				for _, o := range rows {
					if o.g == x.g {
						n += o.w
					}
				}
				return n < 1e-6
			})
		}
		where := func(err error) error { return fmt.Errorf("shard %d, %d rows: %w", shard+1, len(rows), err) }
		center, scale := 0., 1.
		for _, k := range sum.Scaling {
			center, scale = k.Center, k.Scale
		}
		if len(rows) == 0 {
			continue
		}
		var names []string
		g.n, g.mean, g.sum2 = nil, nil, nil
		for _, x := range rows {
			i := slices.Index(names, x.g)
			if i < 0 {
				i = len(names)
				names, g.n, g.mean, g.sum2 = append(names, x.g), append(g.n, 0), append(g.mean, 0), append(g.sum2, 0)
			}
			g.n[i] += x.w
			g.mean[i] += x.w * (x.y - center) / scale
		}
		for i := range g.n {
			g.mean[i] /= g.n[i]
		}
		for _, x := range rows {
			i := slices.Index(names, x.g)
			e := (x.y-center)/scale - g.mean[i]
			g.sum2[i] += x.w * e * e
		}
		g.solve()
		if err := g.compare(sum, names, center, scale); err != nil {
			return about, where(err)
		}
		ask := &cdf.Batch{Rows: 2, Columns: []cdf.Column{{Name: "g", Type: cdf.Text, Levels: []string{names[0], "new"}, Code: []int32{0, 1}}, {Name: "y", Number: []float64{center + scale, center}}}}
		preds, err := f.Predict(ask)
		if err != nil {
			return about, where(err)
		}
		sig, _ := g.expected(g.s)
		tau2, _ := g.expected(g.t)
		for i := range preds {
			l := g.level(-i) // of mu for the new group
			mean, sd := l.moments()
			all := math.Sqrt(sd*sd + sig)
			if i == 1 {
				sd = math.Sqrt(sd*sd + tau2)
				all = math.Sqrt(sd*sd + sig)
			}
			if none := g.noise() <= 1 || i == 1 && g.tails() <= 1; math.IsNaN(preds[i].SD) != none && (none || g.noise() > 1.5) {
				return about, where(fmt.Errorf("a row of %d has sd %v, shapes %v and %v", i, preds[i].SD, g.tails(), g.noise()))
			}
			if g.tails() < 2 || g.noise() < 2 {
				continue
			}
			if i == 0 { // a t law, not the mixture
				for k := range l.sd {
					l.sd[k] = math.Sqrt(l.sd[k]*l.sd[k] + g.s[k])
				}
				low, high := l.cdf((preds[0].Q025-center)/scale), l.cdf((preds[0].Q975-center)/scale)
				if wide := preds[0].SD / scale / all; !(low > 1e-4 && low < .03 && high > .97 && high < .9999 && wide > .995 && wide < 1.8) {
					return about, where(fmt.Errorf("a row is predicted with sd %v, by hand %v, and an interval from %v to %v", preds[0].SD, scale*all, low, high))
				}
				all = preds[0].SD / scale
			}
			if !(math.Abs((preds[i].Mean-center)/scale-mean) <= 1e-3*all && math.Abs(preds[i].SD/scale/all-1) <= 2e-3 && math.Abs(preds[i].EpredSD/scale/sd-1) <= 2e-3) {
				return about, where(fmt.Errorf("a row of %d is predicted with mean %v, sd %v and %v, by hand %v, %v, %v", i, preds[i].Mean, preds[i].SD, preds[i].EpredSD, center+scale*mean, scale*all, scale*sd))
			}
		}
	}
	return about, nil
}

// tails is the shape of the tail of tau2, as the page has it.
func (g *handGroups) tails() float64 {
	e := g.a + float64(len(g.n)-1)/2
	if g.v > 0 {
		e += .5
	}
	return e
}

// noise is the same of sigma2.
func (g *handGroups) noise() float64 {
	e := g.c
	for _, n := range g.n {
		e += n / 2
	}
	if g.v == 0 {
		e -= .5
	}
	return e
}

func (g *handGroups) compare(sum *cdf.Summary, names []string, center, scale float64) error {
	if want := 3 + len(names); len(sum.Rows) != want {
		return fmt.Errorf("%d variables, want %d", len(sum.Rows), want)
	}
	for i := range sum.Rows {
		r := &sum.Rows[i]
		var below func(v float64) float64
		mean, sd := 0., 0.
		hasMean, hasSD := true, true
		switch r.Variable {
		case "tau2", "sigma2":
			of := g.t
			if r.Variable == "sigma2" {
				of = g.s
			} else {
				hasMean, hasSD = g.tails() > 1, g.tails() > 2
			}
			mean, sd = g.expected(of)
			mean, sd = scale*scale*mean, scale*scale*sd
			below = func(v float64) float64 { return g.below(of, v/(scale*scale)) }
		default:
			i := slices.IndexFunc(names, func(n string) bool { return r.Variable == "zeta["+n+"]" })
			if i < 0 && r.Variable != "mu" {
				return fmt.Errorf("a row of %s", r.Variable)
			}
			l := g.level(i)
			mean, sd = l.moments()
			mean, sd = center+scale*mean, scale*sd
			below = func(v float64) float64 { return l.cdf((v - center) / scale) }
			if i < 0 && g.v == 0 {
				hasMean = g.tails() > 1
				hasSD = hasMean
			}
		}
		tail := min(g.tails(), g.noise())
		switch {
		case r.Variable == "sigma2":
			tail = g.noise()
			hasMean, hasSD = tail > 1, tail > 2
		case r.Variable == "tau2":
			tail = g.tails()
		case g.v == 0 && g.noise() <= 1:
			hasMean, hasSD = hasMean && r.Variable != "mu", false
		}
		if hasMean == math.IsNaN(r.Mean) || hasSD == math.IsNaN(r.SD) {
			return fmt.Errorf("%s has mean %v and sd %v, shape %v", r.Variable, r.Mean, r.SD, tail)
		}
		if tail > 1.5 && hasMean && !(math.Abs(r.Mean-mean) <= 1e-3*sd) || tail > 3 && hasSD && !(math.Abs(r.SD/sd-1) <= 5e-3) {
			return fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v", r.Variable, r.Mean, r.SD, mean, sd)
		}
		for i, q := range quantilesOf(r) {
			p := rowLevels[i]
			within := .002 + 5*math.Sqrt(p*(1-p)/float64(sum.Draws))
			if r.Variable == "sigma2" {
				within = .005
			}
			if got := below(q); !(math.Abs(got-p) <= within) {
				return fmt.Errorf("%s has quantile %v at %v, which by hand is %v", r.Variable, p, q, got)
			}
		}
	}
	return nil
}

// TestGroupsByHand: an anova key publishes what sums over both variances make of its rows.
func TestGroupsByHand(t *testing.T) { handSeeds(t, 14, followGroups) }

// TestRowsOfBroadNoise: keys of three rows whose t law of a row has no sd, while that of the row exists.
func TestRowsOfBroadNoise(t *testing.T) {
	for _, seed := range []uint64{130, 198} {
		if about, err := followGroups(seed); err != nil {
			t.Errorf("seed %d: %s\n\t%v", seed, about, err)
		}
	}
}
