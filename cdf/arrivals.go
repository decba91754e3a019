package cdf

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/tails"
)

// Arriving is a Predictor with groups. The rows of a group share, in the shard that brings
// it, the error of a level that nothing is known of, so that their transforms are uniform
// and not independent.
type Arriving interface {
	// AppendArrivals appends the groups of every factor.
	AppendArrivals(dst []Arrivals) []Arrivals
}

// Arrivals are groups with their rows, as far as a state knows them: not in which shards
// they came.
type Arrivals struct {
	Groups  int
	Rows    float64 // of all groups, discounted
	Squares float64 // sum of the squares of their rows
	// Shared is the part of the predictive variance of a row of a new group, in [0, 1], that
	// the rows of the group share.
	Shared float64
}

// uneven is how much larger the mean square of the rows with which groups come may be than
// the square of the mean number of rows of a shard: 2 where these are exponential.
const uneven = 2

// together returns the greatest likely number of other rows of its own new group that a
// row was scored with, in the mean over all rows of a state, whose shards have as many
// rows as given. All rows of a group may have come with it, but no more than a shard has.
func (a *Arrivals) together(shard float64) float64 {
	if !(a.Rows > 0 && a.Shared > 0) {
		return 0
	}
	return max(min(a.Squares/a.Rows-1, uneven*float64(a.Groups)*shard*shard/a.Rows), 0)
}

// judge tells whether probabilities do not come true, or the transforms are not uniform. What rows that share the error of a
// level may do by chance is nobody's fault.
func (f *Filter) judge() fit {
	a := &f.now.account
	if r := a.reliability; r != nil && r.Unreliable() {
		return misfit
	}
	least := departure
	if m := f.engine.lawDecides; m != nil && m.LawDecides() {
		least = departureOfLaw
	}
	verdict := a.judge(least)
	if verdict == unsuspected || f.engine.arriving == nil {
		return verdict
	}
	f.ws.arrivals = f.engine.arriving.AppendArrivals(f.ws.arrivals[:0])
	deviation, total := a.deviation()
	if !(statistic(f.ws.arrivals, float64(f.now.n)/float64(f.now.t), &deviation, total) > unlikely) {
		return unsuspected
	}
	return verdict
}

// tailClasses are those of transforms.
var tailClasses = newTailClasses()

func newTailClasses() *tails.Classes {
	var edges [pitClasses - 1]float64
	at := 0
	for i := range edges {
		at += pitWidths[i]
		edges[i] = float64(at) / PITBins
	}
	return tails.New(edges)
}

// shape tells whether measurements have heavier tails than their predictions, and whether their errors are skewed. Transforms of rows that share
// the error of a level are not independent: there it takes a misfit. Counts and classes have laws whose shapes are theirs. Where the tails beyond
// 95 % are half empty predictions were too wide, if not always as much.
func (f *Filter) shape(verdict fit) (heavy, skewed bool) {
	a := &f.now.account
	if f.spec.RawResponse || f.engine.arriving != nil && verdict != misfit {
		return false, false
	}
	if heavy, skewed = tailClasses.Judge(&a.pit); heavy || skewed {
		_, total := a.deviation()
		fits := !a.wide(total)
		heavy, skewed = heavy && fits, skewed && fits
	}
	return heavy, skewed
}

// scoreAt returns the normal score of a transform and the density there, both 0 where that is 0 or 1.
func scoreAt(p float64) (q, density float64) {
	if p <= 0 || p >= 1 {
		return 0, 0
	}
	q = normal.Quantile(p)
	return q, math.Exp(-q*q/2) / math.Sqrt(2*math.Pi)
}

// sharedTerms is how many Hermite polynomials the covariance of classes has.
const sharedTerms = 12

// sharedLoadings are the coefficients of the classes' indicators in the orthonormal
// Hermite polynomials of order 1, 2, ... of the normal score of a transform.
var sharedLoadings = newSharedLoadings()

func newSharedLoadings() (a [sharedTerms][pitClasses]float64) {
	// The integral of phi He_j from q is phi(q) He_(j-1)(q).
	tail := func(p float64) (t [sharedTerms]float64) {
		q, density := scoreAt(p)
		before, now, root := 0., 1., 1.
		for j := range t {
			root *= math.Sqrt(float64(j + 1))
			t[j] = density * now / root
			before, now = now, q*now-float64(j)*before
		}
		return t
	}
	at, from := 0, tail(0)
	for k, width := range pitWidths {
		at += width
		to := tail(float64(at) / PITBins)
		for j := range a {
			a[j][k] = from[j] - to[j]
		}
		from = to
	}
	return a
}

// statistic returns that of the deviations from the expected numbers of rows in the
// classes, of total rows in all, that came in shards of as many rows: Pearson's where they
// share nothing. The covariance of the indicators of two rows whose normal scores have the
// correlation r is the sum over j of r^j a_j a_j' (Mehler's formula).
func statistic(groups []Arrivals, shard float64, deviation *[pitClasses]float64, total float64) float64 {
	// The inverse of the covariance, one term at a time (Sherman and Morrison).
	var inverse [pitClasses][pitClasses]float64
	for k, width := range pitWidths {
		inverse[k][k] = PITBins / (total * float64(width))
	}
	for j := range sharedLoadings {
		weight, a := 0., &sharedLoadings[j]
		for i := range groups {
			g := &groups[i]
			weight += float64(total * g.together(shard) * math.Pow(g.Shared, float64(j+1)))
		}
		if !(weight > 0) {
			break
		}
		var v [pitClasses]float64
		scale := 1 / weight
		for k := range v {
			for l, load := range a {
				v[k] += float64(inverse[k][l] * load)
			}
			scale += float64(v[k] * a[k])
		}
		for k := range v {
			for l := range v {
				inverse[k][l] -= float64(v[k] * v[l] / scale)
			}
		}
	}
	sum := 0.
	for k, d := range deviation {
		for l, e := range deviation {
			sum += float64(d * e * inverse[k][l])
		}
	}
	return sum
}
