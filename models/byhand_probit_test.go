package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// logPhi is the log of the normal distribution function, and its first two derivatives.
func logPhi(z float64) (l, first, second float64) {
	if z < -8 { // by the continued fraction of Mills' ratio
		t := -z
		f := 0.
		for k := 200.; k >= 1; k-- {
			f = k / (t + f)
		}
		first = t + f
		l = -z*z/2 - math.Log(first*math.Sqrt(2*math.Pi))
	} else {
		p := phi(z)
		l = math.Log(p)
		first = math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / p
	}
	return l, first, -first * (z + first)
}

// followClasses takes a probit key through shards that stay in its window.
func followClasses(seed uint64) (string, error) {
	k := newHandKey(seed, 75, 2)
	k.unit, k.at, k.signal = 1, 0, min(k.signal, 2)
	for i := range k.columns {
		c := &k.columns[i]
		if c.sort == "level" {
			c.sort, c.labels = "number", nil
			c.feature = cdf.Feature{Name: c.feature.Name}
		}
	}
	roles := k.roles(k.of(.8) || len(k.columns) == 0)
	v, v0 := 1., 10.
	settings := "{window: 1000, chains: 32}"
	if k.of(.6) {
		v, v0 = math.Pow(10, 3*k.Float64()-1.5), math.Pow(10, 3*k.Float64()-1)
		settings = fmt.Sprintf("{window: 1000, chains: 32, prior: {beta_variance: %v, intercept_variance: %v}}", v, v0)
	}
	if err := k.specify("probit", "", roles, settings); err != nil {
		return settings, err
	}
	k.spec.Forget, k.spec.Draws, k.spec.Publish.Covariance = 1, 4000, true
	f := cdf.NewFilter(k.spec, "key")
	level := choose(k.chance, []float64{-1.5, 0, 2})
	k.about += fmt.Sprintf("\n\tlevel %v", level)
	for range 1 + k.IntN(4) {
		b := k.batch(choose(k.chance, []int{1, 2, 3, 5, 12, 30}), func(effect float64) float64 {
			if level+effect+k.NormFloat64() > 0 {
				return 1
			}
			return 0
		})
		k.take(b)
		sum, err := f.Update(b)
		if err != nil {
			return k.about, err
		}
		where := k.where(sum)
		if len(k.rows) == 0 {
			continue
		}
		if err := k.constantsAre(sum); err != nil {
			return k.about, where(err)
		}
		h := k.box(v, v0, func(r *handRow, eta float64) (float64, float64, float64) {
			sign := 2*r.y - 1
			l, first, second := logPhi(sign * eta)
			return l, sign * first, second
		})
		for i := range sum.Rows {
			r := &sum.Rows[i]
			d, c := k.original(r.Variable)
			if c == nil {
				return k.about, where(fmt.Errorf("a row of %s", r.Variable))
			}
			mean, sd := h.moments(inner(d, c))
			if !(math.Abs(r.Mean-mean) <= .1*sd && math.Abs(r.SD/sd-1) <= .08) {
				return k.about, where(fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v (mcse %v, r-hat %v)", r.Variable, r.Mean, r.SD, mean, sd, r.MCSEMean, r.RHat))
			}
			for i, q := range quantilesOf(r) {
				p := h.below(c, q-d)
				if !(math.Abs(p-rowLevels[i]) <= .04) {
					return k.about, where(fmt.Errorf("%s has quantile %v at %v, which by hand is %v", r.Variable, rowLevels[i], q, p))
				}
			}
		}
		ask := k.batch(3, func(float64) float64 { return 1 })
		preds, err := f.Predict(ask)
		if err != nil {
			return k.about, where(err)
		}
		for i := range preds {
			x, ok := k.row(ask, i)
			if !ok {
				continue
			}
			c := k.scaled(x)
			p, sd := h.moments(func(b []float64) float64 { return phi(inner(0, c)(b)) })
			if !(math.Abs(preds[i].Mean-p) <= .07 && math.Abs(preds[i].SD-math.Sqrt(p*(1-p))) <= .03 && math.Abs(preds[i].EpredSD-sd) <= .1*sd+.005) {
				return k.about, where(fmt.Errorf("a row is predicted with %v, sd %v and %v, by hand %v, %v and %v", preds[i].Mean, preds[i].SD, preds[i].EpredSD, p, math.Sqrt(p*(1-p)), sd))
			}
		}
	}
	return k.about, nil
}

// TestClassesByHand: a probit key whose rows are all in its window publishes what quadrature makes of them.
func TestClassesByHand(t *testing.T) { handSeeds(t, 3, followClasses) }
