package cdf

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf/bound"
	"github.com/credence-stream/credence/cdf/correlated"
	"github.com/credence-stream/credence/cdf/curved"
	"github.com/credence-stream/credence/cdf/reliability"
	"github.com/credence-stream/credence/cdf/repeated"
	"github.com/credence-stream/credence/cdf/season"
	"github.com/credence-stream/credence/cdf/unequal"
)

// account is what a key remembers of how well its shards were predicted: some 120
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
	// far is the sum of squares of values behind the first rows that are farther than far scales from
	// the centre of their column, of which most have it, discounted; of a time series that of Score.Far.
	far float64

	errors  correlated.Errors
	serial  correlated.Serial
	repeats repeated.Sketch
	// Of measurements of which a row came again in its shard.
	twice *repeated.Twice
	// Of a model of two classes, nil before it has told of a row.
	reliability *reliability.Account
	// Of a model that tells of transforms by row, and has columns that may lack a curve; nil before.
	curved *curved.Account
	// Of a time series, nil before it has told of a row.
	season *season.Account
	// Of a model of groups that have one variance, nil before it has absorbed a row.
	unequal *unequal.Account
	// Of measurements one of whose shards had an extreme several times.
	bound *bound.Account
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
	// departureOfLaw is that of a model whose parameters go with the law of what rows differ by: see LawDecides. A gamma law of rates of
	// size 5, beside one that is taken for lognormal, departs by .016.
	departureOfLaw = .008
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
	// In a shard of more rows than manyRows one beyond those tails may be chance, and one
	// beyond wilderTail is not before there are millions.
	manyRows, wilderTail = 1000, 1e-9
	// A row beyond it is remembered for as many rows.
	wildMemory = 250
)

// add takes the score of shard t, in original units, with what the Predictor tells in
// the model's: the log density that it expected, in original units again, and the
// transforms of the rows, each of which counts for as much as given.
func (a *account) add(t int64, s *Score, predicted *Score, expected, weight float64) {
	if s.Rows == 0 {
		return
	}
	n := float64(s.Rows)
	a.wild = float32(float64(a.wild)*math.Exp(-n/wildMemory) + float64(predicted.surprising(n)))
	if predicted.Wild > 0 {
		a.outliers = Outliers{Rows: a.outliers.Rows + int64(predicted.Wild), T: t}
		a.far = min(a.far+predicted.Far, math.MaxFloat64)
	}
	if predicted.PIT != (Transforms{}) {
		rows := predicted.PIT.classes()
		all := shardOf(&rows, predicted.Shared)
		a.errors.Add(all, a.past())
		a.serial.Add(predicted.order(&rows, all))
		a.addTransforms(&rows, weight)
	}
	if !math.IsNaN(s.LogDensity) {
		a.addDensity(s.LogDensity, expected, n)
	}
}

// surprising is how many of n rows are beyond the tails where that is no chance: of more than
// manyRows those beyond wilderTail, unless those beyond wildTail are more than the
// greatest number that chance explains, by Poisson's law.
func (s *Score) surprising(n float64) uint32 {
	chance := 2 * wildTail * n
	if n > manyRows && float64(s.Wild) <= chance+4*math.Sqrt(chance)+3 {
		return s.wilder
	}
	return s.Wild
}

// addWild takes rows of shard t beyond the tails, of n rows that are no part of its score.
func (a *account) addWild(t int64, predicted *Score, n int) {
	if rows := int64(predicted.Wild); rows > 0 {
		a.wild += float32(predicted.surprising(float64(n)))
		a.outliers = Outliers{Rows: a.outliers.Rows + rows, T: t}
	}
}

// addReliability takes what the rows of a shard are to predicted probabilities.
func (a *account) addReliability(s *reliability.Shard) {
	if s.Rows() == 0 {
		return
	}
	if a.reliability == nil {
		a.reliability = new(reliability.Account)
	}
	a.reliability.Add(s)
}

// addSeason takes the errors of a shard of a time series.
func (a *account) addSeason(s *season.Shard) {
	if a.season == nil {
		if !s.Moves() {
			return
		}
		a.season = new(season.Account)
	}
	a.season.Add(s)
}

// rowWeight is what a row counts for where predictions are judged, one of n that were
// predicted together by a state of as many discounted rows: they share its error, which may be
// told to be a larger part of the variance of each, as of a column that is the same in all.
//
// Of that variance a part may be the prior's alone, untold by rows: how wide that is says little of the model, and of many
// columns it is seldom as wide as their coefficients spread. The row counts for the square of the rest.
func rowWeight(n int64, neff, part, untold float64) float64 {
	return (1 - untold) * (1 - untold) / (1 + float64(n-1)*max(shared/(neff+shared), part))
}

// classes counts rows by class.
func (t *Transforms) classes() (rows [pitClasses]uint32) {
	bin := 0
	for k, width := range pitWidths {
		for range width {
			rows[k] += t[bin]
			bin++
		}
	}
	return rows
}

// classScores are the mean normal scores of the classes.
var classScores = newClassScores()

func newClassScores() (s [pitClasses]float64) {
	for k := range s {
		s[k] = sharedLoadings[0][k] * PITBins / float64(pitWidths[k])
	}
	return s
}

func shardOf(rows *[pitClasses]uint32, part float64) correlated.Shard {
	s := correlated.Shard{Shared: min(part, 1)}
	for k, n := range rows {
		s.Rows += int(n)
		s.Scores += float64(float64(n) * classScores[k])
	}
	return s
}

// past is what the transforms say of scores.
func (a *account) past() correlated.Past {
	total, sum, squares := 0., 0., 0.
	for k, n := range a.pit {
		score := classScores[k]
		total += float64(n)
		sum += float64(float64(n) * score)
		squares += float64(float64(n) * score * score)
	}
	mean := sum / total
	return correlated.Past{Rows: total, Mean: mean, Variance: squares/total - float64(mean*mean)}
}

func (a *account) addTransforms(rows *[pitClasses]uint32, weight float64) {
	total := 0.0
	for k, n := range rows {
		a.pit[k] += float32(weight * float64(n))
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
// a departure of each row that matters. Where the tails are half empty intervals hold more than they say: that
// is no harm while rows are few, and the prior is wider than what they show.
func (a *account) judge(departure float64) fit {
	deviation, total := a.deviation()
	wide := a.wide(total)
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

// wide reports whether the tails of as many rows are half empty.
func (a *account) wide(total float64) bool {
	return float64(a.pit[0]+a.pit[pitClasses-1]) < halfEmpty*total
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

// appendFlags appends what is wrong, of predictions that are judged already and as many
// discounted rows.
func (a *account) appendFlags(dst []string, verdict fit, heavy, skewed bool, rows float64) []string {
	for _, f := range [...]struct {
		name string
		up   bool
	}{
		{MiscalibratedFlag, verdict == misfit},
		{heavyTails, heavy},
		{SkewedFlag, skewed},
		{wideIntervals, verdict == tooWide},
		{drift, a.fallen > alarm},
		{outliers, a.wild > 1/math.E || a.far > strayTill*rows},
		{correlatedErrors, a.errors.Correlated() || a.serial.Correlated()},
		{RepeatedFlag, a.repeats.Part(rows) > 0},
		{RepeatedRowsFlag, a.twice.Part(rows) > 0},
		{CurvedFlag, a.curved != nil && a.curved.Curved() >= 0},
		{SeasonFlag, a.season != nil && a.season.Season() > 0},
		{LevelMovedFlag, a.season != nil && a.season.Moved > 0},
		{UnequalFlag, a.unequal != nil && a.unequal.Unequal() || a.curved != nil && a.curved.UnevenAt() >= 0},
		{BoundFlag, a.bound.Piled() != nil},
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
	if a.shards = int32(r.byte()); a.shards > settled {
		r.fail("%d shards in the account of scores", a.shards)
	}
	a.outliers = Outliers{Rows: r.natural(), T: r.natural()}
	if o := a.outliers; o.T > t || (o.T == 0) != (o.Rows == 0) {
		r.fail("%d outliers, the last in shard %d of %d", o.Rows, o.T, t)
	}
}

// appendErrors appends what is known of correlated errors.
func (a *account) appendErrors(b []byte) []byte {
	e := &a.errors
	b = binary.AppendUvarint(appendFloat32(b, e.Sum), uint64(e.Rows))
	if e.Rows > 0 {
		b = appendFloat32(appendFloat32(b, e.Scores), e.Shared)
	}
	return b
}

// readErrors reads what appendErrors wrote, which is not written of none.
func (a *account) readErrors(r *reader) {
	e := &a.errors
	e.Sum = r.float32()
	if rows := r.uint(); rows > 0 {
		e.Rows, e.Scores, e.Shared = int32(min(rows, math.MaxInt32)), r.float32(), r.float32()
	}
	if *e == (correlated.Errors{}) || !e.Valid() {
		r.fail("%+v in the account of correlated errors", *e)
	}
}
