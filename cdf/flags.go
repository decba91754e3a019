package cdf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf/curved"
)

// Flags that the engine raises, whatever the kind.
const (
	// scaleMoved: the values of a column spread more than five times as much,
	// or less than a fifth as much, as the rows that its scale is from.
	scaleMoved = "scale_moved"
	// firstOutliers: values among the first rows that the constants pass over
	// weigh more than a tenth of all rows in the squares of a column, or one of fewer than
	// FirstRows rows is far from where the others have it.
	firstOutliers = "first_outliers"
	// wideIntervals: predictive intervals hold more responses than they should.
	wideIntervals = "wide_intervals"
	// drift: shards are predicted worse than those before them.
	drift = "drift"
	// outliers: among the last rows is one that the predictive distribution gives
	// a millionth, or a value behind the first rows weighs more than a tenth of all rows in the
	// squares of its column.
	outliers = "outliers"
	// correlatedErrors: rows that come together have errors in common.
	correlatedErrors = "correlated_errors"
	// timeIgnored: rows age with time, and the record's says nothing that could be believed.
	timeIgnored = "time_ignored"
)

// RepeatedFlag is raised where shards came more than once, so that their rows count as often.
const RepeatedFlag = "repeated_shards"

// RepeatedRowsFlag is raised where rows of measurements came more than once in their shards, so that they count as often.
const RepeatedRowsFlag = "repeated_rows"

// CurvedFlag is raised where the response depends on a column by a curve that the model does not have.
const CurvedFlag = "curved"

// SeasonFlag is raised where the errors of a time series return after a period.
const SeasonFlag = "season"

// LevelMovedFlag is raised where the level of a time series returns to another mean than before, or in another way.
const LevelMovedFlag = "level_moved"

// UnequalFlag is raised where errors that have one variance by the model have others by group, or by how far a column is from its mean.
const UnequalFlag = "unequal_variances"

// BoundFlag is raised where many responses are exactly the least or the greatest value, as if they were cut off there.
const BoundFlag = "responses_at_bound"

// heavyTails: responses have heavier tails than their predictive distributions.
const heavyTails = "heavy_tails"

// SkewedFlag is raised where one tail of the errors of measurements is longer than the other.
const SkewedFlag = "skewed_errors"

// MiscalibratedFlag is raised where responses do not lie in their predictive distributions as
// they should, and not because these are too wide, or predicted probabilities do not come true.
const MiscalibratedFlag = "miscalibrated"

// Flags lists the flags that the engine raises.
func Flags() []string {
	return []string{scaleMoved, firstOutliers, MiscalibratedFlag, heavyTails, SkewedFlag, wideIntervals, drift, outliers, correlatedErrors, RepeatedFlag, RepeatedRowsFlag, CurvedFlag, SeasonFlag, LevelMovedFlag, UnequalFlag, BoundFlag, CollinearFlag, timeIgnored}
}

// Advise says what to do about a flag that the engine raises, empty where the
// flag is another one.
func Advise(flag string) string {
	switch flag {
	case scaleMoved:
		return "a column spreads more than 5 times as much as in the key's first rows, or less than a fifth as much: " +
			"set columns center and scale to what is known, and rescale the state (state import --rescale-from) or read the topic again with a new group"
	case firstOutliers:
		return "a value among the key's first rows is more than 30 scales off and outweighs the others, or one of fewer than 50 rows is far from where the others have it, " +
			"so that sigma2 is what that row makes of it: look at it, take it out at its source and read the topic again with a new group, or forget; of responses with a long tail take the logarithm"
	case MiscalibratedFlag:
		return "predictions are too sure, lopsided or of the wrong shape, so that intervals do not hold what they say: " +
			"look at the calibration page of the key, then transform the response, add columns, or choose another kind"
	case heavyTails:
		return "errors have heavier tails than the model's: a few rows are far out, or the sd of the noise differs from row to row. Coefficients and levels are as good as they look unless unequal_variances is up, intervals of a variance are too short, and " +
			"single rows are beyond their intervals of 99 % more often than one in a hundred: look at the calibration page of the key, transform the response, as by its logarithm, or make keys of what differs in its noise"
	case SkewedFlag:
		return "errors are skewed, one tail is longer than the other, as of prices, durations and counts. Coefficients and levels of many rows are as good as they look, intervals of a variance are too short, and " +
			"single rows are beyond their intervals on one side alone: where the long tail is above take the logarithm of the response or its root, where it is below its square; of counts use poisson, of two values probit"
	case wideIntervals:
		return "predictions are too wide: intervals of 95 % hold more than 97.5 % of the rows. They are safe, and say less than they could: " +
			"where columns explain nearly all of the response, say so with settings.prior; where single rows are far out, take them out at their source"
	case drift:
		return "shards are predicted worse than those before: set forget below 1, or look for what changed"
	case outliers:
		return "a row of this shard or one shortly before is beyond the 1e-6 tails of its prediction, in a shard of more than 1,000 rows the 1e-9 tails, or a value behind the first rows was more than 300 scales off, of a series one beyond those tails, " +
			"and still weighs a tenth of the rows or more: look at it, take it out at its source and read the topic again with a new group, or transform the column"
	case correlatedErrors:
		return "rows that come together have errors in common, so that they tell less than as many independent rows, and intervals are too short: " +
			"make one row of those that share an error, as their mean, or name what they share as a group of anova or poisson; for noise that lasts use dlm"
	case RepeatedFlag:
		return "shards came again bit for bit, whose rows count as often as they came, so that intervals are too short: let the producer send the header " +
			"credence-shard, or be idempotent, and read the topic again with a new group, or forget; a response that its columns give exactly looks the same"
	case RepeatedRowsFlag:
		return "rows came again in their shards, the same in the response and all columns, and count as often as they came, so that intervals are too short: look for a join that has a row several times, or an append that was tried again, " +
			"send each row once and read the topic again with a new group; a response that its columns give exactly, measured several times, looks the same"
	case SeasonFlag:
		return "errors return after a period, which the model has not: the level follows the season, so that phi, tau2 and sigma2 are those that follow it best " +
			"and forecasts lack it: take the season out of the response first, as its mean by hour, by day of the week or by month, or use linear with a formula that has season(...) of the time, and read the topic again with a new group"
	case LevelMovedFlag:
		return "the mean to which the level returns is another than before, by a jump or by and by, or it returns in another way: phi is mostly too near to 1, tau2 and sigma2 go with it, and forecasts return too slowly, " +
			"while the level itself is right: let the rows from there on have a key of their own, or read the topic with a new group that begins there (run --from); of a mean that moves all the time take the trend out of the response first"
	case UnequalFlag:
		return "errors vary more in some groups than in others, or of linear where a column is far from its mean or has its rarer value, and the model has one variance: the interval of such a group's level, or of that column's slope, is too short, others are too wide, " +
			"and sigma2 is that of no row: transform the response so that it varies alike, as by its logarithm or root; of counts use poisson; or make keys of what differs in its noise"
	case CurvedFlag:
		return "the response depends on a column by a curve that the model does not have, so that the mean at a given value is far from its interval: " +
			"add the square of the column, a spline or a transformation by a formula, or another column that it goes with"
	case BoundFlag:
		return "many responses are exactly the least or the greatest value, and few near it are equal: if they were cut off there, as spending at 0, by a limit of detection or at the highest score, slopes are too flat by about their part of the rows, " +
			"and levels, sigma2 and predictions are those of what was cut: send the values as they were before, or divide slopes by the part of the rows that are not there; where the value stands for no measurement leave the response out; " +
			"where it is that of another sort of rows, as of those that bought nothing, tell the two apart with probit and give the others a key of their own"
	case timeIgnored:
		return "forget_per is a duration, and nothing was forgotten for this record: it has no timestamp, or one that is far before that of an earlier record " +
			"or more than ten years from it: look at the clocks of what sends records, and at the unit of timestamps, which is the millisecond"
	case CollinearFlag:
		return "columns determine each other, so that only the prior divides their effect among them: do not read their coefficients " +
			"(prior_dominated names them) one by one, and leave all of them but one out; predictions are not harmed while it stays so"
	}
	return ""
}

// weakRHat is the R-hat above which chains have not forgotten where they
// began. Perfect draws of many variables exceed 1.01 all the time; 1.05 on
// two consecutive shards, or as soon as on the first, they do not.
const weakRHat = 1.05

// weakMixing lists the variables whose R-hat is too high and was at the shard
// before, if there was one. It is called while the summary of that shard is the
// one kept.
func (f *Filter) weakMixing(sum *Summary) {
	first := sum.T == 1
	if !first && !f.summed || f.SelfDescribing() {
		return
	}
	before := f.ws.mixedWeakly
	if clear(before); !first {
		before = f.keptSummary().mixingWeakly(before)
		f.ws.mixedWeakly = before
	}
	for i := range sum.Rows {
		if r := &sum.Rows[i]; r.RHat > weakRHat && (first || before[r.Variable]) {
			sum.WeakMixing = append(sum.WeakMixing, r.Variable)
		}
	}
}

// mixingWeakly enters the names of the variables whose R-hat is too high, into a map
// that may be nil.
func (s *Summary) mixingWeakly(names map[string]bool) map[string]bool {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.RHat > weakRHat {
			if names == nil {
				names = map[string]bool{}
			}
			names[r.Variable] = true
		}
	}
	return names
}

// PriorSummarizer is a model whose prior Summarize of an empty one cannot
// describe: it draws, or has groups.
type PriorSummarizer interface {
	// SummarizePrior fills rows[i] for functionals[i] of the present parameters
	// as they were before the first row; all numbers come NaN, and stay so
	// where they are undefined. It only reads. What has no closed form comes
	// from draws of rng.
	SummarizePrior(functionals []Functional, rows []Row, rng *rand.Rand) error
}

// Prior describes the variables of the posterior before the key's first row,
// with the columns, constants and groups that are known now and in the units
// of Summary. Undefined moments, and all numbers of an improper prior, are NaN.
// It changes nothing, later randomness included, and gives the same bits at
// every call with the same columns, constants and groups. Before the first
// shard there are no variables. errors.ErrUnsupported: the model cannot tell
// its prior.
func (f *Filter) Prior() (*Summary, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	sum := &Summary{Score: NoScore(), modelScale: f.spec.Publish.Scale == "model"}
	if f.engine == nil {
		return sum, nil
	}
	sum.Scaling = f.now.scaling.published(nil)
	list := functionals(f.spec, &f.now, f.engine.model.Params(), new(selection))
	sum.Rows = unknownRows(nil, list)
	if priorSummarizer := f.engine.priorSummarizer; priorSummarizer != nil {
		if err := priorSummarizer.SummarizePrior(list, sum.Rows, NewStream(f.spec.Seed, f.key, 0, purposePrior)); err != nil {
			return nil, as(ErrNumeric, err)
		}
		return sum, nil
	}
	// An empty model has no groups to describe.
	if f.engine.summarizer == nil || !f.SelfDescribing() || len(f.now.factors) > 0 {
		return nil, fmt.Errorf("%s cannot tell its prior: %w", f.spec.Kind, errors.ErrUnsupported)
	}
	empty, err := newEngine(f.spec, f.now.design)
	if err == nil {
		err = empty.summarizer.Summarize(list, sum.Rows)
	}
	if err != nil {
		return nil, as(ErrNumeric, err)
	}
	return sum, nil
}

// appendFlags appends what is wrong of times.
func (s *state) appendFlags(dst []string) []string {
	if s.timeless {
		return append(dst, timeIgnored)
	}
	return dst
}

// CollinearFlag is raised where columns determine each other: the rows say what they do
// together, and not what one of them does.
const CollinearFlag = "collinear"

// inseparable are columns of X that determine each other, ascending.
type inseparable []int

func (e *engine) together(dst inseparable) inseparable {
	if e.collinear == nil {
		return dst
	}
	return e.collinear.AppendCollinear(dst)
}

// appendFlags appends what is wrong.
func (t inseparable) appendFlags(dst []string) []string {
	if len(t) > 0 {
		return append(dst, CollinearFlag)
	}
	return dst
}

// has reports whether the functional is the coefficient of one of the columns, with what it takes up of others: coefficients are the
// first parameters of models with columns.
func (t inseparable) has(f *Functional) bool {
	if len(t) == 0 || len(f.Param) == 0 {
		return false
	}
	_, found := slices.BinarySearch(t, f.Param[0])
	return found
}

// Collinear returns the names of the columns that determine each other in the rows so
// far, as variables have them, of the state that the last Update left. It is empty where
// the summary of that has no CollinearFlag.
func (f *Filter) Collinear() []string {
	if f.broken != nil || f.engine == nil {
		return nil
	}
	var names []string
	for _, j := range f.engine.together(nil) {
		names = append(names, f.now.design.names[j])
	}
	return names
}

// Repeated returns how many of the shards so far were found to have come before, and what part of the
// discounted rows of the state is repeats, as far as is known. Both are 0 where the summary of that has no
// RepeatedFlag.
func (f *Filter) Repeated() (shards int64, part float64) {
	s := &f.now
	if part = s.account.repeats.Part(s.neff); part > 0 {
		shards = s.account.repeats.Again.Shards
	}
	return shards, part
}

// RepeatedRows returns which part of the discounted rows of the state came before in their shards, 0 where the summary of the last Update has no
// RepeatedRowsFlag.
func (f *Filter) RepeatedRows() float64 {
	if f.broken != nil {
		return 0
	}
	return f.now.account.twice.Part(f.now.neff)
}

// Season returns the period, in steps, after which the errors of a time series return, 0 where the
// summary of the last Update has no SeasonFlag.
func (f *Filter) Season() float64 {
	if a := f.now.account.season; a != nil {
		return a.Season()
	}
	return 0
}

// LevelMoved returns how many steps ago the level of a time series began to return to another mean, at the least, 0 where the
// summary of the last Update has no LevelMovedFlag.
func (f *Filter) LevelMoved() float64 {
	if a := f.now.account.season; a != nil {
		return a.MeanMoved()
	}
	return 0
}

// Curved returns the name of the column, as variables have it, whose curve the model lacks most,
// empty where none is known. It is the reason for CurvedFlag or, of predicted probabilities, may be one of those for
// MiscalibratedFlag.
func (f *Filter) Curved() string {
	a := &f.now.account
	switch {
	case f.broken != nil:
	case a.curved != nil:
		return f.columnOf(a.curved.Curved(), f.now.curvable(f.spec, nil))
	case a.reliability != nil && a.reliability.Unreliable():
		if j := a.reliability.Curved(); j >= 0 {
			return f.now.design.names[j]
		}
	}
	return ""
}

// Uneven returns the name of the column, as variables have it, far from whose mean errors vary most beyond what they do near it, empty where
// none is known. It is the reason for UnequalFlag of a model without groups.
func (f *Filter) Uneven() string {
	a := &f.now.account
	if f.broken != nil || a.curved == nil {
		return ""
	}
	return f.columnOf(a.curved.UnevenAt(), f.now.dummies(f.spec, f.now.curvable(f.spec, nil)))
}

// Bound returns the least or the greatest response, in original units, at which many rows are, with their part of all; 0 and 0 where the summary of the
// last Update has no BoundFlag.
func (f *Filter) Bound() (value, part float64) {
	a := f.now.account.bound
	end := a.Piled()
	if f.broken != nil || end == nil {
		return 0, 0
	}
	y := f.now.scaling.y
	off := float64(y.Scale * end.Value)
	if value = y.Center + off; math.Abs(value) < 1e-12*math.Abs(off) { // 0, but for rounding
		value = 0
	}
	value, _ = strconv.ParseFloat(strconv.FormatFloat(value, 'g', 9, 64), 64)
	return value, float64(end.Rows) / float64(a.Rows)
}

// columnOf returns the name of a column of the runs, empty of none.
func (f *Filter) columnOf(at int, runs []curved.Run) string {
	if at < 0 {
		return ""
	}
	for _, run := range runs {
		if at < run.Columns {
			return f.now.design.names[run.From+at]
		}
		at -= run.Columns
	}
	return ""
}
