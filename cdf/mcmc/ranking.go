package mcmc

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// ranking is numbers in ascending order.
type ranking struct {
	v    []float64
	at   []int32 // which draw of a series each is of
	ties []int32 // places of those that equal the one before
}

// shape makes room.
func (r *ranking) shape(n int) {
	r.v, r.at = slices.Grow(r.v[:0], n)[:n], slices.Grow(r.at[:0], n)[:n]
	r.ties = r.ties[:0]
}

// constant reports that all are the same.
func (r *ranking) constant() bool { return len(r.ties) == len(r.at)-1 }

// place writes a number, none less than the one before, and its draw.
func (r *ranking) place(rank int, v float64, at int32) {
	r.v[rank], r.at[rank] = v, at
	if rank > 0 && v == r.v[rank-1] {
		r.ties = append(r.ties, int32(rank))
	}
}

// few is the number of draws up to which a network does more than comparing one by one.
const few = 64

// roomForKeys makes room for keys of n draws, a power of two of them, and returns the bits that
// the number of one takes. Nil: no network sorts as many.
func (d *Diagnostics) roomForKeys(n int) (keys []float64, bits uint64) {
	if n < few || n > vec.MostNetwork {
		return nil, 0
	}
	size := vec.LeastNetwork
	for size < n {
		size *= 2
	}
	d.keys, d.room = slices.Grow(d.keys[:0], size)[:size], slices.Grow(d.room[:0], size)[:size]
	rest := d.keys[n:]
	for i := range rest {
		rest[i] = math.Inf(1)
	}
	return d.keys, uint64(size - 1)
}

// rankByNetwork ranks draws, finite ones, in vectors: by the distance from the least, of which their
// numbers take the last bits. It reports false, and has done nothing of use, where there are no
// vectors, too few or too many draws, or some whose distances differ by less than that.
//
// It replaces arrange: 500 draws in a third of the time.
func (d *Diagnostics) rankByNetwork(x []float64) bool {
	keys, bits := d.roomForKeys(len(x))
	if keys == nil {
		return false
	}
	low, high := vec.Extremes(x)
	if high-low > math.MaxFloat64 {
		return false
	}
	vec.DistanceKeys(keys, x, low, bits)
	sorted := vec.NetworkSort(keys, d.room)
	if sorted == nil {
		return false
	}
	r := &d.ranks
	r.shape(len(x))
	values, at := r.v, r.at[:len(r.v)]
	last := math.Inf(-1)
	for rank, key := range sorted[:len(values)] {
		i := math.Float64bits(key) & bits
		v := x[i]
		if v <= last {
			if v < last {
				return false
			}
			r.ties = append(r.ties, int32(rank))
		}
		last = v
		values[rank], at[rank] = v, int32(i)
	}
	return true
}

// foldByNetwork makes folded of the ranks of draws, their distances from the median, and reports
// as rankByNetwork does. Distances fall up to the median and then rise: they have only to be
// merged.
//
// It replaces foldAt: 500 draws in 0.7 of the time.
func (d *Diagnostics) foldByNetwork(median float64) bool {
	r, to := &d.ranks, &d.folded
	n := len(r.v)
	keys, bits := d.roomForKeys(n)
	if keys == nil || max(median-r.v[0], r.v[n-1]-median) > math.MaxFloat64 {
		return false
	}
	vec.DistanceKeys(keys, r.v, median, bits)
	sorted := vec.NetworkMerge(keys, d.room)
	if sorted == nil {
		return false
	}
	to.shape(n)
	values, at := r.v, r.at[:n]
	folded, toAt := to.v[:n], to.at[:n]
	last := math.Inf(-1)
	for rank, key := range sorted[:n] {
		i := math.Float64bits(key) & bits
		v := math.Abs(values[i] - median)
		if v <= last {
			if v < last {
				return false
			}
			to.ties = append(to.ties, int32(rank))
		}
		last = v
		folded[rank], toAt[rank] = v, at[i]
	}
	return true
}

// foldAt is foldByNetwork for all draws: those below the median and those above are in order
// already. Which of two comes next nobody can foresee: it is not asked by a branch.
func (d *Diagnostics) foldAt(median float64) {
	r, to := &d.ranks, &d.folded
	v, n := r.v, len(r.v)
	to.shape(n)
	above, _ := slices.BinarySearchFunc(v, median, func(v, m float64) int {
		if v < m {
			return -1
		}
		return 1
	})
	below, rank := above-1, 0
	put := func(i int) {
		to.place(rank, math.Abs(v[i]-median), r.at[i])
		rank++
	}
	for below >= 0 && above < n {
		step := 0
		if median-v[below] < v[above]-median {
			step = 1
		}
		put(above + step*(below-above))
		below -= step
		above += 1 - step
	}
	for ; below >= 0; below-- {
		put(below)
	}
	for ; above < n; above++ {
		put(above)
	}
}
