package reliability

import "math"

// leastDraws is how many draws of the state tell how much rows share.
const leastDraws = 50

// MostDraws is how many are enough.
const MostDraws = 256

// mostOff bounds the columns times the part of the variance that the state does not know: about the square, in units of its own sd, of by
// how much slopes of many columns are too steep, which no draw tells.
const mostOff = .3

// together is how the sums of a shard vary over draws of the state, class by class and column by column.
type together struct {
	asked bool
	draws int
	sums  []float64 // draws for each of the classes, then for each column
}

// Together has the shard told of draws of the state (Spread): how much of each sum rows share is then known. Otherwise they are taken to share all that
// the state does not know of each. That is right enough where many rows were before; where as many predict as are predicted, as of a first
// shard, the rows would count for little.
func (s *Shard) Together() { s.together.asked = true }

// Spreads reports whether the shard, of which all rows were added, is to be told of draws.
func (s *Shard) Spreads() bool {
	all := s.all()
	return s.together.asked && all.judged() && float64(len(s.curves))*all.squares <= mostOff*all.variance
}

// Spread takes the probabilities of a 1 of a row of columns x that was added, at as many draws of the state as for every other row. It
// changes them.
func (s *Shard) Spread(ones, x []float64) {
	t, n := &s.together, len(ones)
	if t.draws != n {
		t.draws, t.sums = n, make([]float64, n*(Classes+len(s.curves)))
	}
	mean := 0.
	for _, v := range ones {
		mean += v
	}
	mean /= float64(n)
	for i := range ones {
		ones[i] -= mean
	}
	t.add(classOf(mean), 1, ones)
	for j, value := range x {
		t.add(Classes+j, curve(value), ones)
	}
}

func (t *together) add(sum int, weight float64, offs []float64) {
	to := t.sums[sum*len(offs):][:len(offs)]
	for i, v := range offs {
		to[i] += float64(weight * v)
	}
}

// settle puts the sds of sums over the draws in the place of the sums of sds, and returns that of the sum of all rows.
func (s *Shard) settle() (all float64) {
	t := &s.together
	whole := make([]float64, t.draws)
	for k := range s.classes {
		offs := t.sums[k*t.draws:][:t.draws]
		s.classes[k].sds = spread(offs)
		for i, v := range offs {
			whole[i] += v
		}
	}
	for j := range s.curves {
		s.curves[j].sds = spread(t.sums[(Classes+j)*t.draws:][:t.draws])
	}
	return spread(whole)
}

// spread is the root of the mean square.
func spread(offs []float64) float64 {
	squares := 0.
	for _, v := range offs {
		squares += float64(v * v)
	}
	return math.Sqrt(squares / float64(len(offs)))
}
