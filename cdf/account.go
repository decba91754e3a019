package cdf

import (
	"encoding/binary"
	"math"
)

// account is what a key remembers of how well its shards were predicted: some 64
// bytes.
//
// If the model is right the transforms of a shard's rows are uniform whatever came
// before. But rows of one shard share the error of the state that predicted
// them: a large shard behind few rows counts for fewer than it has.
type account struct {
	pit [pitClasses]float32 // rows by transform, weighted, of about the last recalled

	// Of the mean log density of shards: a moving average, the mean square
	// deviation from it times rows, and a one-sided cumulative sum (Page 1954)
	// of how many standard deviations shards are below it.
	mean, spread, fallen float32
	shards               int32 // scored, up to settled

	wild float32 // rows beyond the tails, fading
	// What is told of them: it decides nothing.
	outliers Outliers
}

// The classes of transforms: the two tails that an interval of 95 % leaves out
// and eight between, so many of the forty bins each.
const pitClasses = 10

var pitWidths = [pitClasses]int{1, 4, 5, 5, 5, 5, 5, 5, 4, 1}

const (
	// recalled is about how many rows the account of transforms holds: more fade.
	recalled = 20_000
	// leastRows is how many it needs to be judged.
	leastRows = 50
	// shared is the part of a row's uncertainty that the rows of its shard share,
	// times the rows that the state had: that of a mean and that of a scale.
	shared = 2

	// The statistic is Pearson's, with 9 degrees of freedom: unlikely is its
	// quantile of 1 - 1e-4. What is unlikely but small is left alone: an sd that
	// is off by a seventh departs by .03.
	unlikely  = 33.72
	departure = .03
	// halfEmpty is half the share that the two tails should have: an sd that is a seventh
	// too large leaves as much.
	halfEmpty = .025
	// leastWide is how many rows it takes to call intervals too wide: as many as wild ones
	// are told of, which make them so.
	leastWide = wildMemory

	settled   = 50 // shards of the moving average
	unsettled = 10 // shards before the first alarm
	slack     = .5 // sds that a shard may fall below the mean for nothing
	furthest  = 3  // sds that count of a shard, so that one is no alarm
	alarm     = 8. // of the cumulative sum

	boundless = 1e9 // of densities, so that no number here overflows

	wildTail = 1e-6 // of the predictive distribution, on each side
	// A row beyond it is remembered for as many rows.
	wildMemory = 250
)

// add takes the score of shard t, in original units, that a state of neff rows
// predicted, with the log density that it expected, the transforms of the rows and the number of
// wild ones.
func (a *account) add(t int64, s *Score, expected float64, pit *Transforms, wild uint32, neff float64) {
	if s.Rows == 0 {
		return
	}
	n := float64(s.Rows)
	a.wild = float32(float64(a.wild)*math.Exp(-n/wildMemory) + float64(wild))
	if wild > 0 {
		a.outliers = Outliers{Rows: a.outliers.Rows + int64(wild), T: t}
	}
	if *pit != (Transforms{}) {
		a.addTransforms(pit, RowWeight(s.Rows, neff))
	}
	if !math.IsNaN(s.LogDensity) {
		a.addDensity(s.LogDensity, expected, n)
	}
}

// RowWeight is what a row counts for where predictions are judged, one of n that were
// predicted together by a state of as many discounted rows: they share its error.
func RowWeight(n int64, neff float64) float64 {
	return 1 / (1 + float64(n-1)*shared/(neff+shared))
}

func (a *account) addTransforms(pit *Transforms, weight float64) {
	bin, total := 0, 0.0
	for k, width := range pitWidths {
		var rows uint32
		for range width {
			rows += pit[bin]
			bin++
		}
		a.pit[k] += float32(weight * float64(rows))
		total += float64(a.pit[k])
	}
	if total > recalled {
		for k := range a.pit {
			a.pit[k] *= float32(recalled / total)
		}
	}
}

// addDensity moves the average and the cumulative sum. Deviations are cut off,
// in both directions, so that a wild shard changes neither for long. Rows that are harder to
// predict, as the model itself expects, are none that it predicts worse: a shard has fallen
// by what it is below both the average and its own expectation.
func (a *account) addDensity(density, expected, rows float64) {
	density = min(max(density, -boundless), boundless)
	deviation := (density - float64(a.mean)) * math.Sqrt(rows)
	sd := math.Sqrt(float64(a.spread))
	if a.shards >= unsettled && sd > 0 {
		fallen := -deviation
		if expected < float64(a.mean) {
			fallen = (expected - density) * math.Sqrt(rows)
		}
		a.fallen = float32(min(max(float64(a.fallen)+min(fallen/sd, furthest)-slack, 0), 1.5*alarm))
		deviation = min(max(deviation, -4*sd), 4*sd)
	}
	a.shards = min(a.shards+1, settled)
	rate := 1 / float64(a.shards)
	a.mean += float32(rate * deviation / math.Sqrt(rows))
	if a.shards > 1 {
		a.spread += float32(rate * (float64(deviation*deviation) - float64(a.spread)))
	}
}

// fit is what the transforms say of the predictions.
type fit int

const (
	unsuspected fit = iota
	misfit          // too sure, lopsided, of another shape
	tooWide
)

// judge tells whether the transforms are not uniform: by more than chance allows, and by
// enough to matter. Where the tails are half empty intervals hold more than they say: that
// is no harm while rows are few, and the prior is wider than what they show.
func (a *account) judge() fit {
	deviation, total := a.deviation()
	wide := float64(a.pit[0]+a.pit[pitClasses-1]) < halfEmpty*total
	if total < leastRows || wide && total < leastWide {
		return unsuspected
	}
	pearson := 0.0
	for k, d := range deviation {
		pearson += float64(d*d) / (total * float64(pitWidths[k]) / PITBins)
	}
	switch {
	case !(pearson > max(unlikely, pitClasses-1+float64(departure*total))):
		return unsuspected
	case wide:
		return tooWide
	}
	return misfit
}

// deviation returns by how much the rows in the classes exceed what they should be, and all
// rows.
func (a *account) deviation() (d [pitClasses]float64, total float64) {
	for _, v := range a.pit {
		total += float64(v)
	}
	for k, v := range a.pit {
		d[k] = float64(v) - total*float64(pitWidths[k])/PITBins
	}
	return d, total
}

// appendFlags appends what is wrong, of predictions that are judged already.
func (a *account) appendFlags(dst []string, verdict fit) []string {
	for _, f := range [...]struct {
		name string
		up   bool
	}{
		{miscalibrated, verdict == misfit},
		{wideIntervals, verdict == tooWide},
		{drift, a.fallen > alarm},
		{outliers, a.wild > 1/math.E},
	} {
		if f.up {
			dst = append(dst, f.name)
		}
	}
	return dst
}

// numbers returns where the numbers are that a snapshot holds: the first may be
// negative.
func (a *account) numbers() [4 + pitClasses]*float32 {
	out := [4 + pitClasses]*float32{&a.mean, &a.spread, &a.fallen, &a.wild}
	for k := range a.pit {
		out[4+k] = &a.pit[k]
	}
	return out
}

func (a *account) append(b []byte) []byte {
	for _, v := range a.numbers() {
		b = appendFloat32(b, *v)
	}
	b = append(b, byte(a.shards))
	b = binary.AppendVarint(b, a.outliers.Rows)
	return binary.AppendVarint(b, a.outliers.T)
}

// read reads what append wrote after t shards.
func (a *account) read(r *reader, t int64) {
	for i, to := range a.numbers() {
		if *to = r.float32(); *to < 0 && i > 0 {
			r.fail("%g in the account of scores", *to)
		}
	}
	if b := r.take(1); b != nil {
		if a.shards = int32(b[0]); a.shards > settled {
			r.fail("%d shards in the account of scores", a.shards)
		}
	}
	a.outliers = Outliers{Rows: r.natural(), T: r.natural()}
	if o := a.outliers; o.T > t || (o.T == 0) != (o.Rows == 0) {
		r.fail("%d outliers, the last in shard %d of %d", o.Rows, o.T, t)
	}
}

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

// judge tells whether the transforms are not uniform. What rows that share the error of a
// level may do by chance is nobody's fault.
func (f *Filter) judge() fit {
	a := &f.now.account
	verdict := a.judge()
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

// sharedTerms is how many Hermite polynomials the covariance of classes has.
const sharedTerms = 12

// sharedLoadings are the coefficients of the classes' indicators in the orthonormal
// Hermite polynomials of order 1, 2, ... of the normal score of a transform.
var sharedLoadings = newSharedLoadings()

func newSharedLoadings() (a [sharedTerms][pitClasses]float64) {
	// The integral of phi He_j from q is phi(q) He_(j-1)(q).
	tail := func(p float64) (t [sharedTerms]float64) {
		if p <= 0 || p >= 1 {
			return t
		}
		q := math.Sqrt2 * math.Erfinv(2*p-1)
		density := math.Exp(-q*q/2) / math.Sqrt(2*math.Pi)
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
