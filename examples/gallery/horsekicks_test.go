package main

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// kickReference integrates the model on a grid over level, trend and the sd
// between corps, and over each corps' effect by a sum of its own.
func kickReference(_ *testing.T, data *rows) map[string]reference {
	decades, deaths := data.number("decades"), data.number("deaths")
	total, trend := map[string]float64{}, 0.
	var years []float64
	for i, name := range data.text("corps") {
		total[name] += deaths[i]
		trend += deaths[i] * decades[i]
		if !slices.Contains(years, decades[i]) {
			years = append(years, decades[i])
		}
	}
	names := slices.Sorted(maps.Keys(total))
	var counts []float64 // those that some corps has
	for _, v := range total {
		if !slices.Contains(counts, v) {
			counts = append(counts, v)
		}
	}
	slices.Sort(counts) // a sum has one order
	levels, slopes, logs := even(-1, .2, 28), even(-.5, .9, 20), even(math.Log(.002), math.Log(3), 48)
	level, slope, spread := newGrid(levels), newGrid(slopes), newGrid(logs)
	effect := map[string]*grid{"VIII": newGrid(even(-3, 3, 300)), "XI": newGrid(even(-3, 3, 300))}
	for at, l := range logs {
		s := math.Exp(l)
		u := even(-min(3, 6*s), min(3, 6*s), 120) // resolves the prior
		for i, a := range levels {
			for j, b := range slopes {
				exposure := 0.
				for _, x := range years {
					exposure += math.Exp(b * x)
				}
				// Priors: N(0, 10000) for both is flat here; half-Cauchy(1) on s, in log s.
				whole := b*trend + math.Log(s/(1+s*s))
				each, sum := map[float64][]float64{}, map[float64]float64{}
				for _, n := range counts {
					w := make([]float64, len(u))
					for k, v := range u {
						w[k] = math.Exp(n*(a+v)-math.Exp(a+v)*exposure-v*v/2/s/s) / s * (u[1] - u[0])
						sum[n] += w[k]
					}
					each[n] = w
				}
				for _, name := range names {
					whole += math.Log(sum[total[name]])
				}
				p := math.Exp(whole + 260) // about its height at the top
				level.weight[i] += p
				slope.weight[j] += p
				spread.weight[at] += p
				for name, g := range effect {
					n := total[name]
					for k, v := range u {
						g.weight[int((v+3)/6*300)] += p * each[n][k] / sum[n]
					}
				}
			}
		}
	}
	mean := 0.
	for _, v := range total {
		mean += v / float64(len(total))
	}
	chi2 := 0.
	for _, v := range total {
		chi2 += (v - mean) * (v - mean) / mean
	}
	return map[string]reference{
		"deaths of a typical corps a year, 1884/85":               level.reference(.06, math.Exp),
		"times as many ten years later":                           slope.reference(.06, math.Exp),
		"sd between corps, log scale":                             spread.reference(.06, math.Exp),
		"corps VIII, times the typical rate":                      effect["VIII"].reference(.06, math.Exp),
		"corps XI, times the typical rate":                        effect["XI"].reference(.06, math.Exp),
		"chi-squared of the corps' totals, 13 degrees of freedom": {median: chi2, share: 1e-9},
	}
}
