package anova

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/anova"
)

// exact is the posterior of the one-way analysis of variance on a dense
// grid of (log tau2, log sigma2); mu and zeta are normal given these.
type exact struct {
	weight, tau2, sigma2 []float64
	mean, variance       [][]float64 // per grid point: mu, then zeta
}

// solve returns the exact posterior given all rows at once. The marginal
// density of the group means given the variances is written with the k x k
// structure sigma2/N_i + tau2 (+ v 11') resolved by hand.
func solve(sh *cdf.Shard, p anova.Prior) *exact {
	var n, sum []float64
	for i, y := range sh.Y {
		for j := int(sh.Group[0][i]); len(n) <= j; {
			n, sum = append(n, 0), append(sum, 0)
		}
		n[sh.Group[0][i]]++
		sum[sh.Group[0][i]] += y
	}
	within, rows := 0.0, float64(sh.Rows)
	for i, y := range sh.Y {
		j := sh.Group[0][i]
		d := y - sum[j]/n[j]
		within += d * d
	}
	o := &exact{}
	var logs []float64
	top := math.Inf(-1)
	const points = 240
	for a := range points {
		lt := -9 + 18*float64(a)/points
		for b := range points {
			ls := -5 + 11*float64(b)/points
			t2, s2 := math.Exp(lt), math.Exp(ls)
			prec, lin, square, det := 0.0, 0.0, 0.0, 0.0
			for j, nj := range n {
				v := t2 + s2/nj
				y := sum[j] / nj
				prec += 1 / v
				lin += y / v
				square += y * y / v
				det += math.Log(v) + math.Log(nj)
			}
			if p.MuVariance > 0 {
				prec += 1 / p.MuVariance
			}
			k := float64(len(n))
			f := -p.Tau2Shape*lt - p.Tau2Rate/t2 - p.Sigma2Shape*ls - p.Sigma2Rate/s2 -
				(rows-k)/2*ls - within/(2*s2) - det/2 - math.Log(prec)/2 - (square-lin*lin/prec)/2
			mean, variance := []float64{lin / prec}, []float64{1 / prec}
			for j, nj := range n {
				shrink := s2 / (s2 + nj*t2) // weight of mu in zeta_j
				mean = append(mean, shrink*mean[0]+(1-shrink)*sum[j]/nj)
				variance = append(variance, t2*shrink+shrink*shrink*variance[0])
			}
			top = max(top, f)
			logs = append(logs, f)
			o.tau2, o.sigma2 = append(o.tau2, t2), append(o.sigma2, s2)
			o.mean, o.variance = append(o.mean, mean), append(o.variance, variance)
		}
	}
	total := 0.0
	for _, f := range logs {
		o.weight = append(o.weight, math.Exp(f-top))
		total += math.Exp(f - top)
	}
	for i := range o.weight {
		o.weight[i] /= total
	}
	return o
}

// moments returns mean and sd of a row of Draws.
func (o *exact) moments(row int) (mean, sd float64) {
	square := 0.0
	for i, w := range o.weight {
		var m, v float64
		switch row {
		case tau2Row:
			m = o.tau2[i]
		case sigma2Row:
			m = o.sigma2[i]
		case muRow:
			m, v = o.mean[i][0], o.variance[i][0]
		default:
			m, v = o.mean[i][1+row-zetaRow], o.variance[i][1+row-zetaRow]
		}
		mean += w * m
		square += w * (m*m + v)
	}
	return mean, math.Sqrt(square - mean*mean)
}

// logDensity returns that of a row of group j, -1 for a new one.
func (o *exact) logDensity(j int, y float64) float64 {
	sum := 0.0
	for i, w := range o.weight {
		m, v := o.mean[i][1+j], o.variance[i][1+j]+o.sigma2[i]
		if j < 0 {
			v += o.tau2[i]
		}
		sum += w * math.Exp(-(y-m)*(y-m)/(2*v)) / math.Sqrt(2*math.Pi*v)
	}
	return math.Log(sum)
}
