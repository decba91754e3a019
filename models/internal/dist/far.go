package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
)

const (
	// MostFar is how many values Far finds at most.
	MostFar = 10
	// falseFar is in how many sets of normal values Far finds one.
	falseFar = 1e-3
	// leastFar is how many values it takes to tell one from the others.
	leastFar = 6
)

// candidate is a value that may be far off.
type candidate struct {
	at             int
	x, v, w, score float64
}

// FarValues has room for what Far looks at.
type FarValues struct {
	pool [2 * MostFar]candidate
	at   [MostFar]int
}

// sums are those of values with weights w: x is taken from an origin.
type sums struct{ n, w, x, square, v float64 }

func (s *sums) add(x, v, w, sign float64) {
	s.n += sign
	w *= sign
	s.w += w
	s.x += float64(w * x)
	s.square += float64(w * x * x)
	s.v += float64(w * v)
}

// law returns the mean of the values and the variance that they have beside their own.
func (s *sums) law() (mean, variance float64) {
	mean = s.x / s.w
	return mean, max(0, (s.square/s.w-float64(mean*mean))*s.n/(s.n-1)-s.v/s.w)
}

// beyond reports whether a value beside these has, on its side, less than a probability by Student's t. The variance that they
// have beside their own is known as from so many values of one variance as would tell it as well: 2n over the square
// of the sum of the weights is its own.
func (s *sums) beyond(c *candidate, probability float64) bool {
	mean, variance := s.law()
	total := variance + c.v
	known := min(s.n, float64(total*s.w)*float64(total*s.w)/s.n)
	if !(known > 2) {
		return false
	}
	z := math.Abs(c.x-mean) / math.Sqrt(total+(variance+s.v/s.w)/s.n)
	return z > StudentQuantile(-normal.Quantile(probability), known-1)
}

// Far returns which of n values are farther from the others than these allow, the farthest first and at most a third of
// them. They are taken for x_i ~ N(mean, variance + v_i), v_i known, with a variance of about so much; at returns x_i and v_i. It is
// Rosner's generalised test (Technometrics 25, 1983), which one far value does not hide another from, and finds
// some in one to three of 1,000 sets of such values. What it returns is valid until the next call.
func (f *FarValues) Far(n int, about float64, at func(i int) (x, v float64)) []int {
	if n < leastFar || !(about > 0) {
		return nil
	}
	// Far values are part of what it is about: weights are those of the others.
	rest, _ := f.peel(n, about, at)
	_, variance := rest.law()
	_, found := f.peel(n, max(variance, 1e-3*about), at)
	return f.at[:found]
}

// peel takes values off, the farthest first, and returns the sums of the others and how many are far.
func (f *FarValues) peel(n int, about float64, at func(i int) (x, v float64)) (all sums, found int) {
	origin, _ := at(0)
	weighed := func(i int) (x, v, w float64) {
		x, v = at(i)
		return x - origin, v, 1 / (about + v)
	}
	for i := range n {
		x, v, w := weighed(i)
		all.add(x, v, w, 1)
	}
	pool := f.farthest(n, &all, weighed)
	for i := range min(MostFar, n/3) {
		mean, variance := all.law()
		next, most := 0, -1.0
		for k := range pool {
			c := &pool[k]
			if z := math.Abs(c.x-mean) / math.Sqrt(variance+c.v); z > most {
				next, most = k, z
			}
		}
		c := pool[next]
		f.at[i] = c.at
		pool[next] = pool[len(pool)-1]
		pool = pool[:len(pool)-1]
		all.add(c.x, c.v, c.w, -1)
		if all.beyond(&c, falseFar/float64(2*(n-i))) {
			found = i + 1
		}
	}
	return all, found
}

// farthest returns those that are farthest from all, in no order.
func (f *FarValues) farthest(n int, all *sums, at func(i int) (x, v, w float64)) []candidate {
	mean, variance := all.law()
	pool, least := f.pool[:0], 0
	for i := range n {
		x, v, w := at(i)
		score := (x - mean) * (x - mean) / (variance + v)
		switch {
		case len(pool) < len(f.pool):
			pool = append(pool, candidate{i, x, v, w, score})
		case score > pool[least].score:
			pool[least] = candidate{i, x, v, w, score}
		default:
			continue
		}
		for k := range pool {
			if pool[k].score < pool[least].score {
				least = k
			}
		}
	}
	return pool
}
