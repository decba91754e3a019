package mcmc

import (
	"math"
	"slices"
)

// Ranked are draws that were sorted once for all that is told of their order:
// quantiles, R-hat and effective sample sizes. It is valid until the next call
// of a method of its Diagnostics that is given draws.
type Ranked struct {
	d      *Diagnostics
	x      []float64
	chains int
	finite bool
}

// scores are the normal scores of draws by their ranks.
type scores struct {
	ready, constant bool
	z               []float64
	moments         // of the parts
}

// Rank sorts the draws of so many chains, which must not change while the
// result is in use.
func (d *Diagnostics) Rank(x []float64, chains int) Ranked {
	r := Ranked{d: d, x: x, chains: chains, finite: finite(x)}
	d.sorted, d.bulk.ready = d.sorted[:0], false
	if !r.finite {
		d.sorted = append(d.sorted, x...)
		slices.Sort(d.sorted)
		return r
	}
	split, _ := d.halves(x, chains)
	d.arrange(split)
	d.sorted = slices.Grow(d.sorted, len(x))[:len(d.order)]
	for i := range d.order {
		d.sorted[i] = d.order[i].v
	}
	if n := len(x) / chains; len(split) < len(x) { // chains of odd length leave a draw out
		for c := range chains {
			v := x[c*n+n/2]
			at, _ := slices.BinarySearch(d.sorted, v)
			d.sorted = slices.Insert(d.sorted, at, v)
		}
	}
	return r
}

// Sorted returns the draws, ascending.
func (r Ranked) Sorted() []float64 { return r.d.sorted }

// RHat is that of Diagnostics.
func (r Ranked) RHat() float64 {
	if !r.finite {
		return math.NaN()
	}
	d := r.d
	bulk, tail := r.scored(), &d.fold
	d.foldAt(Quantile(d.sorted, .5))
	d.score(tail, d.folded, r.parts())
	if bulk.constant || tail.constant {
		return math.NaN()
	}
	n := len(d.order) / r.parts()
	a, b := rhat(&bulk.moments, n), rhat(&tail.moments, n)
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return max(a, b)
}

// ESSBulk is that of Diagnostics.
func (r Ranked) ESSBulk() float64 {
	if !r.finite {
		return math.NaN()
	}
	s := r.scored()
	if s.constant || len(s.z)/len(s.mean) < 3 {
		return math.NaN()
	}
	return r.d.essAbout(s.z, s.mean)
}

// ESSTail is that of Diagnostics.
func (r Ranked) ESSTail() float64 {
	d := r.d
	if !r.finite || d.sorted[len(d.sorted)-1]-d.sorted[0] < 0x1p-52 {
		return math.NaN()
	}
	least := math.Inf(1)
	for _, q := range [...]float64{Quantile(d.sorted, .05), Quantile(d.sorted, .95)} {
		e := d.essBelow(q, r.parts())
		if math.IsNaN(e) {
			return e
		}
		least = min(least, e)
	}
	return least
}

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile: half the
// distance of the quantiles whose levels are a standard error of p to either side.
// Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, 2021, section 4.4, with a
// normal law of the level in place of the beta.
func (r Ranked) MCSEQuantile(p float64) float64 {
	d := r.d
	if !r.finite || d.sorted[len(d.sorted)-1]-d.sorted[0] < 0x1p-52 {
		return math.NaN()
	}
	n := d.essBelow(Quantile(d.sorted, p), r.parts())
	s := math.Sqrt(p * (1 - p) / n)
	if math.IsNaN(s) {
		return s
	}
	return (Quantile(d.sorted, min(p+s, 1)) - Quantile(d.sorted, max(p-s, 0))) / 2
}

// essBelow is ess of what tells whether the split draws are at most q: 1 or 0. Of
// these a table has the distances from the mean.
func (d *Diagnostics) essBelow(q float64, parts int) float64 {
	n, all := len(d.order)/parts, 0
	if n < 3 {
		return math.NaN()
	}
	x := d.split
	d.side, d.centred = slices.Grow(d.side[:0], len(x))[:len(x)], slices.Grow(d.centred[:0], len(x))[:len(x)]
	d.parts.mean = slices.Grow(d.parts.mean[:0], parts)[:parts]
	for c := range parts {
		below := 0
		side := d.side[c*n : (c+1)*n]
		for i, v := range x[c*n : (c+1)*n] {
			is := 0
			if v <= q {
				is = 1
			}
			side[i] = uint8(is)
			below += is
		}
		all += below
		d.parts.mean[c] = float64(below) / float64(n)
	}
	for c := 0; c < parts; c += 2 { // two in step, see autocovariances
		e := min(c+1, parts-1)
		d.distances(c, e, n)
	}
	if all == 0 || all == len(x) {
		return math.NaN()
	}
	return d.geyer(d.parts.mean)
}

// distances finds those from the mean of two chains of sides, whose means come without
// what rounding left of them.
func (d *Diagnostics) distances(c, e, n int) {
	a, b := d.side[c*n:(c+1)*n], d.side[e*n:(e+1)*n]
	b = b[:len(a)]
	aMean, bMean := d.parts.mean[c], d.parts.mean[e]
	aFrom, bFrom := [2]float64{-aMean, 1 - aMean}, [2]float64{-bMean, 1 - bMean}
	aRest, bRest := 0.0, 0.0
	for i, s := range a {
		aRest += aFrom[s&1]
		bRest += bFrom[b[i]&1]
	}
	aMean += aRest / float64(n)
	bMean += bRest / float64(n)
	d.parts.mean[c], d.parts.mean[e] = aMean, bMean
	aFrom, bFrom = [2]float64{-aMean, 1 - aMean}, [2]float64{-bMean, 1 - bMean}
	aTo, bTo := d.centred[c*n:(c+1)*n], d.centred[e*n:(e+1)*n]
	for i, s := range a {
		aTo[i] = aFrom[s&1]
		bTo[i] = bFrom[b[i]&1]
	}
}

// parts is how many chains halves makes.
func (r Ranked) parts() int {
	if len(r.x)/r.chains < 2 {
		return r.chains
	}
	return 2 * r.chains
}

// scored returns the normal scores of the draws.
func (r Ranked) scored() *scores {
	s := &r.d.bulk
	if !s.ready {
		r.d.score(s, r.d.order, r.parts())
		s.ready = true
	}
	return s
}

// foldAt makes folded of order, the split draws' distances from the median: those
// below it and those above are in order already. Which of two comes next nobody
// can foresee: it is not asked by a branch. The nearest and the farthest are found in
// step, from both ends: each waits for those before it.
func (d *Diagnostics) foldAt(median float64) {
	order := d.order
	folded := slices.Grow(d.folded[:0], len(order))[:len(order)]
	d.folded = folded
	above, _ := slices.BinarySearchFunc(order, median, func(p place, m float64) int {
		if p.v < m {
			return -1
		}
		return 1
	})
	// Left are the draws from lowest to below and from above to highest.
	lowest, below, highest := 0, above-1, len(order)-1
	at, end := 0, len(order)
	put := func(at int, p place) { folded[at] = place{math.Abs(p.v - median), p.i} }
	for below >= lowest && above <= highest {
		step := 0
		if median-order[below].v < order[above].v-median {
			step = 1
		}
		put(at, order[above+step*(below-above)])
		below -= step
		above += 1 - step
		at++
		if below < lowest || above > highest {
			break
		}
		step = 1 // of draws as far that below the median is last
		if median-order[lowest].v < order[highest].v-median {
			step = 0
		}
		end--
		put(end, order[highest+step*(lowest-highest)])
		lowest += step
		highest -= 1 - step
	}
	for ; below >= lowest; below-- {
		put(at, order[below])
		at++
	}
	for ; above <= highest; above++ {
		put(at, order[above])
		at++
	}
}

// score finds the normal scores of the fractional ranks, ties averaged, of
// draws in ascending order, each at its place.
func (d *Diagnostics) score(of *scores, order []place, parts int) {
	s := len(order)
	score := func(rank float64) float64 {
		return math.Sqrt2 * math.Erfinv(2*(rank-.375)/(float64(s)+.25)-1)
	}
	if len(d.table) != s {
		d.table = d.table[:0]
		for i := range s {
			d.table = append(d.table, score(float64(i+1)))
		}
	}
	z, table := slices.Grow(of.z[:0], s)[:s], d.table
	of.z = z
	for lo := 0; lo < s; {
		first, hi := order[lo], lo+1
		if hi == s || order[hi].v != first.v {
			z[first.i] = table[lo]
			lo = hi
			continue
		}
		for hi < s && order[hi].v == first.v {
			hi++
		}
		tied := score(float64(lo+1+hi) / 2)
		for _, p := range order[lo:hi] {
			z[p.i] = tied
		}
		lo = hi
	}
	of.constant = order[0].v == order[s-1].v
	of.of(of.z, parts)
}
