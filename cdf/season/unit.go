package season

import "math"

// Rows of a key seldom come at the times of a clock: they are seconds early and late, some come a second behind another, two sensors send one
// behind the other, nights are missing. So the unit is a gap that is usual: at least a sixth of the time passes in gaps of two thirds of it to one
// and a half, and no more than that in lesser ones, which are crowded; longer ones are sparse.
//
// Times do not slip: a row is in the unit that its time is next to, counted from the first row, whatever the rows between were.
type clock struct {
	Rest    int64 // steps that the last row is behind the middle of its unit
	Crowded int64 // by how much crowded gaps outweigh the others, and the greatest of them
	Most    int64
	Sparse  int64 // by how much sparse ones outweigh those of about a unit, and the least of them
	Least   int64
}

const (
	// beginning is how many rows have the least gap as unit, unless sparse ones outweigh it.
	beginning = 32
	// others is what a unit of time counts for of those that are not to be less than a sixth or more than that; pause is
	// what one gap counts for at the most, so that a month without rows by the hour changes nothing; enough is what it takes.
	others, pause, enough = 5, Window / 4, Window
	// grain is how many votes a unit has.
	grain = 1 << 20
)

// reach goes to a row that is as many steps behind the one before, and reports whether it is the first of its unit.
func (a *Account) reach(steps float64, score int8) bool {
	if a.Unit == 0 { // what passed before the first row of a key is no gap
		a.Unit = int64(steps)
		a.push(score)
		return true
	}
	a.suit(min(steps+float64(a.silent())*float64(a.Unit), longest))
	return a.put(a.advance(steps), score)
}

// silent is how many units without a row are behind the last one.
func (a *Account) silent() (n int) {
	for i := len(a.Scores) - 1; i >= 0 && a.Scores[i] == 0; i-- {
		n++
	}
	return n
}

// advance lets steps pass and returns how many units these are.
func (a *Account) advance(steps float64) float64 {
	at := float64(a.Rest) + steps
	units := math.Floor(at/float64(a.Unit) + .5)
	a.Rest = int64(at - float64(units*float64(a.Unit)))
	return units
}

// put enters the score of a row that is as many units on.
func (a *Account) put(units float64, score int8) bool {
	last := len(a.Scores) - 1
	if units < 1 && last >= 0 {
		if a.Scores[last] != 0 {
			return false
		}
		a.Scores[last] = score
		return true
	}
	a.leave(units - 1)
	a.push(score)
	return true
}

// pass lets steps without a row pass.
func (a *Account) pass(steps float64) {
	if a.Unit > 0 {
		a.leave(a.advance(steps))
	}
}

// leave leaves room for as many units without a row.
func (a *Account) leave(missing float64) {
	if missing >= Window {
		a.Scores = a.Scores[:0]
		if a.Moved > 0 {
			a.Moved = int64(min(float64(a.Moved)+missing, longest))
		}
		return
	}
	for range int(missing) {
		a.push(0)
	}
}

// suit changes the unit where gaps between rows are mostly others.
func (a *Account) suit(gap float64) {
	size := gap / float64(a.Unit)
	if size < 1 && a.Rows < beginning || a.Rows == 1 {
		a.resize(int64(gap))
		return
	}
	vote := int64(grain * min(size, pause))
	switch {
	case size < 2./3:
		a.Crowded += others * vote
		a.Most = max(a.Most, int64(gap))
	case size <= 1.5:
		a.Sparse -= others * vote
		a.Crowded -= vote
	default:
		if a.Sparse == 0 {
			a.Least = int64(gap)
		}
		a.Sparse += vote
		a.Least = min(a.Least, int64(gap))
		a.Crowded -= vote
	}
	if a.Crowded <= 0 {
		a.Crowded, a.Most = 0, 0
	}
	if a.Sparse <= 0 {
		a.Sparse, a.Least = 0, 0
	}
	switch {
	case a.Crowded >= grain*enough/8:
		a.resize(a.Most)
	case a.Sparse >= grain*enough:
		a.resize(a.Least)
	}
}

// resize makes the unit another one; scores keep their times, and the season that they have where enough are left to judge it.
func (a *Account) resize(unit int64) {
	by := float64(a.Unit) / float64(unit)
	var scores [Window]int8
	n := 0
	last := len(a.Scores) - 1
	for i := last; i >= 0; i-- { // of several in a unit the first counts
		if at := int(math.Round(float64(last-i) * by)); at < Window && a.Scores[i] != 0 {
			scores[at] = a.Scores[i]
			n = at + 1
		}
	}
	if last >= 0 {
		n = max(n, 1)
	}
	a.Scores = a.Scores[:0]
	for i := n - 1; i >= 0; i-- {
		a.Scores = append(a.Scores, scores[i])
	}
	if a.Moved > 0 {
		a.Moved = int64(max(1, math.Round(min(float64(a.Moved)*by, longest))))
	}
	if a.Period = float32(min(float64(a.Period)*by, Window)); n < least {
		a.Period = 0
	}
	a.Unit = unit
	a.clock = clock{Rest: a.Rest % unit}
}

// possible reports whether reach can have left this.
func (c *clock) possible(unit int64) bool {
	told := func(weight, gap int64) bool {
		return (weight > 0) == (gap > 0) && weight >= 0 && weight <= 2*grain*enough && gap >= 0 && gap <= longest
	}
	return c.Rest >= -unit && c.Rest <= unit && told(c.Crowded, c.Most) && told(c.Sparse, c.Least)
}
