package predictive

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Tally collects the scores of a shard's rows.
type Tally struct {
	Out cdf.Score
	// Scores is where the normal scores of rows go, or nil: see cdf.Shard.Curved.
	Scores          []float64
	row             int
	Logs, Expected  float64 // sums; Expected is NaN unless it is set
	squares         float64
	line, variance  float64 // sums: see Share
	untold, spread  float64 // sums: see Untold
	pairs           float64 // of Share's first sum, what pairs have in common; 0: unknown
	covered, scored int
}

// NewTally returns a tally of no rows on top of s.
func NewTally(s cdf.Score) Tally { return Tally{Out: s, Expected: math.NaN()} }

// Skip counts a row and reports that it has no response.
func (t *Tally) Skip(y float64) bool {
	if !math.IsNaN(y) {
		return false
	}
	t.Out.PredictedRows++
	t.row++
	return true
}

// Add counts a row; covered says whether the transform pit is in [.025, .975].
func (t *Tally) Add(residual, pit float64, covered bool) {
	if bin := t.Out.Transformed(pit, covered); t.Scores != nil {
		t.Scores[t.row] = cdf.BinScore(bin)
	}
	t.row++
	t.scored++
	t.squares += residual * residual
	if covered {
		t.covered++
	}
}

// Share takes the variance of a row's prediction, and the part of it that is the error of the state; what is
// proportional to both will do.
func (t *Tally) Share(line, variance float64) {
	t.line += line
	t.variance += variance
}

// Untold takes the variance of a row's prediction, and the part of it that is the prior's alone: see cdf.Score.Untold.
func (t *Tally) Untold(untold, variance float64) {
	t.untold += untold
	t.spread += variance
}

// leastShared is what the rows of a shard may share, in all, so that it does not matter
// which of them do.
const leastShared = .1

// Shares reports whether it matters what pairs of rows share: whether Pairs has to be called.
func (t *Tally) Shares() bool {
	return t.scored > 1 && float64(float64(t.scored-1)*t.line) > leastShared*t.variance
}

// Pairs takes the line that Share would be told of at the mean of the scored rows' columns, MeanRow. Errors
// of lines are linear in these, so that it is the mean covariance of two rows, of which one in
// as many as there are rows is a row with itself.
func (t *Tally) Pairs(line float64) {
	n := float64(t.scored)
	t.pairs = max((n*line-t.line/n)/(n-1), least*t.line/n)
}

// least is a part of what rows may share that is as good as none.
const least = 1e-9

// MeanRow writes the means of the columns of X over the rows that have a response.
func MeanRow(sh *cdf.Shard, dst []float64) {
	clear(dst)
	rows := 0
	if lin.Finite(sh.Y...) {
		rows = len(sh.Y)
		lin.AddRows(rows, sh.Cols, sh.X, dst)
	} else {
		for i, y := range sh.Y {
			if !math.IsNaN(y) {
				rows++
				lin.AddRows(1, sh.Cols, lin.Row(sh.X, sh.Cols, i), dst)
			}
		}
	}
	for j := range dst {
		dst[j] /= float64(rows)
	}
}

// Score returns the scores; ErrNumeric, wrapped, says that they are not finite.
func (t *Tally) Score(kind string) (cdf.Score, error) {
	t.Out.Rows = int64(t.scored)
	if t.scored == 0 {
		return t.Out, nil
	}
	n := float64(t.scored)
	t.Out.LogDensity = t.Logs / n
	if !math.IsNaN(t.Expected) {
		t.Out.Expected = t.Expected / n
	}
	if t.line > 0 {
		t.Out.Shared = t.line / t.variance
		t.Out.Pair = min(n*t.pairs/t.variance, t.Out.Shared)
	}
	if t.untold > 0 {
		t.Out.Untold = min(t.untold/t.spread, 1)
	}
	t.Out.RMSE = math.Sqrt(t.squares / n)
	t.Out.Coverage95 = float64(t.covered) / n
	if sum := t.Out.LogDensity + t.Out.RMSE; !lin.Finite(sum) {
		return t.Out, fmt.Errorf("%w: %s: score not finite", cdf.ErrNumeric, kind)
	}
	return t.Out, nil
}
