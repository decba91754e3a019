package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// part is one of the things that a drawn regime is made of, in words.
type part[T any] struct {
	words string
	it    T
}

// pick returns one of the parts: the first, which is what a model is for, as often as all others.
func pick[T any](r *rand.Rand, parts []part[T]) part[T] {
	if r.IntN(2) == 0 {
		return parts[0]
	}
	return parts[1+r.IntN(len(parts)-1)]
}

// oneOf returns one of some values.
func oneOf[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// law makes n values; before are those of the column before, or none.
type law func(r *rand.Rand, n int, before []float64) []float64

// each is the law of values that have nothing to do with each other.
func each(value func(r *rand.Rand) float64) law {
	return func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = value(r)
		}
		return out
	}
}

// columns are the laws of columns.
var columns = []part[law]{
	{"normal", each((*rand.Rand).NormFloat64)},
	{"exp(N(0, 1.5^2))", each(func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) })},
	{"1 in one row of 20, else 0", each(func(r *rand.Rand) float64 { return float64(max(r.IntN(20)-18, 0)) })},
	{"0 or 1", each(func(r *rand.Rand) float64 { return float64(r.IntN(2)) })},
	{"a grade from 1 to 5", each(func(r *rand.Rand) float64 { return float64(1 + r.IntN(5)) })},
	{"t with 3 degrees of freedom", each(func(r *rand.Rand) float64 { return heavy(r, 3) })},
	{"N(10000, 1)", each(func(r *rand.Rand) float64 { return 1e4 + r.NormFloat64() })},
	{"0 in half of the rows, else exponential", each(func(r *rand.Rand) float64 { return r.ExpFloat64() * float64(r.IntN(2)) })},
	{"the row's number", func(_ *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}},
	{"0 in the first half of the rows, then normal", func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := n / 2; i < n; i++ {
			out[i] = r.NormFloat64()
		}
		return out
	}},
	{"near the column before", func(r *rand.Rand, n int, before []float64) []float64 {
		out := make([]float64, n)
		copy(out, before)
		for i := range out {
			out[i] += .3 * r.NormFloat64()
		}
		return out
	}},
	{"the same in ten rows", func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			if out[i] = r.NormFloat64(); i%10 > 0 {
				out[i] = out[i-1]
			}
		}
		return out
	}},
	{"a walk", func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := 1; i < n; i++ {
			out[i] = out[i-1] + r.NormFloat64()
		}
		return out
	}},
}

// noises are the laws of noise of mean 0 and variance 1.
var noises = []part[law]{
	{"normal", each((*rand.Rand).NormFloat64)},
	{"t with 3 degrees of freedom", each(func(r *rand.Rand) float64 { return heavy(r, 1) })},
	{"exponential", each(func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 })},
	{"uniform", each(func(r *rand.Rand) float64 { return math.Sqrt(12) * (r.Float64() - .5) })},
	{"of two sizes, one row in 20 five times the others", each(func(r *rand.Rand) float64 {
		return r.NormFloat64() / math.Sqrt(2.2) * float64(1+4*max(r.IntN(20)-18, 0))
	})},
	{"correlated .6 from row to row", func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			if out[i] = r.NormFloat64(); i > 0 {
				out[i] = .6*out[i-1] + .8*out[i]
			}
		}
		return out
	}},
	{"that one value in ten rows is half of", func(r *rand.Rand, n int, _ []float64) []float64 {
		out, shared := make([]float64, n), 0.
		for i := range out {
			if i%10 == 0 {
				shared = r.NormFloat64()
			}
			out[i] = (shared + r.NormFloat64()) / math.Sqrt2
		}
		return out
	}},
	{"that grows from a tenth to the end", func(r *rand.Rand, n int, _ []float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64() * (.1 + .9*float64(i)/float64(n)) / math.Sqrt(.37)
		}
		return out
	}},
}

// order is an order of rows by what they have, their first column and their response.
type order func(r *rand.Rand, x1, y []float64) []int

// orders are the orders in which rows may come, the one by a column last.
var orders = []part[order]{
	{"as they come", func(_ *rand.Rand, _, y []float64) []int { return upTo(len(y)) }},
	{"sorted by the response", func(_ *rand.Rand, _, y []float64) []int { return sorted(y) }},
	{"nearly sorted by the response", func(r *rand.Rand, _, y []float64) []int {
		noisy, sd := slices.Clone(y), spread(y)
		for i := range noisy {
			noisy[i] += sd * r.NormFloat64()
		}
		return sorted(noisy)
	}},
	{"sorted by x1", func(_ *rand.Rand, x1, _ []float64) []int { return sorted(x1) }},
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func sorted(by []float64) []int {
	out := upTo(len(by))
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(by[a], by[b]) })
	return out
}

// memberships are how rows fall to k groups.
var memberships = []part[func(r *rand.Rand, n, k int) []int]{
	{"by chance", func(r *rand.Rand, n, k int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = r.IntN(k)
		}
		return out
	}},
	{"in turn", func(_ *rand.Rand, n, k int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i % k
		}
		return out
	}},
	{"one group after the other", func(_ *rand.Rand, n, k int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i * k / n
		}
		return out
	}},
	{"by chance, the j-th 1/j as often as the first", func(r *rand.Rand, n, k int) []int {
		out, total := make([]int, n), 0.
		for j := range k {
			total += 1 / float64(j+1)
		}
		for i := range out {
			at := total * r.Float64()
			for j := range k {
				if at -= 1 / float64(j+1); at < 0 {
					break
				}
				out[i] = min(j+1, k-1)
			}
		}
		return out
	}},
	{"by chance of those that are there, a tenth with each shard", func(r *rand.Rand, n, k int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = r.IntN(max(k*(i*shards/n+1)/shards, 1))
		}
		return out
	}},
}

// levels are the laws of what groups differ by, of mean 0 and variance 1.
var levels = []part[law]{
	{"normal", each((*rand.Rand).NormFloat64)},
	{"uniform", each(func(r *rand.Rand) float64 { return math.Sqrt(12) * (r.Float64() - .5) })},
	{"of two modes", each(func(r *rand.Rand) float64 { return (float64(2*r.IntN(2)-1) + .3*r.NormFloat64()) / math.Sqrt(1.09) })},
	{"exponential", each(func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 })},
	{"t with 3 degrees of freedom", each(func(r *rand.Rand) float64 { return heavy(r, 1) })},
}
