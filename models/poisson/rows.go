package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// rowStats are rows with a response, and what they add to the statistics:
//
//	Lam += w c c',  h += g c,   c the row's entries for (beta, u)
//
// with w the curvature and g = y - rate + w c'nu at the point of expansion.
type rowStats struct {
	n, k      int
	y, offset []float64
	weight    []float64 // in (0, 1]: what forgetting has left of the row
	x         []float64 // n x k
	level     [][]int32 // per factor
	slopes    [][]float64
	w, g      []float64
}

func (r *rowStats) reset(p *shape) {
	r.n, r.k = 0, p.k
	if len(r.level) != len(p.factors) || len(r.slopes) != p.slopes {
		r.level, r.slopes = make([][]int32, len(p.factors)), make([][]float64, p.slopes)
	}
	for _, v := range []*[]float64{&r.y, &r.offset, &r.weight, &r.x, &r.w, &r.g} {
		*v = (*v)[:0]
	}
	for f := range r.level {
		r.level[f] = r.level[f][:0]
	}
	for f := range r.slopes {
		r.slopes[f] = r.slopes[f][:0]
	}
}

// drop removes the first n rows.
func (r *rowStats) drop(n int) {
	for _, v := range []*[]float64{&r.y, &r.offset, &r.weight, &r.w, &r.g} {
		*v = slices.Delete(*v, 0, min(n, len(*v)))
	}
	r.x = slices.Delete(r.x, 0, min(n*r.k, len(r.x)))
	for f := range r.level {
		r.level[f] = slices.Delete(r.level[f], 0, min(n, len(r.level[f])))
	}
	for f := range r.slopes {
		r.slopes[f] = slices.Delete(r.slopes[f], 0, min(n, len(r.slopes[f])))
	}
	r.n = len(r.y)
}

// appendRows copies rows that were expanded before.
func (r *rowStats) appendRows(from *rowStats) {
	r.n += from.n
	r.y, r.offset = append(r.y, from.y...), append(r.offset, from.offset...)
	r.weight, r.x = append(r.weight, from.weight...), append(r.x, from.x...)
	r.w, r.g = append(r.w, from.w...), append(r.g, from.g...)
	for f := range r.level {
		r.level[f] = append(r.level[f], from.level[f]...)
	}
	for f := range r.slopes {
		r.slopes[f] = append(r.slopes[f], from.slopes[f]...)
	}
}

// appendShard copies the rows of a shard that have a response.
func (r *rowStats) appendShard(sh *cdf.Shard) {
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		r.n++
		r.y = append(r.y, y)
		r.x = append(r.x, lin.Row(sh.X, r.k, i)...)
		r.weight, r.w, r.g = append(r.weight, 1), append(r.w, 0), append(r.g, 0)
		offset := 0.0
		if len(sh.Offset) > 0 {
			offset = sh.Offset[i]
		}
		r.offset = append(r.offset, offset)
		for f := range r.level {
			r.level[f] = append(r.level[f], sh.Group[f][i])
		}
		for f := range r.slopes {
			r.slopes[f] = append(r.slopes[f], sh.Slopes[f][i])
		}
	}
}

// design holds the rows' entries beside x: those in the core that
// belong to factors, and those in the arrow.
type design struct {
	nx  int       // entries per row in the core beside x
	idx []int32   // n x nx: their places
	val []float64 // n x nx
	z   []float64 // n x q: entries in the arrow
	t   []int32   // n: index of the row's level among the touched ones
	// touched are the levels of the arrow that the rows belong to, in order of
	// appearance; local is its inverse, -1 elsewhere.
	touched, local []int32
}

// fill lays the rows out against the statistics.
func (d *design) fill(p *shape, s *stats, r *rowStats) {
	d.nx = 0
	for f := range p.factors {
		if f > 0 || !s.arrow {
			d.nx += p.factors[f].q
		}
	}
	d.idx, d.val = lin.Resize(d.idx, r.n*d.nx), lin.Grow(d.val, r.n*d.nx)
	d.z, d.t = lin.Grow(d.z, r.n*s.q), lin.Resize(d.t, r.n)
	d.local, d.touched = lin.Resize(d.local, s.g), d.touched[:0]
	for g := range d.local {
		d.local[g] = -1
	}
	for i := range r.n {
		at := i * d.nx
		for f := range p.factors {
			factor, level := &p.factors[f], r.level[f][i]
			if f == 0 && s.arrow {
				factor.z(r.slopes, i, lin.Row(d.z, s.q, i))
				if d.local[level] < 0 {
					d.local[level] = int32(len(d.touched))
					d.touched = append(d.touched, level)
				}
				d.t[i] = d.local[level]
				continue
			}
			factor.z(r.slopes, i, d.val[at:at+factor.q])
			for j := range factor.q {
				d.idx[at+j] = s.at[f][level] + int32(j)
			}
			at += factor.q
		}
	}
}

// extra returns row i's entries in the core beside x.
func (d *design) extra(i int) (idx []int32, val []float64) {
	return lin.Row(d.idx, d.nx, i), lin.Row(d.val, d.nx, i)
}

// addCore adds a times row i to the core vector v.
func (d *design) addCore(a float64, x []float64, i int, v []float64) {
	lin.Axpy(a, x, v)
	idx, val := d.extra(i)
	for j, at := range idx {
		v[at] += float64(a * val[j])
	}
}

// dotCore returns the product of row i with the core vector v.
func (d *design) dotCore(x []float64, i int, v []float64) float64 {
	sum := lin.Dot(x, v)
	idx, val := d.extra(i)
	for j, at := range idx {
		sum += float64(val[j] * v[at])
	}
	return sum
}

// addSquare adds w times the square of row i to the core's lower triangle.
func (d *design) addSquare(w float64, x []float64, i int, lam []float64, c int) {
	addOuter(lam, c, w, x)
	idx, val := d.extra(i)
	for j, at := range idx {
		row := lam[int(at)*c:]
		lin.Axpy(float64(w*val[j]), x, row[:len(x)])
		for l, to := range idx {
			if to <= at {
				row[to] += float64(float64(w*val[j]) * val[l])
			}
		}
	}
}

// apply adds sign times the rows' expansions to the statistics.
func (s *stats) apply(r *rowStats, d *design, sign float64) {
	for i := range r.n {
		w, g, x := sign*r.w[i], sign*r.g[i], lin.Row(r.x, r.k, i)
		d.addSquare(w, x, i, s.lam, s.c)
		d.addCore(g, x, i, s.h)
		if !s.arrow {
			continue
		}
		b, a, h := s.record(int(d.touched[d.t[i]]))
		z := lin.Row(d.z, s.q, i)
		for j, v := range z {
			d.addCore(float64(w*v), x, i, lin.Row(b, s.c, j))
			lin.Axpy(float64(w*v), z, lin.Row(a, s.q, j))
			h[j] += float64(g * v)
		}
	}
}
