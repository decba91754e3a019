package curved

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf/vec"
)

const (
	// mostSizes is how many rows of a shard are looked at, of those that are looked at for curves.
	mostSizes = 40
	// presumed is how many rows the means of squares begin with, which are 1.
	presumed = 50
	// doubtfulSize is twice minus the logarithm of 1e-3: as doubtful, of a sum that counts on one side only.
	doubtfulSize = 13.82
	// departureSize is the square of the correlation of both squares that is left alone: the interval of 95 % of a slope then holds it in .93 or more.
	departureSize = .002
	// departureDummy is the part by which the squared error of a dummy's coefficient is larger than told that is left alone: as much.
	departureDummy = .15
)

// Spread is what is known of how the size of errors depends on a column.
type Spread struct {
	Off, Variance float32 // sum of products, and its variance
	Level         float32 // mean of the squares of the column: of a dummy its mean
}

// Uneven tells whether errors vary more where a column is far from 0, of a model that has one variance for all rows: the
// interval of the column's slope is then too short, however many rows there are.
//
// The statistic is a score test of it (Koenker, Journal of Econometrics 17, 1981), row by row: squares of normal scores less
// their mean so far, times squares of the column less theirs. Its variance is told by the rows and by the shards that made it,
// as that of a curve, so that neither heavy tails nor what the rows of a shard share is taken for it.
//
// Of a dummy of mean m the square of the distance from m is linear in it, (1-2m) x + m^2: errors count that vary more with the
// rarer of its two values.
type Uneven struct {
	Rows    float32  // that were judged, of about the last recalled
	Mean    float32  // of the squares of scores
	Columns []Spread // those of the curves, and then dummies
}

// BeginEven is Begin of a model whose errors have one variance, which dummies alone are enough for.
func (s *Shard) BeginEven(rows int) []float64 {
	if s == nil {
		return nil
	}
	return s.begin(rows, true)
}

// excesses makes the squares of scores what they are above a mean, and returns their sum and how many there are. A score of
// 0 is that of a row without a response, and has none.
func (s *Shard) excesses(scores []float64, mean float64) (sum, rows float64) {
	s.excess = s.excess[:0]
	for _, z := range scores {
		e := 0.
		if z != 0 {
			e = float64(z*z) - mean
			rows++
		}
		s.excess = append(s.excess, e)
		sum += e
	}
	return sum, rows
}

// add takes in the rows of a shard, thinned already, that stand stride apart in x: of many some that stand together, from another place
// in each shard.
func (u *Uneven) add(s *Shard, x []float64, stride int, runs, dummies []Run) {
	before := float64(u.Rows)
	scores := s.scores
	if more := len(scores) - mostSizes; more > 0 {
		from := int(before) % (more + 1)
		scores, x = scores[from:from+mostSizes], x[from*stride:]
	}
	sum, rows := s.excesses(scores, float64(u.Mean))
	if rows == 0 {
		return
	}
	level, slope := s.sums(len(u.Columns))
	clear(slope)
	for k := range level {
		level[k] = float64(u.Columns[k].Level)
	}
	s.addRuns(x, stride, s.excess, 0, runs)
	s.addRuns(x, stride, s.excess, ColumnsOf(runs), dummies)
	gain := rows / (presumed + before + rows)
	u.Mean += float32(gain * sum / rows)
	gain /= float64(len(s.excess))
	per := 0.
	if before > 0 {
		per = rows / before
	}
	for k := range u.Columns {
		c := &u.Columns[k]
		grow(&c.Off, &c.Variance, s.at.Off[k], s.at.Squares[k], per)
		c.Level += float32(gain * s.at.Weight[k])
	}
	if u.Rows += float32(rows); u.Rows > recalled {
		by := recalled / u.Rows
		for k := range u.Columns {
			u.Columns[k].Off *= by
			u.Columns[k].Variance *= by
		}
		u.Rows = recalled
	}
}

// ColumnsOf counts the columns of runs.
func ColumnsOf(runs []Run) (n int) {
	for _, run := range runs {
		n += run.Columns
	}
	return n
}

// addRuns adds the rows to the sums of the columns, from one on.
func (s *Shard) addRuns(x []float64, stride int, scores []float64, at int, runs []Run) {
	for _, run := range runs {
		part := s.part(at, at+run.Columns)
		vec.AddCurves(x[run.From:], stride, scores, &part, furthest)
		at += run.Columns
	}
}

// UnevenAt returns the column far from whose mean errors vary most beyond what they do near it, those of the dummies behind the others, and -1
// where none shows enough: by more than chance allows, and by enough to matter. What a curve that is left out does to errors is no matter of
// their size.
func (a *Account) UnevenAt() int {
	u := &a.Uneven
	if u.Rows < leastRows {
		return -1
	}
	column, greatest := -1, doubtfulSize+float64(2*math.Log(float64(len(u.Columns))))
	for k := range u.Columns {
		c := &u.Columns[k]
		d, matters := doubt(c.Off, c.Variance, u.Rows), c.Off > 0
		if k < len(a.Columns) {
			matters = matters && d > departureSize*float64(u.Rows)
		} else {
			mean := float64(c.Level)
			matters = (1-2*mean)*float64(c.Off) > departureDummy*mean*(1-mean)*float64(u.Rows)
		}
		if matters && d > greatest {
			column, greatest = k, d
		}
	}
	if column >= 0 && a.Curved() >= 0 {
		return -1
	}
	return column
}

// spreadBytes is what a column is in a state.
const spreadBytes = 12

// AppendUneven appends what ReadUneven reads, of an account that has some.
func (a *Account) AppendUneven(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(a.Uneven.Columns)-len(a.Columns)))
	b = append32(append32(b, a.Uneven.Rows), a.Uneven.Mean)
	for k := range a.Uneven.Columns {
		c := &a.Uneven.Columns[k]
		b = append32(append32(append32(b, c.Off), c.Variance), c.Level)
	}
	return b
}

// ReadUneven reads what AppendUneven wrote of as many columns as the account has, and returns what follows. A nil account has none.
func (a *Account) ReadUneven(b []byte) (rest []byte, ok bool) {
	if a == nil {
		return nil, false
	}
	u := &a.Uneven
	dummies, size := binary.Uvarint(b)
	if size <= 0 || dummies > uint64(len(b)/spreadBytes) || len(b)-size < 8+(len(a.Columns)+int(dummies))*spreadBytes {
		return nil, false
	}
	b = b[size:]
	next := func() float32 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return v
	}
	u.begin(len(a.Columns), int(dummies))
	u.Rows, u.Mean = next(), next()
	sum := float64(u.Mean)
	ok = u.Rows > 0 && u.Rows <= recalled && u.Mean >= 0
	for k := range u.Columns {
		u.Columns[k] = Spread{next(), next(), next()}
		c := &u.Columns[k]
		sum += float64(c.Off) + float64(c.Variance) + float64(c.Level)
		ok = ok && c.Variance >= 0 && c.Level >= 0
	}
	return b, ok && !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

// begin makes it one of as many columns, and dummies, that nothing is known of, in the room that it has.
func (u *Uneven) begin(columns, dummies int) {
	all := columns + dummies
	if cap(u.Columns) < all {
		u.Columns = make([]Spread, all)
	}
	u.Mean, u.Columns = 1, u.Columns[:all]
	for k := range u.Columns {
		u.Columns[k] = Spread{Level: 1}
		if k >= columns {
			u.Columns[k].Level = .5 // of neither side
		}
	}
}
