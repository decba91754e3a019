package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// handDLM is how far a dlm on its grid of 31 points a side may be from the fine one: parts of sds, and probabilities. Of 400 keys, most with
// priors that are far off, the worst was a mean at .065, of the first two rows.
var handDLM = .07

// levelKey is a dlm key: its configuration, the law that its rows come from, and the rows.
type levelKey struct {
	chance
	g               *handLevel
	spec            *cdf.Spec
	about           string
	timed           bool
	unit, at        float64
	phi, tau, sigma float64
	theta           float64
	now             int64
	s               handSeries
}

func newLevelKey(seed uint64) (*levelKey, error) {
	r := newChance(seed, 72)
	draw := func(most float64) float64 { return math.Pow(10, most*(2*r.Float64()-1)) }
	g := &handLevel{a: 2, b: .2, c: 2, d: .2, h: 10}
	mean := choose(r, []string{"auto", "known", "unknown"})
	settings := fmt.Sprintf("{mean: %s}", mean)
	if r.of(.7) {
		g.a, g.b, g.c, g.d, g.h = .5+3*r.Float64(), draw(1.5), .5+3*r.Float64(), draw(1.5), draw(2)
		if r.of(.4) {
			g.phiMean, g.phiVar = choose(r, []float64{0, .5, -.7, .9, 1.5}), draw(1)
		}
		settings = fmt.Sprintf("{mean: %s, prior: {sigma2_shape: %v, sigma2_rate: %v, tau2_shape: %v, tau2_rate: %v, theta0_variance: %v, phi_mean: %v, phi_variance: %v}}", mean, g.a, g.b, g.c, g.d, g.h, g.phiMean, g.phiVar)
	}
	roles := cdf.Roles{Scaling: choose(r, []string{"first", "first", "none"}), Response: cdf.Feature{Name: "y"}}
	k := &levelKey{chance: r, g: g}
	k.unit, k.at = unitOfResponse(r, &roles)
	if k.timed = r.of(.4); k.timed {
		roles.Time = "t"
	}
	g.known = mean == "known" || mean == "auto" && (roles.Scaling == "none" || roles.Response.Center != nil)
	model, _ := Lookup("dlm")
	spec, err := model.Spec("", roles, strictyaml.Decode(settings))
	k.about = settings
	if err != nil {
		return k, err
	}
	if r.of(.25) {
		spec.Forget = choose(r, []float64{.8, .95, .99})
		spec.ForgetPer.Unit = choose(r, []string{"shard", "row"})
	}
	k.spec = spec
	k.about = fmt.Sprintf("dlm %s scaling %s response %s time %q forget %v per %s unit %g at %g", settings, roles.Scaling, said(roles.Response), roles.Time, spec.Forget, spec.ForgetPer.Unit, k.unit, k.at)
	k.phi, k.tau, k.sigma = 2*r.Float64()-1, draw(.7), draw(.7)
	if r.of(.5) {
		k.phi = math.Abs(k.phi)
	}
	k.now = int64(r.IntN(1000))
	return k, nil
}

// shard draws rows and takes them in.
func (k *levelKey) shard(rows int) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	y, t := cdf.Column{Name: "y"}, cdf.Column{Name: "t", Type: cdf.Integer}
	observed, begun := 0, len(k.s.y) > 0
	for range b.Rows {
		steps := 1
		if k.timed {
			steps = k.IntN(3)
			if k.of(.05) {
				steps = choose(k.chance, []int{10, 10, 200, 1001})
			}
		}
		k.now += int64(steps)
		if k.timed && len(k.s.y) == 0 {
			steps = 1 // before the first row is one step
		}
		for range steps {
			k.theta = k.phi*k.theta + k.tau*k.NormFloat64()
		}
		v := k.unit * (k.at + k.theta + k.sigma*k.NormFloat64())
		if k.of(.07) {
			v = math.NaN()
		} else {
			observed++
		}
		y.Number, t.Int, t.Number = append(y.Number, v), append(t.Int, k.now), append(t.Number, float64(k.now))
		k.s.y, k.s.steps, k.s.forget = append(k.s.y, v), append(k.s.steps, steps), append(k.s.forget, 1)
	}
	if begun && k.spec.Forget < 1 {
		by := k.spec.Forget
		if k.spec.ForgetPer.Unit == "row" {
			by = math.Pow(by, float64(observed))
		}
		k.s.forget[len(k.s.y)-b.Rows] = by
	}
	b.Columns = []cdf.Column{y, t}
	return b
}

// constantsOf are those of the response of a summary.
func constantsOf(sum *cdf.Summary) (center, scale float64) {
	scale = 1
	for _, c := range sum.Scaling {
		if c.Column == "y" {
			center, scale = c.Center, c.Scale
		}
	}
	return center, scale
}

// followLevel takes a dlm key through shards and compares what is published with a fine grid.
func followLevel(seed uint64) (about string, err error) {
	k, err := newLevelKey(seed)
	if err != nil {
		return k.about, err
	}
	f, g := cdf.NewFilter(k.spec, "key"), k.g
	center, scale, evidence := 0., 1., 0.
	for shard := range 1 + k.IntN(5) {
		before := len(k.s.y)
		b := k.shard(choose(k.chance, []int{1, 1, 2, 3, 7, 20}))
		where := func(err error) error { return fmt.Errorf("shard %d, %d rows: %w", shard+1, len(k.s.y), err) }
		var preds []cdf.Prediction
		if shard > 0 {
			if preds, err = f.Predict(b); err != nil {
				return k.about, where(err)
			}
			preds = slices.Clone(preds)
		}
		sum, err := f.Update(b)
		if err != nil {
			return k.about, err
		}
		if k.s.part(0, before).observed() > 0 {
			if err := k.scored(before, center, scale, preds, &sum.Score); err != nil {
				return k.about, where(err)
			}
		}
		center, scale = constantsOf(sum)
		n := k.s.observed()
		if n == 0 {
			continue
		}
		g.run(&k.s, center, scale, 121)
		if err := g.compare(sum, center, scale); err != nil {
			return k.about, where(err)
		}
		if evidence += sum.Score.LogEvidence; k.spec.Forget == 1 {
			if want := g.evidence() - n*math.Log(scale); !(math.Abs(evidence-want) <= .1) {
				return k.about, where(fmt.Errorf("log evidence %v, by hand %v", evidence, want))
			}
		} else if !math.IsNaN(sum.Score.LogEvidence) {
			return k.about, where(fmt.Errorf("log evidence %v", sum.Score.LogEvidence))
		}
		ahead := []int{1, 2, 3, choose(k.chance, []int{10, 100, 600})}
		steps, err := f.Forecast(ahead[3])
		if err != nil {
			return k.about, where(err)
		}
		for i, h := range ahead {
			if i > 0 {
				h -= ahead[i-1]
			}
			g.pass(h)
			theta, _, next, _, shape, _ := g.laws()
			below := next.table()
			if err := g.predicted(&steps[ahead[i]-1], theta, next, below, center, scale, shape); err != nil {
				return k.about, where(fmt.Errorf("%d ahead: %w", ahead[i], err))
			}
		}
	}
	return k.about, nil
}

func (g *handLevel) predicted(p *cdf.Prediction, theta, next *students, below func(float64) float64, center, scale, shape float64) error {
	for i, q := range []float64{p.Q025, p.Q975, p.EpredQ025, p.EpredQ975} {
		law := next
		if i > 1 {
			law = theta
		}
		if at := law.cdf((q-center)/scale, below); !(math.Abs(at-[]float64{.025, .975}[i%2]) <= handDLM/2) {
			return fmt.Errorf("quantile %d at %v, which by hand is %v", i, q, at)
		}
	}
	mean, sd := next.moments()
	_, level := theta.moments()
	if shape > 2 && !(math.Abs((p.Mean-center)/scale-mean) <= handDLM*sd && math.Abs(p.SD/scale/sd-1) <= handDLM && math.Abs(p.EpredSD/scale/level-1) <= handDLM) {
		return fmt.Errorf("mean %v, sd %v and %v, by hand %v, %v and %v", p.Mean, p.SD, p.EpredSD, center+scale*mean, scale*sd, scale*level)
	}
	return nil
}

// compare compares the published variables.
func (g *handLevel) compare(sum *cdf.Summary, center, scale float64) error {
	theta, mu, _, w, shape, rate := g.laws()
	below := theta.table()
	variances := map[string]func(v float64) float64{
		"sigma2": func(v float64) (p float64) {
			for i := range w {
				if w[i] > 1e-12 {
					p += w[i] * (1 - gammaBelow(shape, rate[i]*scale*scale/v))
				}
			}
			return p
		},
		"tau2": func(v float64) (p float64) {
			for i := range w {
				if w[i] > 1e-12 {
					p += w[i] * (1 - gammaBelow(shape, g.q[i]*rate[i]*scale*scale/v))
				}
			}
			return p
		},
		"theta": func(v float64) float64 { return theta.cdf((v-center)/scale, below) },
		"mu":    func(v float64) float64 { return mu.cdf((v-center)/scale, below) },
		"phi": func(v float64) (p float64) {
			eta := math.Atanh(v)
			for i := range w { // the mass of a node is spread over its cell
				p += w[i] * min(1, max(0, (eta-math.Atanh(g.phi[i]))/g.side+.5))
			}
			return p
		},
	}
	for i := range sum.Rows {
		r := &sum.Rows[i]
		law := variances[r.Variable]
		if law == nil {
			return fmt.Errorf("a row of %s", r.Variable)
		}
		for i, q := range quantilesOf(r) {
			if p := law(q); !(math.Abs(p-rowLevels[i]) <= handDLM) {
				return fmt.Errorf("%s has quantile %v at %v, which by hand is %v", r.Variable, rowLevels[i], q, p)
			}
		}
		var mean, sd float64
		switch r.Variable {
		case "theta":
			mean, sd = theta.moments()
			mean, sd = center+scale*mean, scale*sd
		case "mu":
			mean, sd = mu.moments()
			mean, sd = center+scale*mean, scale*sd
		default:
			square := 0.
			for i, v := range w {
				m, s := g.phi[i], g.phi[i]*g.phi[i]
				if r.Variable != "phi" {
					x := rate[i]
					if r.Variable == "tau2" {
						x *= g.q[i]
					}
					x *= scale * scale
					m, s = x/(shape-1), x*x/((shape-1)*(shape-2))
				}
				mean, square = mean+v*m, square+v*s
			}
			sd = math.Sqrt(square - mean*mean)
		}
		tail, hasMean, hasSD := shape, true, true // of what the moment is of
		tau, sigma := g.c+g.steps/2, g.a+g.n/2    // where tau2 is large only one observation of a step tells of it
		switch r.Variable {
		case "mu":
			tail, hasSD = tau-15, min(tau, sigma) > 1
		case "theta":
			hasSD = min(tau, sigma) > 1
		case "tau2":
			tail, hasMean, hasSD = tau, tau > 1, tau > 2
		case "sigma2":
			tail, hasMean, hasSD = sigma, sigma > 1, sigma > 2
		}
		if hasMean == math.IsNaN(r.Mean) || hasSD == math.IsNaN(r.SD) {
			return fmt.Errorf("%s has mean %v and sd %v, and a tail of shape %v", r.Variable, r.Mean, r.SD, tail)
		}
		if tail <= 3 {
			continue
		}
		if !(math.Abs(r.Mean-mean) <= handDLM*sd && math.Abs(r.SD/sd-1) <= 2*handDLM) {
			return fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v", r.Variable, r.Mean, r.SD, mean, sd)
		}
	}
	return nil
}

// TestLevelsByHand: a dlm key publishes what a fine grid makes of its rows.
func TestLevelsByHand(t *testing.T) { handSeeds(t, 8, followLevel) }
