package mcmc

import (
	"math"
	"slices"
)

// plain are the diagnostics by their definitions, each sum on its own and in the
// order of the draws. What is fast has to give the same bits.
type plain struct{}

func (plain) halves(x []float64, chains int) (split []float64, parts int) {
	n := len(x) / chains
	if n < 2 {
		return x, chains
	}
	for c := range chains {
		chain := x[c*n : (c+1)*n]
		split = append(append(split, chain[:n/2]...), chain[n-n/2:]...)
	}
	return split, 2 * chains
}

func (plain) rhat(x []float64, chains int) float64 {
	if constant(x) {
		return math.NaN()
	}
	n := len(x) / chains
	var within, mean, between float64
	for c := range chains {
		m, v := Moments(x[c*n : (c+1)*n])
		within += v / float64(chains)
		delta := m - mean
		mean += delta / float64(c+1)
		between += delta * (m - mean)
	}
	between *= float64(n) / float64(chains-1)
	return math.Sqrt((between/within + float64(n) - 1) / float64(n))
}

func (plain) ess(x []float64, chains int) float64 {
	n := len(x) / chains
	if n < 3 || constant(x) {
		return math.NaN()
	}
	centred := slices.Clone(x)
	var mean, squares float64
	for c := range chains {
		chain := centred[c*n : (c+1)*n]
		m, _ := Moments(chain)
		for i := range chain {
			chain[i] -= m
		}
		delta := m - mean
		mean += delta / float64(c+1)
		squares += delta * (m - mean)
	}
	auto := func(lag int) float64 {
		total := 0.
		for c := range chains {
			chain, sum := centred[c*n:(c+1)*n], 0.
			for i, v := range chain[lag:] {
				sum += v * chain[i]
			}
			total += sum
		}
		return total * (1 / (float64(n) * float64(chains)))
	}
	variance := auto(0)
	meanVar := variance * float64(n) / (float64(n) - 1)
	varPlus := variance
	if chains > 1 {
		varPlus += squares / float64(chains-1)
	}
	at := func(lag int) float64 { return 1 - (meanVar-auto(lag))/varPlus }
	rho := make([]float64, n)
	even, odd, last := 1., at(1), 0
	rho[0], rho[1] = even, odd
	for last < n-5 && even+odd > 0 {
		last += 2
		if even, odd = at(last), at(last+1); even+odd >= 0 {
			rho[last], rho[last+1] = even, odd
		}
	}
	if even > 0 {
		rho[last] = even
	}
	for t := 2; t <= last-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	sum := 0.
	for _, r := range rho[:max(last, 1)] {
		sum += r
	}
	total := float64(n * chains)
	return total / max(-1+2*sum+rho[last], 1/math.Log10(total))
}

// scored are the normal scores of the ranks: a rank is the number of draws below,
// half of those that are equal, and a half.
func (plain) scored(x []float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		rank := .5
		for _, u := range x {
			if u < v {
				rank++
			} else if u == v {
				rank += .5
			}
		}
		z[i] = math.Sqrt2 * math.Erfinv(2*(rank-.375)/(float64(len(x))+.25)-1)
	}
	return z
}

// diagnosed returns R-hat, the bulk, tail and mean's effective sample sizes.
func (p plain) diagnosed(x []float64, chains int) (d [4]float64) {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	split, parts := p.halves(x, chains)
	folded, _ := p.halves(mapped(x, func(v float64) float64 { return math.Abs(v - Quantile(sorted, .5)) }), chains)
	bulk, tail := p.scored(split), p.scored(folded)
	if d[0] = max(p.rhat(bulk, parts), p.rhat(tail, parts)); math.IsNaN(p.rhat(tail, parts)) {
		d[0] = math.NaN()
	}
	d[1], d[2], d[3] = p.ess(bulk, parts), math.Inf(1), p.ess(split, parts)
	for _, level := range [...]float64{.05, .95} {
		q := Quantile(sorted, level)
		below, _ := p.halves(mapped(x, func(v float64) float64 {
			if v <= q {
				return 1
			}
			return 0
		}), chains)
		if e := p.ess(below, parts); !(e >= d[2]) {
			d[2] = e
		}
		if math.IsNaN(d[2]) || constant(x) {
			d[2] = math.NaN()
			break
		}
	}
	return d
}

func mapped(x []float64, f func(float64) float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}
