package cdf

import (
	"math"

	"github.com/credence-stream/credence/cdf/quantity"
)

// Row summarises the marginal posterior of one variable. Undefined numbers
// are NaN. Columns and their order: CONTRACT of the output topic.
type Row struct {
	Variable                               string
	Mean, SD                               float64
	Median, Q025, Q05, Q25, Q75, Q95, Q975 float64
	MCSEMean, ESSBulk, ESSTail, RHat       float64
	// Open marks a row that Summarize left to be completed from the draws.
	Open bool
}

// RowColumns names the numbers of a Row as the output topic does, in its order.
var RowColumns = [...]string{
	"mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5",
	"mcse_mean", "ess_bulk", "ess_tail", "r_hat",
}

// Numbers returns where the numbers of the row are, in the order of RowColumns.
func (r *Row) Numbers() [len(RowColumns)]*float64 {
	return [...]*float64{
		&r.Mean, &r.SD, &r.Median, &r.Q025, &r.Q05, &r.Q25, &r.Q75, &r.Q95, &r.Q975,
		&r.MCSEMean, &r.ESSBulk, &r.ESSTail, &r.RHat,
	}
}

// AppendNumbers appends the numbers of the row in that order.
func (r *Row) AppendNumbers(dst []float64) []float64 {
	return append(dst, r.Mean, r.SD, r.Median, r.Q025, r.Q05, r.Q25, r.Q75, r.Q95, r.Q975,
		r.MCSEMean, r.ESSBulk, r.ESSTail, r.RHat)
}

// Score says how well the state before a shard predicted it, in original
// units. Undefined numbers are NaN.
type Score struct {
	Rows          int64 // rows scored
	PredictedRows int64 // rows without a response
	LogDensity    float64
	LogEvidence   float64
	RMSE          float64
	Coverage95    float64
	// PIT and Wild are what a Predictor counts, which need not: Wild the rows
	// beyond the 1e-6 tails of their predictive distributions. A filter hands PIT
	// out by Transforms; no summary has either.
	PIT  Transforms
	Wild uint32
	// wilder counts those beyond the 1e-9 tails.
	wilder uint32
	// Neighbours is what Transformed saw of rows in their order. No summary has it.
	Neighbours Neighbours
	// Far is, of the rows of a time series that Wild counts, the sum of squares of their errors over the variances of their
	// predictions: as many rows do they weigh in a variance. 0 of other models. No summary has it.
	Far float64
	// Expected is what LogDensity is in the mean under the laws that predicted the rows, the
	// negative of their mean entropy: 0 where a Predictor does not know it. No summary has it.
	Expected float64
	// Shared is the part of the variance of predictions that is the error of the state which made
	// them, in (0, 1): as much may the rows have in common. 0 where a Predictor does not know it.
	// No summary has it.
	Shared float64
	// Pair is what of that part the rows have in common indeed, in the mean over pairs of them, in
	// (0, Shared]: less where their columns differ. 0 where a Predictor does not know it.
	// No summary has it.
	Pair float64
	// Untold is the part of the variance of predictions that is the prior's alone, in [0, 1): x'S P S x over that of
	// the row, S being the covariance of the coefficients and P the precision of their prior. Where it is large,
	// predictions are as wide as the prior says, be it right or not. 0 where a Predictor does not know it. No summary has it.
	Untold float64
}

// Neighbours multiplies normal scores of rows with a response, those of the classes of their transforms, with those of the rows before them.
type Neighbours struct {
	Products float64 // sum
	Last     float64 // the score of the latest row, 0 before the first
}

// Add takes the bin of the next row's transform.
func (n *Neighbours) Add(bin int) {
	score := classScoresOfBins[bin]
	n.Products += float64(score * n.Last)
	n.Last = score
}

// Transforms counts rows by their probability integral transforms, randomised
// for a discrete response, in equal bins of [0, 1].
type Transforms [PITBins]uint32

// PITBins is the number of bins of Transforms: the first and the last are what
// a central interval of 95 % leaves out.
const PITBins = 40

// Transformed counts a row with the given probability integral transform.
// Whether the transform is within [.025, .975] is given, for it may be known
// better than the transform: the bin agrees with it, and is returned.
func (s *Score) Transformed(pit float64, covered bool) (bin int) {
	if tail := min(pit, 1-pit); tail < wildTail {
		s.Wild++
		if tail < wilderTail {
			s.wilder++
		}
	}
	switch {
	case covered:
		bin = min(max(int(pit*PITBins), 1), PITBins-2)
	case pit >= .5:
		bin = PITBins - 1
	}
	s.PIT[bin]++
	s.Neighbours.Add(bin)
	return bin
}

// Tamed returns the randomised transform of a discrete response of the given mass,
// kept out of the 1e-6 tails where the response was more likely than that: there
// the transform is chance, or the error of the distribution function.
func Tamed(pit, mass float64) float64 {
	if mass > wildTail {
		return min(max(pit, wildTail), 1-wildTail)
	}
	return pit
}

// NoScore is the score of a shard that nothing was predicted for.
func NoScore() Score {
	nan := math.NaN()
	return Score{LogDensity: nan, LogEvidence: nan, RMSE: nan, Coverage95: nan}
}

// Unscored is the score of a shard before there is anything to predict it
// with: of its rows, those without a response are counted.
func (s *Shard) Unscored() Score {
	out := NoScore()
	out.PredictedRows = int64(s.Rows - s.Observed())
	return out
}

// Constant is the centre and scale of one column.
type Constant struct {
	Column        string
	Center, Scale float64
}

// Outliers tells of the rows that were beyond the 1e-6 tails of their predictive
// distributions. Of a discrete response only those count whose own mass is below
// 1e-6; before centre and scale stand none does.
type Outliers struct {
	Rows int64
	T    int64 // the last shard that has one, 0 where none has
}

// Summary is what becomes public about a key after a shard. It is owned by
// the filter and valid until its next call.
type Summary struct {
	T              int64   // shards absorbed
	N              int64   // rows absorbed
	NEff           float64 // rows after forgetting
	Draws          int     // draws behind the summary, 0 where all rows are closed forms
	Dropped        int64   // rows of this shard that were left out
	Drops          []Drop  // rows of all shards that were left out, by column and reason
	Rows           []Row   // of quantities first, then of variables
	Score          Score
	Scaling        []Constant // columns that are centred or scaled
	PriorDominated []string   // variables whose posterior sd exceeds .8 of the prior's, or that depend on it
	WeakMixing     []string   // variables whose R-hat exceeds 1.05, as it did after the shard before
	Flags          []string   // warnings of the model, see Flagger, and of its scaling
	Outliers       Outliers   // so far
	// Covariance of the coefficients when asked for: lower triangle, row by
	// row, in the order of the beta rows.
	Covariance []float64
	// Quantities are those of Publish in its order; each that is not absent has one of
	// the first rows. Watched are the figures of its alerts, NaN where there is none.
	Quantities []quantity.Told
	Watched    []float64

	modelScale bool // the rows are in the model's units
}

// Answers returns the number of rows that are of quantities.
func (s *Summary) Answers() int {
	n := 0
	for i := range s.Quantities {
		if s.Quantities[i].Absent == "" {
			n++
		}
	}
	return n
}
