package models

import (
	"fmt"
	"math"
	"slices"
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

// classesKey takes a probit key through shards that stay in its window, or leave it, and compares what is published with quadrature.
func classesKey(seed, stream uint64, leave bool, within *handClasses) (string, error) {
	k := newHandKey(seed, stream, 2)
	k.unit, k.at, k.signal = 1, 0, min(k.signal, 2)
	for i := range k.columns {
		c := &k.columns[i]
		if c.sort == "level" && !leave {
			c.sort, c.labels = "number", nil
			c.feature = cdf.Feature{Name: c.feature.Name}
		}
	}
	roles := k.roles(k.of(.8) || len(k.columns) == 0)
	v, v0 := 1., 10.
	window := 1000
	if leave {
		window = choose(k.chance, []int{1000, 100, 50})
	}
	settings := fmt.Sprintf("{window: %d, chains: 32}", window)
	if k.of(.6) {
		v, v0 = math.Pow(10, 3*k.Float64()-1.5), math.Pow(10, 3*k.Float64()-1)
		settings = fmt.Sprintf("{window: %d, chains: 32, prior: {beta_variance: %v, intercept_variance: %v}}", window, v, v0)
	}
	if err := k.specify("probit", "", roles, settings); err != nil {
		return settings, err
	}
	if k.spec.Forget < 1 && !leave {
		k.spec.Forget = 1
	}
	k.spec.Draws, k.spec.Publish.Covariance = 4000, true
	f := cdf.NewFilter(k.spec, "key")
	level, sizes := choose(k.chance, []float64{-1.5, 0, 2}), []int{1, 2, 3, 5, 12, 30}
	if leave {
		level, sizes = choose(k.chance, []float64{-.8, 0, .8}), []int{30, 60, 100}
		k.spec.Forget, k.spec.ForgetPer.Unit = choose(k.chance, []float64{1, .9, .7}), "shard"
	}
	k.about += fmt.Sprintf("\n\tlevel %v forget %v", level, k.spec.Forget)
	var h *handBox
	for range 1 + k.IntN(4) {
		b := k.batch(choose(k.chance, sizes), func(effect float64) float64 {
			if level+effect+k.NormFloat64() > 0 {
				return 1
			}
			return 0
		})
		sum, err := k.update(f, b)
		if err != nil {
			return k.about, err
		}
		if sum == nil {
			continue
		}
		was := *k
		k.take(b)
		if len(k.names)+1 > 3 { // of levels
			return "", nil
		}
		where := k.where(sum)
		if h != nil {
			if err := was.classesScored(h, b, &sum.Score, within); err != nil {
				return k.about, where(err)
			}
		}
		if len(k.rows) == 0 {
			continue
		}
		if err := k.constantsAre(sum); err != nil {
			return k.about, where(err)
		}
		if leave && slices.Contains(sum.Flags, "separated") { // the page says what then is off
			h = nil
			continue
		}
		h = k.box(v, v0, func(r *handRow, eta float64) (float64, float64, float64) {
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
			if !(math.Abs(r.Mean-mean) <= within.mean*sd && math.Abs(r.SD/sd-1) <= within.sd) {
				return k.about, where(fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v (%.2g, %.2g; mcse %v, r-hat %v)", r.Variable, r.Mean, r.SD, mean, sd, (r.Mean-mean)/sd, r.SD/sd-1, r.MCSEMean, r.RHat))
			}
			for i, q := range quantilesOf(r) {
				p := h.below(c, q-d)
				if !(math.Abs(p-rowLevels[i]) <= within.quantile) {
					return k.about, where(fmt.Errorf("%s has quantile %v at %v, which by hand is %v", r.Variable, rowLevels[i], q, p))
				}
			}
		}
		ask := k.batch(3, func(float64) float64 { return 1 })
		if k.refuses(ask) {
			continue
		}
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
			if !(math.Abs(preds[i].Mean-p) <= within.p && math.Abs(preds[i].SD-math.Sqrt(p*(1-p))) <= within.p && math.Abs(preds[i].EpredSD-sd) <= within.sd*sd+.01) {
				return k.about, where(fmt.Errorf("a row is predicted with %v, sd %v and %v, by hand %v, %v and %v", preds[i].Mean, preds[i].SD, preds[i].EpredSD, p, math.Sqrt(p*(1-p)), sd))
			}
		}
	}
	return k.about, nil
}

// classesScored compares scores of a shard: the key is as it was before.
func (k *handKey) classesScored(h *handBox, b *cdf.Batch, score *cdf.Score, within *handClasses) error {
	n, density, squares := 0., 0., 0.
	for i := range b.Rows {
		x, ok := k.rowOf(b, i)
		if !ok {
			continue
		}
		y := b.Columns[len(k.columns)].Number[i]
		c := k.scaled(x)
		q, _ := h.moments(func(b []float64) float64 { return phi((2*y - 1) * inner(0, c)(b)) })
		n, density, squares = n+1, density+math.Log(q), squares+(1-q)*(1-q)
	}
	if n == 0 {
		return nil
	}
	if !(score.Rows == int64(n) && math.Abs(math.Exp(score.LogDensity)-math.Exp(density/n)) <= within.p && math.Abs(score.RMSE-math.Sqrt(squares/n)) <= within.p) {
		return fmt.Errorf("score %+v, by hand %v rows, %v, %v", *score, n, density/n, math.Sqrt(squares/n))
	}
	return nil
}

// handClasses is how far a probit key may be from quadrature: means in sds, sds in part, quantiles and predictions in probability.
type handClasses struct{ mean, sd, quantile, p float64 }

// followClasses is a key that keeps its rows. Departures are those of 4,000 draws of chains that mix slowly at worst.
func followClasses(seed uint64) (string, error) {
	return classesKey(seed, 75, false, &handClasses{mean: .1, sd: .08, quantile: .04, p: .07})
}

// followFrozen is a key whose rows leave its window, or are discounted: of 400 the furthest mean was .3 sds off, but of separated columns.
func followFrozen(seed uint64) (string, error) {
	return classesKey(seed, 78, true, &handClasses{mean: .35, sd: .25, quantile: .12, p: .06})
}

// TestClassesByHand: a probit key whose rows are all in its window publishes what quadrature makes of them.
func TestClassesByHand(t *testing.T) { handSeeds(t, 3, followClasses) }

// TestFrozenClassesByHand: a probit key that lets go of its rows publishes about what quadrature makes of all, with their weights.
func TestFrozenClassesByHand(t *testing.T) { handSeeds(t, 3, followFrozen) }
