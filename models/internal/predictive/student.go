// Package predictive scores and describes predictions of rows.
package predictive

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// ScoreStudent scores the rows that have a response by t laws with the degrees
// of freedom of law; at returns the mean at a row of X and the squared scales
// of a new observation and of the line. kind names the model in an error.
func ScoreStudent[W any](kind string, law *dist.Standard, sh *cdf.Shard, w W, at func(w W, x []float64) (mean, row, line float64)) (cdf.Score, error) {
	t, score := NewTally(cdf.NoScore()), NewStudentScore(2*law.Shape, law.T[2])
	for i, y := range sh.Y {
		if t.Skip(y) {
			continue
		}
		mean, scale2, line := at(w, lin.Row(sh.X, sh.Cols, i))
		pit, covered := score.Add(y-mean, scale2)
		t.Add(y-mean, pit, covered)
		t.Share(line, scale2)
	}
	t.Logs, t.Expected = score.Logs()
	return t.Score(kind)
}

// PredictStudent describes a new observation and the line of every row by the
// laws of ScoreStudent.
func PredictStudent[W any](law *dist.Standard, sh *cdf.Shard, out []cdf.Prediction, w W, at func(w W, x []float64) (mean, row, line float64)) {
	for i, y := range sh.Y {
		mean, row, line := at(w, lin.Row(sh.X, sh.Cols, i))
		Student(law, mean, math.Sqrt(row), math.Sqrt(line), y, &out[i])
	}
}

// StudentScore sums log densities of t laws with common degrees of freedom.
type StudentScore struct {
	df, limit2      float64
	Rows            int
	variance, shape dist.LogProduct
	bins            dist.StudentBins
}

// NewStudentScore returns the score of no rows under t laws with df degrees of
// freedom; standardised residuals up to the limit count as covered.
func NewStudentScore(df, limit float64) StudentScore {
	return StudentScore{
		df: df, limit2: limit * limit, variance: dist.NewLogProduct(), shape: dist.NewLogProduct(),
		bins: dist.NewStudentBins(df, limit),
	}
}

// Add takes a residual and the squared scale. It returns the residual's
// probability integral transform, as well as a bin of Score.PIT and Score.Wild
// tell it, and whether the residual lies within the limit.
func (s *StudentScore) Add(e, scale2 float64) (pit float64, covered bool) {
	z2 := e * e / scale2
	s.Rows++
	s.variance.Mul(scale2)
	s.shape.Mul(1 + z2/s.df)
	if z2 > farthest*farthest {
		return dist.StudentCDF(e/math.Sqrt(scale2), s.df), z2 <= s.limit2
	}
	return s.bins.At(e, z2), z2 <= s.limit2
}

// AddRows takes responses about the means, whose squared scales are s2 and the
// line's, in the tally too: what Skip, Add and Tally.Add do one by one, with the
// same bits, in less than half of the time. Its inner loop calls nothing, so that sums stay in registers.
func (s *StudentScore) AddRows(t *Tally, y, mean, line []float64, s2 float64) {
	mean, line = mean[:len(y)], line[:len(y)]
	limit, df, bins, first := farthest*farthest, s.df, &s.bins, t.row
	if df < dist.Plentiful {
		limit = -1 // no row is as most are
	}
	var scores []float64
	if t.Scores != nil {
		scores = t.Scores[first:][:len(y)]
	}
	for i := 0; i < len(y); i++ {
		from, covered := i, 0
		variance, shape, squares, lines, scales, neighbours := s.variance.Product(), s.shape.Product(), t.squares, t.line, t.variance, t.Out.Neighbours
		for ; i < len(y); i++ {
			e, scale2 := y[i]-mean[i], s2+line[i]
			z2 := e * e / scale2
			v, p := variance*scale2, shape*(1+z2/df)
			if !(z2 <= limit && dist.Holds(v) && dist.Holds(p)) {
				break
			}
			variance, shape = v, p
			lines, scales, squares = lines+line[i], scales+scale2, squares+e*e
			beyond, side := bins.Beyond(z2), int(int64(math.Float64bits(e))>>63) // -1 below the mean
			bin := cdf.PITBins/2 + (beyond ^ side)
			t.Out.PIT[bin]++
			if neighbours.Add(bin); i < len(scores) {
				scores[i] = cdf.BinScore(bin)
			}
			covered -= (beyond - (cdf.PITBins/2 - 1)) >> 63
		}
		s.variance.Keep(variance)
		s.shape.Keep(shape)
		t.squares, t.line, t.variance, t.Out.Neighbours = squares, lines, scales, neighbours
		s.Rows += i - from
		t.scored += i - from
		t.covered += covered
		if t.row = first + i; i == len(y) || t.Skip(y[i]) {
			continue
		}
		e, scale2 := y[i]-mean[i], s2+line[i]
		t.Share(line[i], scale2)
		pit, within := s.Add(e, scale2)
		t.Add(e, pit, within)
	}
}

// farthest is where the normal law has 1e-6 beyond it: no t law has less.
const farthest = 4.75

// Logs returns the sum of the log densities, and what the laws expect it to be.
func (s *StudentScore) Logs() (sum, expected float64) {
	rows := float64(s.Rows)
	scales, shapes := rows*dist.StudentLogScale(s.df)-0.5*s.variance.Log(), (s.df+1)/2
	return scales - shapes*s.shape.Log(), scales - shapes*rows*dist.StudentMeanLog(s.df)
}

// Student fills a prediction from t laws with 2*shape degrees of
// freedom about mean, with the given scales of observation and line; y is the
// row's response, NaN without one.
func Student(law *dist.Standard, mean, scale, line, y float64, p *cdf.Prediction) {
	limit, df := law.T[2], 2*law.Shape
	p.Mean, p.SD, p.EpredSD = mean, math.NaN(), math.NaN()
	if law.Shape > 1 {
		widen := math.Sqrt(law.Shape / (law.Shape - 1))
		p.SD, p.EpredSD = scale*widen, line*widen
	}
	p.Q025, p.Q975 = mean-limit*scale, mean+limit*scale
	far, near := law.T90()*scale, law.T[0]*scale
	p.Inner = [4]float64{mean - far, mean - near, mean + near, mean + far}
	p.EpredQ025, p.EpredQ975 = mean-limit*line, mean+limit*line
	p.LogDensity, p.PIT = math.NaN(), math.NaN()
	if !math.IsNaN(y) {
		z := (y - mean) / scale
		p.LogDensity = law.LogScale() - math.Log(scale) - (df+1)/2*math.Log1p(z*z/df)
		p.PIT = dist.QuickStudentCDF(z, df)
	}
}
