package models

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// logDensity is the log of the density at v.
func (s *students) logDensity(v float64) float64 {
	c, _ := math.Lgamma((s.df + 1) / 2)
	d, _ := math.Lgamma(s.df / 2)
	top, logs := math.Inf(-1), make([]float64, len(s.w))
	for i, w := range s.w {
		z := (v - s.at[i]) / s.scale[i]
		logs[i] = math.Log(w) + c - d - .5*math.Log(s.df*math.Pi) - math.Log(s.scale[i]) - (s.df+1)/2*math.Log1p(z*z/s.df)
		top = max(top, logs[i])
	}
	sum := 0.
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}

// scored compares scores and predictions of the rows from one on, each given those before it. constants are those of before the shard.
func (k *levelKey) scored(from int, center, scale float64, preds []cdf.Prediction, score *cdf.Score) error {
	before := k.s.part(0, from)
	one, two := k.g.fit(before, center, scale), k.g.fit(&k.s, center, scale)
	for a := range one.lo {
		one.lo[a], one.hi[a] = min(one.lo[a], two.lo[a]), max(one.hi[a], two.hi[a])
	}
	// What is predicted is so from the state as it is, what is scored with the discount of the shard.
	for _, discounted := range []bool{false, true} {
		g := *k.g
		g.grid(one, 121)
		g.follow(before, center, scale)
		if by := k.s.forget[from]; discounted && by < 1 {
			g.forget(by)
		}
		density, squares, covered, n, near := 0., 0., 0., 0., false
		for i, y := range k.s.y[from:] {
			g.pass(k.s.steps[from+i])
			theta, _, next, _, shape, _ := g.laws()
			below := next.table()
			z := (y - center) / scale
			if !discounted {
				if err := g.predicted(&preds[i], theta, next, below, center, scale, shape); err != nil {
					return fmt.Errorf("row %d of the shard: %w", i, err)
				}
			}
			if math.IsNaN(y) {
				continue
			}
			p, log := next.cdf(z, below), next.logDensity(z)-math.Log(scale)
			mean, sd := next.moments()
			if !discounted && !(math.Abs(preds[i].PIT-p) <= handDLM/2 && math.Abs(preds[i].LogDensity-log) <= handDLM*max(1, math.Abs(log))) {
				return fmt.Errorf("row %d of the shard has transform %v and log density %v, by hand %v and %v", i, preds[i].PIT, preds[i].LogDensity, p, log)
			}
			n, density, squares = n+1, density+log, squares+scale*scale*(z-mean)*(z-mean)
			if p >= .025 && p <= .975 {
				covered++
			}
			near = near || min(math.Abs(p-.025), math.Abs(p-.975)) < .003 || math.Abs(z-mean) < handDLM*sd
			g.see(z)
		}
		if !discounted || n == 0 {
			continue
		}
		if !(score.Rows == int64(n) && math.Abs(score.LogDensity-density/n) <= handDLM*max(1, math.Abs(density/n))) || !near && !(math.Abs(score.RMSE/math.Sqrt(squares/n)-1) <= .05 && math.Abs(score.Coverage95-covered/n) < 1e-9) {
			return fmt.Errorf("score %+v, by hand %v rows, %v, %v, %v", *score, n, density/n, math.Sqrt(squares/n), covered/n)
		}
	}
	return nil
}
