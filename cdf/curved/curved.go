// Package curved tells whether a response depends on a column by a curve that the model does not have: a square, a
// threshold, saturation. A line then stands for the curve, and the mean of the response at a given x is far from its
// interval, while transforms of all rows together are as they should be.
//
// Rows are predicted before they are known, so that normal scores of their transforms have the mean 0, whatever came
// before and whatever they are weighted by that follows from columns. Their sums are kept of each column, weighted by
// the square of the column less what a constant and the column itself tell of it. The variance of a
// sum is told by the rows and by the shards that made it (after White, Econometrica 48, 1980), so that neither noise that
// depends on a column, nor what the rows of a shard share, is taken for a curve.
package curved

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf/vec"
)

const (
	// furthest is how far from 0 a column counts as that, which has an sd of about 1: a row far out decides nothing.
	furthest = 2
	// most is how many rows of a shard are looked at, so that a large one costs little.
	most = 128
	// fewest is how many shards one makes that is taken in apart.
	fewest = 16
	// recalled is about how many rows an account holds: more fade.
	recalled = 20_000
	// leastRows is how many it needs to be judged.
	leastRows = 50
	// doubtful is twice minus the logarithm of 1e-4, the chance of one sum on one side: a sum that its own squares
	// are the variance of exceeds it as rarely (de la Peña, Annals of Probability 27, 1999).
	doubtful = 18.42
	// leastVariance of a row is that of a column that has more than two values.
	leastVariance = 1e-3
	// departure is the part of the variance of scores that a curve may make for nothing.
	departure = .005
)

// Column is what is known of a column.
type Column struct {
	Off, Variance float32 // sum of weighted scores, and its variance
	Level, Slope  float32 // what the square of the column is in the mean, given the column: a line
}

// Account is what is known of the columns of a key.
type Account struct {
	Rows    float32 // that were judged, of about the last recalled
	Columns []Column
	Uneven  Uneven // of the size of errors, of no column where that is not asked
}

// Shard is what the rows of a shard are to their predictions, and room for what follows from it.
type Shard struct {
	told, even   bool
	flat         bool // no column may have a curve
	scores, room []float64
	excess       []float64 // of the squares of scores
	at           vec.Curves
}

// Run are columns of a matrix that stand side by side.
type Run struct{ From, Columns int }

// Reset makes it one that nothing is told of.
func (s *Shard) Reset() { s.told = false }

// Ask says whether a column may have a curve: else a model is asked only if it has one variance for all rows.
func (s *Shard) Ask(curves bool) { s.flat = !curves }

// Told reports whether something is told of it.
func (s *Shard) Told() bool { return s.told }

// Begin makes it one of as many rows and returns their normal scores, all 0, to be told. Those of rows without a response
// stay 0. It returns nil where there is no shard, or none whose columns may have a curve.
func (s *Shard) Begin(rows int) []float64 {
	if s == nil || s.flat {
		return nil
	}
	return s.begin(rows, false)
}

func (s *Shard) begin(rows int, even bool) []float64 {
	if cap(s.scores) < rows {
		s.scores = make([]float64, rows)
	}
	s.told, s.even, s.scores = true, even, s.scores[:rows]
	clear(s.scores)
	return s.scores
}

// sums makes room for those of so many columns, all 0, beside what their weights are.
func (s *Shard) sums(n int) (level, slope []float64) {
	if len(s.at.Level) != n {
		if cap(s.room) < 6*n {
			s.room = make([]float64, 6*n)
		}
		s.room = s.room[:6*n]
		part := func(i int) []float64 { return s.room[i*n : (i+1)*n] }
		s.at = vec.Curves{Level: part(0), Slope: part(1), Off: part(2), Squares: part(3), Weight: part(4), Product: part(5)}
	}
	clear(s.room[2*n:])
	return s.at.Level, s.at.Slope[:n]
}

// thin leaves every so many rows of a large shard, and returns how many of these have a score, as many as given having one.
func (s *Shard) thin(rows, apart int) int {
	all, kept := len(s.scores), 0
	for i := 0; i < all; i += apart {
		s.scores[kept] = s.scores[i]
		kept++
	}
	s.scores = s.scores[:kept]
	return max(rows*kept/all, 1)
}

// part returns the sums of some of the columns.
func (s *Shard) part(from, to int) vec.Curves {
	c := &s.at
	return vec.Curves{
		Level: c.Level[from:to], Slope: c.Slope[from:to], Off: c.Off[from:to],
		Squares: c.Squares[from:to], Weight: c.Weight[from:to], Product: c.Product[from:to],
	}
}

// Add takes in a shard that is told, of rows that stand stride apart in x, of which as many as given, one at least, have a
// score. The runs are the columns, the same of a key at every shard, and the dummies those of zeros and ones, which have no curve.
func (a *Account) Add(s *Shard, x []float64, stride int, runs, dummies []Run, rows int) {
	level, slope := s.sums(len(a.Columns))
	for k := range level {
		level[k], slope[k] = float64(a.Columns[k].Level), float64(a.Columns[k].Slope)
	}
	if apart := (len(s.scores) + most - 1) / most; apart > 1 {
		rows, stride = s.thin(rows, apart), stride*apart
	}
	s.addRuns(x, stride, s.scores, 0, runs)
	n, before := float64(rows), float64(a.Rows)
	per, gain := 0., n/(before+n)/float64(len(s.scores))
	if before > 0 {
		per = n / before
	}
	offs, squares, weights, products := s.at.Off, s.at.Squares, s.at.Weight, s.at.Product
	for k, off := range offs {
		c := &a.Columns[k]
		grow(&c.Off, &c.Variance, off, squares[k], per)
		c.Level += float32(gain * weights[k])
		c.Slope += float32(gain * products[k])
	}
	if a.Rows += float32(n); a.Rows > recalled {
		by := recalled / a.Rows
		for k := range a.Columns {
			a.Columns[k].Off *= by
			a.Columns[k].Variance *= by
		}
		a.Rows = recalled
	}
	if s.even {
		if len(a.Uneven.Columns) == 0 {
			a.Uneven.begin(len(a.Columns), ColumnsOf(dummies))
		}
		a.Uneven.add(s, x, stride, runs, dummies)
	}
}

// grow adds the sum of a shard to one, and to its variance, per rows before. A shard by itself: what its sum is above that of as many
// rows before is at least its variance in the mean.
func grow(sum, variance *float32, off, squares, per float64) {
	d := off - float64(float64(*sum)*per)
	if d *= d; d > squares {
		squares = d
	}
	*sum += float32(off)
	*variance += float32(squares)
}

// doubt is the square of a sum over its variance, which is at least that of as many rows.
func doubt(sum, variance, rows float32) float64 {
	off := float64(sum)
	return off * off / float64(max(variance, leastVariance*rows))
}

// AddApart takes in a shard of which all rows have a score and share little, as several small ones: the variance of a sum needs some.
func (a *Account) AddApart(s *Shard, x []float64, stride int, runs, dummies []Run) {
	all := s.scores
	size := min(most, (len(all)+fewest-1)/fewest)
	for from := 0; from < len(all); from += size {
		to := min(from+size, len(all))
		s.scores = all[from:to]
		a.Add(s, x[from*stride:], stride, runs, dummies, to-from)
	}
	s.scores = all
}

// Curved returns the column that shows most of a curve, and -1 where none shows enough: by more than chance allows, and
// by enough to matter.
func (a *Account) Curved() int {
	if a.Rows < leastRows {
		return -1
	}
	column, greatest := -1, max(doubtful+float64(2*math.Log(float64(2*len(a.Columns)))), departure*float64(a.Rows))
	for k := range a.Columns {
		c := &a.Columns[k]
		if d := doubt(c.Off, c.Variance, a.Rows); d > greatest {
			column, greatest = k, d
		}
	}
	return column
}

// CopyTo makes to the same, and keeps the room that it has.
func (a *Account) CopyTo(to *Account) {
	columns, spreads := append(to.Columns[:0], a.Columns...), append(to.Uneven.Columns[:0], a.Uneven.Columns...)
	*to = *a
	to.Columns, to.Uneven.Columns = columns, spreads
}

// Append appends what Read reads.
func (a *Account) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(a.Columns)))
	b = append32(b, a.Rows)
	for k := range a.Columns {
		c := &a.Columns[k]
		b = append32(append32(append32(append32(b, c.Off), c.Variance), c.Level), c.Slope)
	}
	return b
}

func append32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// columnBytes is what a column is in a state.
const columnBytes = 16

// Read reads what Append wrote, and returns what follows. Columns that the account has are room. It reports whether Add can have left it.
func (a *Account) Read(b []byte) (rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)/columnBytes) || len(b)-size < 4+int(n)*columnBytes {
		return nil, false
	}
	b = b[size:]
	next := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return v
	}
	a.Rows = next()
	if cap(a.Columns) < int(n) {
		a.Columns = make([]Column, n)
	}
	a.Columns = a.Columns[:n]
	for k := range a.Columns {
		a.Columns[k] = Column{next(), next(), next(), next()}
	}
	return b, a.valid()
}

func (a *Account) valid() bool {
	if !(a.Rows > 0 && a.Rows <= recalled) {
		return false
	}
	for _, c := range a.Columns {
		sum := float64(c.Off) + float64(c.Variance) + float64(c.Level) + float64(c.Slope)
		if !(c.Variance >= 0) || math.IsInf(sum, 0) || math.IsNaN(sum) {
			return false
		}
	}
	return true
}
