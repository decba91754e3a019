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

// Rank sorts the draws of so many chains, which must not change while the
// result is in use.
func (d *Diagnostics) Rank(x []float64, chains int) Ranked {
	r := Ranked{d: d, x: x, chains: chains, finite: finite(x)}
	if !r.finite {
		d.sorted = append(d.sorted[:0], x...)
		slices.Sort(d.sorted)
		return r
	}
	split, _ := d.halves(x, chains)
	if !d.rankByNetwork(split) {
		d.arrange(split)
	}
	d.sorted = append(d.sorted[:0], d.ranks.v...)
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

// Verdict is what is told of the order of draws.
type Verdict struct{ RHat, ESSBulk, ESSTail float64 }

// Judge is RHat, ESSBulk and ESSTail, together in a third less of the time.
func (r Ranked) Judge() Verdict { return r.judge(true, true, true) }

// RHat is that of Diagnostics.
func (r Ranked) RHat() float64 { return r.judge(true, false, false).RHat }

// ESSBulk is that of Diagnostics.
func (r Ranked) ESSBulk() float64 { return r.judge(false, true, false).ESSBulk }

// ESSTail is that of Diagnostics.
func (r Ranked) ESSTail() float64 { return r.judge(false, false, true).ESSTail }

// judge finds what is asked for, of series that lie beside each other: the sides of the
// draws at two quantiles, their normal scores, and those of their distances from the median.
func (r Ranked) judge(rhat, bulk, tail bool) Verdict {
	v := Verdict{math.NaN(), math.NaN(), math.NaN()}
	d := r.d
	if !r.finite || d.ranks.constant() {
		return v
	}
	parts := r.parts()
	n := len(d.ranks.v) / parts
	if rhat {
		median := Quantile(d.sorted, .5)
		if !d.foldByNetwork(median) {
			d.foldAt(median)
		}
		rhat = !d.folded.constant()
	}
	bulk, tail = bulk && n >= 3, tail && n >= 3 && !r.narrow()
	scores, distances, lagged := 0, 1, 0
	if tail {
		scores, distances, lagged = 2, 3, 2
	}
	if bulk {
		lagged = scores + 1
	}
	series := lagged
	if rhat {
		series = distances + 1
	}
	if series == 0 {
		return v
	}
	c := &d.columns
	c.shape(series, parts, n)
	known := true
	if tail {
		known = d.sides(.05, .95)
	}
	if rhat || bulk {
		d.score(scores, &d.ranks)
	}
	if rhat {
		d.score(distances, &d.folded)
	}
	c.moments()
	c.lag(lagged)
	if bulk {
		v.ESSBulk = d.ess(scores)
	}
	if tail && known {
		v.ESSTail = min(d.ess(0), d.ess(1)) // NaN where one is
	}
	if rhat {
		v.RHat = max(d.rhat(scores), d.rhat(distances))
	}
	return v
}

// narrow reports draws of which the tails cannot be told apart.
func (r Ranked) narrow() bool {
	sorted := r.d.sorted
	return sorted[len(sorted)-1]-sorted[0] < 0x1p-52
}

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile: half the
// distance of the quantiles whose levels are a standard error of p to either side.
// Source: Vehtari, Gelman, Simpson, Carpenter and Buerkner, 2021, section 4.4, with a
// normal law of the level in place of the beta.
func (r Ranked) MCSEQuantile(p float64) float64 {
	d := r.d
	parts := r.parts()
	if !r.finite || len(d.ranks.v)/parts < 3 || r.narrow() {
		return math.NaN()
	}
	d.columns.shape(1, parts, len(d.ranks.v)/parts)
	if !d.sides(p) {
		return math.NaN()
	}
	d.columns.moments()
	d.columns.lag(1)
	s := math.Sqrt(p * (1 - p) / d.ess(0))
	if math.IsNaN(s) {
		return s
	}
	return (Quantile(d.sorted, min(p+s, 1)) - Quantile(d.sorted, max(p-s, 0))) / 2
}

// sides makes the first series of what tells whether the split draws are at most a quantile: 1 or 0, one
// for each p. It reports whether some are and some are not, at all of them.
func (d *Diagnostics) sides(levels ...float64) bool {
	v, at, c := d.ranks.v, d.ranks.at, &d.columns
	var most [2]float64 // what most of a series are
	for series, p := range levels {
		if p > .5 {
			most[series] = 1
		}
	}
	c.fill(most[:len(levels)]...)
	for series, p := range levels {
		q := Quantile(d.sorted, p)
		above := int(p * float64(len(v)-1)) // or near it
		for above < len(v) && v[above] <= q {
			above++
		}
		for above > 0 && v[above-1] > q {
			above--
		}
		if above == 0 || above == len(v) {
			return false
		}
		to, few, is := c.of(series), at[:above], 1.0
		if most[series] == 1 {
			few, is = at[above:], 0
		}
		for _, i := range few {
			to[c.at[i]] = is
		}
	}
	return true
}

// parts is how many chains halves makes.
func (r Ranked) parts() int {
	if len(r.x)/r.chains < 2 {
		return r.chains
	}
	return 2 * r.chains
}

// score makes a series of the normal scores of the fractional ranks, ties averaged.
func (d *Diagnostics) score(series int, ranks *ranking) {
	s := len(ranks.at)
	if len(d.table) != s {
		d.table, d.tied = d.table[:0], d.tied[:0]
		for i := range s {
			d.table, d.tied = append(d.table, normalScore(float64(i+1), s)), append(d.tied, math.NaN())
		}
	}
	c := &d.columns
	to, at, table := c.of(series), c.at, d.table[:s]
	for rank, i := range ranks.at {
		to[at[i]] = table[rank]
	}
	for ties := ranks.ties; len(ties) > 0; {
		lo, hi := int(ties[0])-1, int(ties[0])
		for ties = ties[1:]; len(ties) > 0 && int(ties[0]) == hi+1; ties = ties[1:] {
			hi++
		}
		tied := d.between(lo, hi)
		for _, i := range ranks.at[lo : hi+1] {
			to[at[i]] = tied
		}
	}
}

// between is the score of the mean of the ranks of two draws: that of one, or one that lies
// between two.
func (d *Diagnostics) between(lo, hi int) float64 {
	if (lo+hi)%2 == 0 {
		return d.table[(lo+hi)/2]
	}
	known := &d.tied[(lo+hi)/2]
	if math.IsNaN(*known) {
		*known = normalScore(float64(lo+hi+2)/2, len(d.table))
	}
	return *known
}

// normalScore is that of a rank among s.
func normalScore(rank float64, s int) float64 {
	return math.Sqrt2 * math.Erfinv(2*(rank-.375)/(float64(s)+.25)-1)
}
