// Package season tells whether the errors of a time series return: of the day in hours, of the
// week in days; and whether the mean of its level moved. A level follows a season that it does not have, with the steps and the noise that do it best,
// so that each row lies in its predictive distribution as it should; but its errors swing with the season.
//
// Errors are normal scores of the rows' probability integral transforms, each predicted from
// the rows before it: independent, whatever the parameters are. Their periodogram is exponential with the mean 1 at
// every frequency (Fisher, Proceedings of the Royal Society A 125, 1929), and a season is a line in it.
package season

import (
	"math"
	"slices"
)

const (
	// Window is how many scores are remembered, those that are missing too.
	Window = 1024
	// least is how many there must be, and between is after how many the next judgement comes.
	least, between = 64, 16

	// A score counts up to furthest, so that noise with heavy tails hides no season, and is stored in steps of 1/fine.
	furthest, fine = 3.1, 40

	// longest is what steps count up to.
	longest = 1 << 53

	// A line is what exceeds unlikely, and the logarithm of the square of how many windows there were: so all
	// judgements of a stream together raise a false alarm in less than 1 % of streams. It also is as many times what frequencies beside it
	// have, so that errors which last, or a level with another law, are no season.
	unlikely = 14.
	// It has at least fewest periods in the window, each of at least shortest scores.
	fewest, shortest = 4, 2.5
)

// Account is what a key remembers of the errors of its rows.
type Account struct {
	Unit   int64  // steps between two scores, see unit.go
	Scores []int8 // of successive units, the oldest first; 0: none
	Rows   int64  // scores told
	Fresh  int64  // of these, since the last judgement
	Period float32
	// Moved is how many units ago the mean of the level became another, 0 where it did not.
	Moved int64
	clock
}

// Shard is what the rows of a shard tell, and room to judge.
type Shard struct {
	rows       []row
	steps      float64
	phi, ratio float64 // see Level
	spectrum
	series
}

type row struct{ steps, score float64 }

// Reset makes it one of no rows.
func (s *Shard) Reset() { s.rows, s.steps, s.phi, s.ratio = s.rows[:0], 0, 0, 0 }

// Moves reports whether a row begins a step: those of the time of the row before them tell nothing.
func (s *Shard) Moves() bool {
	return slices.ContainsFunc(s.rows, func(r row) bool { return r.steps >= 1 })
}

// Pass says that as many steps of time pass before the next row.
func (s *Shard) Pass(steps float64) { s.steps += steps }

// Tell takes the normal score of a row.
func (s *Shard) Tell(score float64) {
	s.rows = append(s.rows, row{s.steps, score})
	s.steps = 0
}

// Season returns the period, in steps, that errors have, 0 where they have none.
func (a *Account) Season() float64 { return float64(a.Period) * float64(max(a.Unit, 1)) }

// MeanMoved returns how many steps ago the mean of the level became another one, 0 where it did not.
func (a *Account) MeanMoved() float64 { return float64(a.Moved) * float64(max(a.Unit, 1)) }

// Add takes in a shard. Of several rows of a unit the first counts.
func (a *Account) Add(s *Shard) {
	before := a.Rows
	for i := range s.rows {
		if r := &s.rows[i]; r.steps >= 1 && a.reach(min(r.steps, longest), stored(r.score)) {
			a.Rows++
			a.Fresh++
		}
	}
	if s.steps >= 1 {
		a.pass(min(s.steps, longest))
	}
	if a.Fresh >= between && len(a.Scores) >= least {
		a.Fresh, a.Period = 0, float32(s.line(a.Scores, a.limit()))
	}
	if a.due(before) {
		a.judgeMean(s)
	}
}

// limit is what a line exceeds.
func (a *Account) limit() float64 { return unlikely + 2*math.Log1p(float64(a.Rows)/Window) }

func (a *Account) push(score int8) {
	if a.Moved > 0 {
		a.Moved = min(a.Moved+1, longest)
	}
	if len(a.Scores) < Window {
		a.Scores = append(a.Scores, score)
		return
	}
	copy(a.Scores, a.Scores[1:])
	a.Scores[Window-1] = score
}

// stored is a score as it is remembered: never 0, which is none.
func stored(score float64) int8 {
	v := math.Round(fine * min(max(score, -furthest), furthest))
	if v == 0 || math.IsNaN(v) {
		return 1
	}
	return int8(v)
}

// CopyTo makes to the same.
func (a *Account) CopyTo(to *Account) {
	scores := append(to.Scores[:0], a.Scores...)
	*to = *a
	to.Scores = scores
}

// Valid reports whether Add can have left this.
func (a *Account) Valid() bool {
	return a.Unit > 0 && len(a.Scores) <= Window && a.Rows >= 1 && a.Fresh >= 0 && a.Fresh <= a.Rows &&
		a.Period >= 0 && a.Period <= Window && a.possible(a.Unit)
}
