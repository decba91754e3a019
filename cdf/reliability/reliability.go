// Package reliability tells whether the probabilities that a model of two classes predicts come
// true. Randomised transforms hardly tell it: of a response that is 0 or 1 nearly all of a
// transform is chance.
//
// Of rows that are predicted before they are known the sums of y - q have the mean 0, whatever
// came before and whatever the next row is chosen to count for. They are kept for classes of q,
// the reliability diagram (Hosmer and Lemeshow, Communications in Statistics A 9, 1980), where
// wrong labels, tails that are too thin and interactions show, and for each column weighted by its
// square, where a curve shows that the model does not have.
package reliability

import "math"

// Classes is the number of classes of the predicted probability of a 1.
const Classes = 8

// edges are those of the classes, the normal distribution function at -2.2, -1.3, -.6, 0, ...: confident
// predictions have classes of their own.
var edges = [Classes - 1]float64{.0139034475, .0968004846, .2742531178, .5, .7257468822, .9031995154, .9860965525}

const (
	// mostSquare bounds what a row far out counts for: squares of columns, which have an sd of
	// about 1, count up to it.
	mostSquare = 6
	// leastVariance is the least variance of a response that is believed.
	leastVariance = 1e-3
	// mostShared is the part of the variance of responses that the state may not know: while rows are few for the
	// columns the prior decides what is predicted.
	mostShared = .05
	// recalled is about how many rows an account holds: more fade.
	recalled = 20_000
	// leastRows is how many it needs to be judged.
	leastRows = 50

	// unlikely is the quantile of 1 - 1e-4 of chi-square with a degree of freedom for each class.
	unlikely = 31.83
	// doubtful is twice minus the logarithm of as much, of one sum on one side.
	doubtful = 18.42
	// departure of a row is left alone: the square of the error of its probability over the variance of
	// the response, as of .035 where it is one half.
	departure = .005
	// sure is the part of what is unlikely that has to come from classes of which too much is
	// predicted. Where the prior keeps a steep slope down predictions are too cautious, and safe.
	sure = .25
)

// tally is what the rows of a shard add to a sum.
type tally struct {
	off, variance float64 // of y - q
	sds, squares  float64 // of q over the state
}

func (t *tally) add(weight, off, variance, sd float64) {
	t.off += float64(weight * off)
	t.variance += float64(weight * weight * variance)
	sd *= math.Abs(weight)
	t.sds += sd
	t.squares += float64(sd * sd)
}

// judged reports whether the state knows enough for the rows to be judged.
func (t *tally) judged() bool { return t.squares <= mostShared*t.variance }

// weight is what y - q counts for of rows that were predicted together, so that its variance is
// that of as many independent ones. The errors of q are one error at most.
func (t *tally) weight() float64 {
	return t.variance / (t.variance + max(float64(t.sds*t.sds)-t.squares, 0))
}

// Shard is what the rows of a shard are to their predictions.
type Shard struct {
	rows      int
	classes   [Classes]tally
	curves    []tally // of columns
	intercept bool    // the first of them is 1 in every row, of either sign
	wrong     float64 // the logarithm of the ratio of wrong labels
	together  together
}

// Reset makes it one of no rows, of columns of which the first may be an intercept.
func (s *Shard) Reset(intercept bool) { *s = Shard{curves: s.curves[:0], intercept: intercept} }

// Rows returns the number of rows.
func (s *Shard) Rows() int { return s.rows }

// Begin makes it one of no rows with as many columns.
func (s *Shard) Begin(columns int) {
	if cap(s.curves) < columns {
		s.curves = make([]tally, columns)
	}
	*s = Shard{curves: s.curves[:columns], intercept: s.intercept, together: together{asked: s.together.asked}}
	clear(s.curves)
}

// Add takes a row whose response y, 0 or 1, was predicted with the probability q, which has
// the given variance over the state. x are the columns, of either sign.
func (s *Shard) Add(y, q, variance float64, x []float64) {
	s.rows++
	one := q // the probability of a 1
	off := 1 - q
	if y == 0 {
		one, off = 1-q, -off
	}
	v, sd := max(float64(q*(1-q)), leastVariance), math.Sqrt(variance)
	s.classes[classOf(one)].add(1, off, v, sd)
	s.wrong += wrongRatio(q)
	curves := s.curves[:len(x)]
	for j, value := range x {
		curves[j].add(curve(value), off, v, sd)
	}
}

// all is the sum of all rows, which share what those of a class do.
func (s *Shard) all() (all tally) {
	for k := range s.classes {
		t := &s.classes[k]
		all.variance += t.variance
		all.sds += t.sds
		all.squares += t.squares
	}
	return all
}

// classOf returns that of a probability of a 1.
func classOf(one float64) (class int) {
	for class < len(edges) && one > edges[class] {
		class++
	}
	return class
}

// curve is what a row counts for in the sum of a column.
func curve(x float64) float64 { return min(float64(x*x), mostSquare) - 1 }

// Sum is a sum of y - q and its variance.
type Sum struct{ Off, Variance float32 }

func (s *Sum) add(t *tally) {
	if w := t.weight(); w > 0 {
		s.Off += float32(w * t.off)
		s.Variance += float32(w * t.variance)
	}
}

// doubt returns twice minus the logarithm of the chance that the sum is as far from 0 on its side,
// at most, where a row counts for up to the given weight (Bennett's inequality). Of many rows that is the square of
// its standardised value, and few decide less than a normal law says.
func (s *Sum) doubt(weight float64) float64 {
	v := float64(s.Variance)
	if !(v > 0) {
		return 0
	}
	far := weight * math.Abs(float64(s.Off)) / v
	return 2 * v / (weight * weight) * (float64((1+far)*math.Log1p(far)) - far)
}

// Account is what is known of the predictions of a key.
type Account struct {
	Rows    float32 // that are independent, of about the last recalled
	Classes [Classes]Sum
	// Curves are of the columns. That of an intercept has none: its place has the logarithm of the ratio of wrong labels and Rows.
	Curves    []Sum
	Intercept bool
}

// Add takes in a shard.
func (a *Account) Add(s *Shard) {
	all := s.all()
	if s.rows == 0 || !all.judged() {
		return
	}
	if s.together.draws >= leastDraws {
		all.sds = s.settle()
	}
	if len(a.Curves) != len(s.curves) {
		a.Curves = make([]Sum, len(s.curves))
	}
	weight := all.weight()
	a.Rows += float32(float64(s.rows) * weight)
	for k := range s.classes {
		a.Classes[k].add(&s.classes[k])
	}
	for j := range s.curves {
		a.Curves[j].add(&s.curves[j])
	}
	a.addLabels(s, weight)
	if a.Rows > recalled {
		a.fade(recalled / a.Rows)
		a.Rows = recalled
	}
}

func (a *Account) fade(by float32) {
	for _, sums := range [...][]Sum{a.Classes[:], a.Curves} {
		for i := range sums {
			sums[i].Off *= by
			sums[i].Variance *= by
		}
	}
}

// Unreliable reports whether probabilities do not come true, by more than chance allows and by enough to
// matter.
func (a *Account) Unreliable() bool {
	return a.Rows >= leastRows && (a.wrongClasses() || a.Curved() >= 0 || a.Mislabelled())
}

func (a *Account) wrongClasses() bool {
	all, tooSure := 0., 0.
	for k := range a.Classes {
		s := &a.Classes[k]
		doubt := s.doubt(1)
		if all += doubt; (s.Off > 0) == (k < Classes/2) {
			tooSure += doubt
		}
	}
	return all > max(unlikely, Classes+float64(departure*float64(a.Rows))) && tooSure >= sure*all
}

// Curved returns the column that shows most of a curve, and -1 where none shows enough.
func (a *Account) Curved() int {
	column, greatest := -1, 0.
	for j := range a.Curves {
		if j == 0 && a.Intercept {
			continue
		}
		if doubt := a.Curves[j].doubt(mostSquare - 1); doubt > greatest {
			column, greatest = j, doubt
		}
	}
	if !(greatest > max(doubtful+float64(2*math.Log(float64(2*len(a.Curves)))), departure*float64(a.Rows))) {
		return -1
	}
	return column
}

// CopyTo makes to the same, and keeps the room that it has.
func (a *Account) CopyTo(to *Account) {
	curves := append(to.Curves[:0], a.Curves...)
	*to = *a
	to.Curves = curves
}

// Valid reports whether Add can have left this.
func (a *Account) Valid() bool {
	if !(a.Rows > 0 && a.Rows <= recalled) {
		return false
	}
	for _, sums := range [...][]Sum{a.Classes[:], a.Curves} {
		for i := range sums {
			if s := &sums[i]; !(s.Variance >= 0) || s.Variance == 0 && s.Off != 0 {
				return false
			}
		}
	}
	return true
}
