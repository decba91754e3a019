package cdf

import (
	"encoding"
	"math/rand/v2"
)

// InterceptName is the name of the column of ones where there is an intercept; no other
// column of X can have it.
const InterceptName = "intercept"

// Dims is what a model's shape depends on beyond its settings. It is fixed by
// a key's first shard.
type Dims struct {
	Columns   []string // of Shard.X in order, InterceptName first where Intercept
	Intercept bool
	Groups    []Group // grouping factors in the order of Shard.Group and Shard.Slopes
	Draws     int     // S, draws per shard
	Publish   bool    // draws are published, so a model with closed forms must draw too
	// Centered says that the response has its centre from the key's first rows: 0
	// is near its mean and is not it.
	Centered bool
	// Siblings are the levels of factors that the prior is to have alike, see LevelsAlike.
	Siblings []Siblings
}

// Siblings are columns of X that stand for the levels of one factor, or for a number in each, but for the baseline: so many from the first on.
type Siblings struct {
	First, Columns int
	Baseline       int // the baseline's own column, 0: none, see LevelsWhole
}

// Levels says what makes the levels of a factor alike before the rows say something. Coefficients that compare levels with a baseline and are
// independent have the baseline at the mean of the others: as they are many, or vary much, for sure.
type Levels uint8

// The ways.
const (
	LevelsApart Levels = iota // nothing: the prior is too wide to matter, or the paper's
	LevelsAlike               // the prior: levels are independent, the baseline among them, and coefficients their differences
	LevelsWhole               // the columns: the baseline has one, too, and coefficients are differences from its own
)

// Param names a run of parameters: Len rows of Draws, in the order of Params.
// A model of several factors or slopes lists a parameter that belongs to groups
// once for every term: per factor its intercept, then its slopes.
type Param struct {
	Name string
	Len  int
}

// Model holds the statistics of one model and its conditionals, in the units
// of the scaled columns. It knows no transport and keeps no rows beyond its
// window. It is used by one goroutine at a time, that of its Filter.
//
// A shard makes these calls: Check; Score of a Predictor; AppendBinary, to have
// something to go back to; then for each of the Blocks, in order, Absorb and
// Sample, with Retire after the first Absorb; LogEvidence; and Summarize for
// what is published. When Sample fails, UnmarshalBinary of the earlier bytes
// follows. While the key's first rows are kept, every shard takes a fresh model
// through all of them: Check, Absorb and Sample per kept shard.
type Model interface {
	// Params returns the parameters in the row order of Draws. Lengths may
	// change in Absorb of the first block, when groups appear or retire.
	Params() []Param
	// Check reports, wrapping ErrShard, why the shard cannot be absorbed.
	// It only reads. What it says of a row depends on other rows of the shard only
	// where the model is Cumulative.
	Check(*Shard) error
	// Blocks returns Theta_1 .. Theta_K in the order of their updates. It is
	// called once.
	Blocks() []Block
	// AppendBinary appends the state, independent of Go's type layout.
	encoding.BinaryAppender
	// UnmarshalBinary replaces the state. Bytes that AppendBinary of a model
	// of the same settings and Dims did not make are refused with
	// ErrSnapshot, and the model must then not be used.
	encoding.BinaryUnmarshaler
}

// Block is Theta_l, parameters that are updated together.
type Block interface {
	// Absorb folds the shard into the block's SCSS:
	// C_l <- g(C_l, h(D_t, estimates of the other blocks)).
	// Rows without a response leave the SCSS as they are (dlm: time passes).
	Absorb(*Step)
	// Sample settles the block's conditional density after Absorb and, where
	// Step.Draws is not nil, fills the block's rows of it from
	// pi(Theta_l | estimates, C_l). It returns ErrNumeric, wrapped, when the
	// arithmetic fails; the filter then restores the state before the shard.
	Sample(*Step) error
}

// Step is one shard on its way through the blocks.
type Step struct {
	Shard  *Shard
	T      int64   // shard number, from 1
	Forget float64 // lambda in (0, 1] of this shard
	RNG    *rand.Rand
	Source *rand.PCG // of RNG, for rnd.StreamNormals; nil where it has another
	Draws  *Draws    // nil when the model need not draw; a StateSummarizer need not fill all
	// Passing says that kept shards are processed again and that another one follows at
	// once: a model whose estimates follow from the statistics of all rows may leave them
	// to the last.
	Passing bool
}

// Functional is one published variable: Const + sum_k Weight[k]*theta[Param[k]]
// over the rows of Draws. It is how results leave the scaled units.
type Functional struct {
	Name   string
	Const  float64
	Param  []int
	Weight []float64
}

// Summarizer is a model that knows moments or quantiles of affine functions
// of its parameters better than its draws do (closed form, Rao-Blackwell).
type Summarizer interface {
	// Summarize fills rows[i] for functionals[i]; all numbers come NaN. What
	// it leaves NaN in the quantiles, ESS and R-hat of a row with Open set is
	// completed from the draws, and so is the MCSE of a mean that it gives.
	// Before the first absorbed row it describes the prior.
	Summarize(functionals []Functional, rows []Row) error
	// PriorSD writes the prior sd of each functional, NaN where undefined.
	PriorSD(functionals []Functional, dst []float64)
}

// PriorSensitive is a Summarizer that knows how far the prior decides a parameter.
type PriorSensitive interface {
	// PriorSensitivity writes, for each functional, its sensitivity to
	// power-scaling of the prior p; all numbers come NaN, and those of which it is
	// not known stay so, as all do where the posterior is the prior.
	//
	// Of a variance s it is the posterior sd of log p(log s): under the prior p^(1+h)
	// the posterior is h^2/2 times its square away, a Kullback-Leibler divergence.
	// Where the posterior of log s is normal and narrow that is the number of
	// posterior sds by which one power more of the prior moves it. Of another
	// functional f it is that number, |Cov(f, log p)| / sd(f): a prior about 0 that
	// has f near 0 says nothing, and one that has to be outweighed does.
	//
	// Source: Kallioinen, Paananen, Buerkner and Vehtari, Detecting and diagnosing
	// prior and likelihood sensitivity with power-scaling, 2023.
	PriorSensitivity(functionals []Functional, dst []float64)
}

// PriorShared is a Summarizer that knows what of a variance is the prior's.
type PriorShared interface {
	// PriorShare writes, for each functional f, by how much of itself its variance grows for a share by which the prior's
	// covariance V does: f'S V^-1 S f / f'S f with the posterior's covariance S, 1 where rows say nothing of f. All numbers come
	// NaN; those that are not known stay so. Of two columns that are nearly equal rows tell the sum of the coefficients, and the prior
	// decides their difference: the sd of each is .71 of the prior's, and its variance is the prior's alone.
	PriorShare(functionals []Functional, dst []float64)
}

// Fitted is a model of measurements that tells where rows should be at the cost of little more than reading them.
type Fitted interface {
	// Fit writes the posterior mean of the response of every row, in the units of the model, and reports whether there is one.
	Fit(sh *Shard, dst []float64) bool
}

// Predictor is a model that predicts rows from its present state.
type Predictor interface {
	// Predict fills out[i] for row i of the shard, whose Y may be NaN.
	Predict(sh *Shard, out []Prediction) error
	// Score returns the mean log density, rmse and coverage of the rows
	// that have a response, without the cost of full predictions. Rows may
	// stay 0 where all of them were scored.
	Score(sh *Shard, rng *rand.Rand) (Score, error)
}

// Quantiler is a Predictor that knows every quantile of a new observation.
type Quantiler interface {
	// PredictQuantiles writes the quantiles p, each in (0, 1), of a new observation at the
	// last row of the shard, in the law that Predict describes there; of a response that
	// is counted the least value whose distribution function reaches p. NaN: undefined.
	PredictQuantiles(sh *Shard, p, dst []float64) error
}

// Evidence is a model whose marginal likelihood has a closed form.
type Evidence interface {
	// LogEvidence returns log p(D_1, ..., D_t) of all absorbed rows, in the
	// model's units, 0 before the first; NaN where it is not defined.
	LogEvidence() float64
}

// Sampler is a model that knows its posterior through draws. A model that is
// neither a Sampler nor a Summarizer is sampled by one chain.
type Sampler interface {
	// Chains returns the number of chains, 0 where the settings make the
	// model a closed form. The draws per shard are rounded up to a multiple.
	Chains() int
}

// Retirer is a model whose groups leave when forgetting has emptied them, so
// that labels that come and go do not make the state grow for ever.
type Retirer interface {
	// Retire drops such groups of the first factor and returns the indices
	// that they had, ascending; the groups behind them move up. It is called
	// after Absorb of the first block and before any Sample, except while the
	// key's first rows are kept to be processed again. The result is valid
	// until the next call. A label that returns is a new group.
	Retire() []int32
}

// StateSummarizer is a model that draws and has many groups, of which a shard
// describes few; the others are summarized from the state. Its Draws have no row
// for a parameter that is not described: Row is nil there.
type StateSummarizer interface {
	// SummarizeState fills rows[i] for functionals[i] from the state alone; all
	// numbers come NaN. It leaves the rows as they came that it cannot tell,
	// and sets what is not known of the others NaN but for the quantiles.
	SummarizeState(functionals []Functional, rows []Row) error
}

// Redrawer is a model that draws and whose state tells draws of its posterior
// without a shard.
type Redrawer interface {
	// Redraw fills Step.Draws from the state, which it leaves as it is; Step has no
	// shard. A parameter without a row is left out, as in Sample.
	Redraw(*Step) error
}

// Covariancer is a model that knows the joint posterior covariance of affine
// functions of its parameters.
type Covariancer interface {
	// Covariance writes the lower triangle row by row, len(functionals) *
	// (len(functionals)+1) / 2 numbers, NaN where undefined.
	Covariance(functionals []Functional, dst []float64) error
}

// Sided is a model that knows on which side of 0 affine functions of its parameters
// are, better than quantiles or draws tell it.
type Sided interface {
	// Positive writes the probability that each functional is above 0, and its Monte
	// Carlo standard error, 0 where there is none. ErrSchema, wrapped, says that it
	// does not know it of such a functional.
	Positive(functionals []Functional, p, mcse []float64) error
}

// Exponential is a Summarizer without draws that knows the moments of exponentials.
type Exponential interface {
	// ExpMoments writes mean and sd of e to the power of each functional, NaN where
	// they do not exist. ErrSchema, wrapped, as for Summarize.
	ExpMoments(functionals []Functional, mean, sd []float64) error
}

// Cumulative is a model that may refuse a shard of rows that it takes one by one.
type Cumulative interface {
	// CheckBehind is Check of a shard that is absorbed as one with rows before it, which
	// were checked. Where it returns nil it has noted in b what follows have to know.
	CheckBehind(sh *Shard, b *Before) error
}

// Before is what models have to know of rows that were checked and are not absorbed.
type Before struct {
	// Levels is how many levels each grouping factor has with them; the filter counts.
	Levels []int
	Timed  bool    // one of them had a time
	Time   int64   // of the last of these
	Steps  float64 // that they take, gaps included
}

// Sizer is a model that holds more memory than about twice its snapshot.
type Sizer interface {
	// Size returns the bytes held, approximately.
	Size() int64
}

// Feeder is a model that can tell which columns of X its statistics are of.
type Feeder interface {
	// Fed reports whether a row with a response, and with another value than 0 in the
	// column of X, is in the statistics.
	Fed(column int) bool
}

// Narrowing is a model that keeps rows, and can tell from them sooner than running spreads do
// which columns came in another unit.
type Narrowing interface {
	// AppendNarrowed appends the columns of X that spread far less in the newest rows than
	// before.
	AppendNarrowed(dst []Narrowed) []Narrowed
}

// Narrowed is a column of X, with mean and sd of its values before and now, in units of the
// model.
type Narrowed struct {
	Column                         int
	BeforeMean, BeforeSD, Mean, SD float64
}

// Collinear is a model that can tell which columns of X its rows do not tell apart. What
// it tells follows from the statistics, and of a model that draws from its last Sample.
type Collinear interface {
	// AppendCollinear appends the columns of X, ascending, that determine each other in
	// the rows so far; none while these are few.
	AppendCollinear(dst []int) []int
}

// OneVariance is a model whose rows have a level of their group, of the first factor, beside an error that has one
// variance in all groups.
type OneVariance interface {
	// OneVariance does nothing: that the model has it says so.
	OneVariance()
}

// LawDecides is a model that has a parameter which goes with the law of what rows differ by, as the mean of counts does whose logarithms
// are modelled: where that law is another, the interval misses it for ever, by however little transforms show it.
type LawDecides interface {
	// LawDecides reports whether rows differ at present.
	LawDecides() bool
}

// Amended is a model whose state may hold what releases before could not read. A snapshot tells of it, so that
// they know it for one of a later release.
type Amended interface {
	// Amended reports whether the state that AppendBinary writes does.
	Amended() bool
}

// Flagger is a model that can tell when its summary should not be relied on.
type Flagger interface {
	// AppendFlags appends the names of the warnings that hold in the present
	// state, in a fixed order.
	AppendFlags(dst []string) []string
}

// Affine is a change of units: what was v is Shift + Factor*v, Factor > 0.
type Affine struct{ Shift, Factor float64 }

// Rescaler is a model whose statistics can be expressed in other units of the
// columns, as if every row had come in them. The prior is no part of them: it
// acts in the new units as it did in the old ones.
type Rescaler interface {
	// Rescale changes the units of the response and of each column of X. The model
	// then has no posterior until the next Sample, and goes on as one of the given
	// dimensions, which differ from its own at most in Centered. An error says why
	// the statistics do not tell what they would be; the model must then not be used.
	Rescale(to Dims, y Affine, x []Affine) error
}

// Wrapper is a model around another one, whose optional faces count.
type Wrapper interface {
	Unwrap() Model
}

// Prediction describes a new observation y* of one row and E[y* | x, theta].
// Undefined numbers are NaN.
type Prediction struct {
	Mean, SD, Q025, Q975          float64 // of y*
	EpredSD, EpredQ025, EpredQ975 float64 // of E[y* | x, theta]
	LogDensity, PIT               float64 // of the row's response, NaN without one
	// Inner are the quantiles of y* at .1 .25 .75 .9, which are there where
	// Shard.Inner asks for them and of models to which they are cheap.
	Inner [4]float64
}
