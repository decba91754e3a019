package mcmc

import (
	"cmp"
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

// place is a draw and where it stands among the split draws.
type place struct {
	v float64
	i int
}

// Rank sorts the draws of so many chains, which must not change while the
// result is in use.
func (d *Diagnostics) Rank(x []float64, chains int) Ranked {
	r := Ranked{d: d, x: x, chains: chains, finite: finite(x)}
	d.sorted = d.sorted[:0]
	if !r.finite {
		d.sorted = append(d.sorted, x...)
		slices.Sort(d.sorted)
		return r
	}
	split, _ := d.halves(x, chains)
	d.order = slices.Grow(d.order[:0], len(split))[:len(split)]
	for i, v := range split {
		d.order[i] = place{v, i}
	}
	slices.SortFunc(d.order, func(a, b place) int { return cmp.Compare(a.v, b.v) })
	if len(split) < len(x) { // chains of odd length leave a draw out
		d.sorted = append(d.sorted, x...)
		slices.Sort(d.sorted)
		return r
	}
	for _, p := range d.order {
		d.sorted = append(d.sorted, p.v)
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
	parts := r.parts()
	bulk := rhat(d.normal(d.order), parts)
	tail := rhat(d.normal(d.foldAt(Quantile(d.sorted, .5))), parts)
	if math.IsNaN(bulk) || math.IsNaN(tail) {
		return math.NaN()
	}
	return max(bulk, tail)
}

// ESSBulk is that of Diagnostics.
func (r Ranked) ESSBulk() float64 {
	if !r.finite {
		return math.NaN()
	}
	return r.d.ess(r.d.normal(r.d.order), r.parts())
}

// ESSTail is that of Diagnostics.
func (r Ranked) ESSTail() float64 {
	d := r.d
	if constant(r.x) {
		return math.NaN()
	}
	least := math.Inf(1)
	for _, q := range [...]float64{Quantile(d.sorted, .05), Quantile(d.sorted, .95)} {
		d.fold = d.fold[:0]
		for _, v := range r.x {
			below := 0.
			if v <= q {
				below = 1
			}
			d.fold = append(d.fold, below)
		}
		split, parts := d.halves(d.fold, r.chains)
		e := d.ess(split, parts)
		if math.IsNaN(e) {
			return e
		}
		least = min(least, e)
	}
	return least
}

// parts is how many chains halves makes.
func (r Ranked) parts() int {
	if len(r.x)/r.chains < 2 {
		return r.chains
	}
	return 2 * r.chains
}

// foldAt returns the split draws' distances from the median, ascending: those
// below it and those above are in order already.
func (d *Diagnostics) foldAt(median float64) []place {
	d.folded = d.folded[:0]
	above, _ := slices.BinarySearchFunc(d.order, median, func(p place, m float64) int { return cmp.Compare(p.v, m) })
	below := above - 1
	for below >= 0 || above < len(d.order) {
		var p place
		if above == len(d.order) || below >= 0 && median-d.order[below].v < d.order[above].v-median {
			p = d.order[below]
			below--
		} else {
			p = d.order[above]
			above++
		}
		p.v = math.Abs(p.v - median)
		d.folded = append(d.folded, p)
	}
	return d.folded
}

// normal returns the normal scores of the fractional ranks, ties averaged, of
// draws in ascending order, each at its place.
func (d *Diagnostics) normal(order []place) []float64 {
	s := len(order)
	score := func(rank float64) float64 {
		return math.Sqrt2 * math.Erfinv(2*(rank-.375)/(float64(s)+.25)-1)
	}
	if len(d.scores) != s {
		d.scores = d.scores[:0]
		for i := range s {
			d.scores = append(d.scores, score(float64(i+1)))
		}
	}
	d.z = slices.Grow(d.z[:0], s)[:s]
	for lo := 0; lo < s; {
		hi := lo + 1
		for hi < s && order[hi].v == order[lo].v {
			hi++
		}
		z := d.scores[lo]
		if hi > lo+1 {
			z = score(float64(lo+1+hi) / 2)
		}
		for _, p := range order[lo:hi] {
			d.z[p.i] = z
		}
		lo = hi
	}
	return d.z
}
