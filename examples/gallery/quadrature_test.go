package main

import (
	"math"
	"sort"
)

// mixture is a mixture of normal laws, by which the references integrate over
// what else is not known.
type mixture struct{ weight, mean, sd []float64 }

func (m *mixture) add(weight, mean, sd float64) {
	m.weight, m.mean, m.sd = append(m.weight, weight), append(m.mean, mean), append(m.sd, sd)
}

// quantile bisects the distribution function.
func (m *mixture) quantile(p float64) float64 {
	total, lo, hi := 0., math.Inf(1), math.Inf(-1)
	for i, w := range m.weight {
		total += w
		lo, hi = min(lo, m.mean[i]-10*m.sd[i]), max(hi, m.mean[i]+10*m.sd[i])
	}
	for range 60 {
		mid, below := (lo+hi)/2, 0.
		for i, w := range m.weight {
			below += w * phi((mid-m.mean[i])/m.sd[i])
		}
		if below < p*total {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// reference returns median and bounds, seen through an increasing function.
func (m *mixture) reference(share float64, through func(float64) float64) reference {
	return reference{through(m.quantile(.5)), through(m.quantile(.025)), through(m.quantile(.975)), share}
}

// grid is a law on evenly spaced nodes, as a histogram about them.
type grid struct{ at, weight []float64 }

func newGrid(at []float64) *grid { return &grid{at, make([]float64, len(at))} }

func (g *grid) quantile(p float64) float64 {
	sums := make([]float64, len(g.weight)+1)
	for i, w := range g.weight {
		sums[i+1] = sums[i] + w
	}
	want, half := p*sums[len(sums)-1], (g.at[1]-g.at[0])/2
	i := sort.SearchFloat64s(sums, want) - 1
	i = max(i, 0)
	return g.at[i] - half + 2*half*(want-sums[i])/g.weight[i]
}

func (g *grid) reference(share float64, through func(float64) float64) reference {
	return reference{through(g.quantile(.5)), through(g.quantile(.025)), through(g.quantile(.975)), share}
}

// even returns n nodes in the middles of n equal parts of an interval.
func even(lo, hi float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = lo + (hi-lo)*(float64(i)+.5)/float64(n)
	}
	return out
}

// moments returns mean and sd (divisor n-1) of values, by which a model scales.
func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// inverseGamma is the log density of IG(shape, rate) at exp(l), as a density of
// l, up to a constant.
func inverseGamma(l, shape, rate float64) float64 { return -shape*l - rate*math.Exp(-l) }
