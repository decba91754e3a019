package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// handDLM is how far a dlm on its grid may be from the fine one: parts of sds, and probabilities.
var handDLM = .02

// followLevel takes a dlm key through shards and compares what is published with a fine grid.
func followLevel(seed uint64) (about string, err error) {
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
	unit, at := unitOfResponse(r, &roles)
	timed := r.of(.4)
	if timed {
		roles.Time = "t"
	}
	g.known = mean == "known" || mean == "auto" && (roles.Scaling == "none" || roles.Response.Center != nil)
	model, _ := Lookup("dlm")
	spec, err := model.Spec("", roles, strictyaml.Decode(settings))
	if err != nil {
		return settings, err
	}
	if r.of(.25) {
		spec.Forget = choose(r, []float64{.8, .95, .99})
		spec.ForgetPer.Unit = choose(r, []string{"shard", "row"})
	}
	about = fmt.Sprintf("dlm %s scaling %s response %s time %q forget %v per %s unit %g at %g", settings, roles.Scaling, said(roles.Response), roles.Time, spec.Forget, spec.ForgetPer.Unit, unit, at)
	f := cdf.NewFilter(spec, "key")
	phi, tau, sigma := 2*r.Float64()-1, draw(.7), draw(.7)
	if r.of(.5) {
		phi = math.Abs(phi)
	}
	theta, now := 0., int64(r.IntN(1000))
	s := &handSeries{}
	for shard := range 1 + r.IntN(5) {
		b := &cdf.Batch{Rows: choose(r, []int{1, 1, 2, 3, 7, 20})}
		y, t := cdf.Column{Name: "y"}, cdf.Column{Name: "t", Type: cdf.Integer}
		observed := 0
		for range b.Rows {
			steps := 1
			if timed {
				steps = r.IntN(3)
				if r.of(.05) {
					steps = 10
				}
			}
			now += int64(steps)
			if timed && len(s.y) == 0 {
				steps = 1 // before the first row is one step
			}
			for range steps {
				theta = phi*theta + tau*r.NormFloat64()
			}
			v := unit * (at + theta + sigma*r.NormFloat64())
			if r.of(.07) {
				v = math.NaN()
			} else {
				observed++
			}
			y.Number, t.Int, t.Number = append(y.Number, v), append(t.Int, now), append(t.Number, float64(now))
			s.y, s.steps, s.forget = append(s.y, v), append(s.steps, steps), append(s.forget, 1)
		}
		if shard > 0 && spec.Forget < 1 {
			by := spec.Forget
			if spec.ForgetPer.Unit == "row" {
				by = math.Pow(by, float64(observed))
			}
			s.forget[len(s.y)-b.Rows] = by
		}
		b.Columns = []cdf.Column{y, t}
		sum, err := f.Update(b)
		if err != nil {
			return about, err
		}
		where := func(err error) error { return fmt.Errorf("shard %d, %d rows: %w", shard+1, len(s.y), err) }
		center, scale := 0., 1.
		for _, c := range sum.Scaling {
			if c.Column == "y" {
				center, scale = c.Center, c.Scale
			}
		}
		n := 0.
		for _, v := range s.y {
			if !math.IsNaN(v) {
				n++
			}
		}
		if n == 0 {
			continue
		}
		g.run(s, center, scale, 121)
		if err := g.compare(sum, center, scale); err != nil {
			return about, where(err)
		}
		h := 3
		steps, err := f.Forecast(h)
		if err != nil {
			return about, where(err)
		}
		for i := range h {
			g.pass(1)
			theta, _, next, _, shape, _ := g.laws()
			below := next.table()
			if err := g.predicted(&steps[i], theta, next, below, center, scale, shape); err != nil {
				return about, where(fmt.Errorf("%d ahead: %w", i+1, err))
			}
		}
	}
	return about, nil
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
			for i := range w {
				if g.phi[i] < v {
					p += w[i]
				}
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
			within := handDLM
			if r.Variable == "phi" {
				within = .05
			}
			if p := law(q); !(math.Abs(p-rowLevels[i]) <= within) {
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
		tail := shape // of what the moment is of
		switch r.Variable {
		case "mu":
			tail = g.c + g.n/2 - 15
		case "tau2":
			tail = g.c + g.n/2
		case "sigma2":
			tail = g.a + g.n/2
		}
		if hasMean, hasSD := tail > 1, tail > 2; r.Variable[0] != 'm' && tail != shape && (hasMean == math.IsNaN(r.Mean) || hasSD == math.IsNaN(r.SD)) {
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
