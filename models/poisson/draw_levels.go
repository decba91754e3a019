package poisson

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// putNormals writes the standard normals of n draws from draw k on, each a row of z, to
// where the effects of the arrow's levels will be.
func (m *base) putNormals(d *cdf.Draws, k, n int, z []float64) {
	g, q := m.stats.g, m.stats.q
	for j := range q {
		for level := range g {
			to, at := d.Row(m.k + j*g + level)[k:k+n], level*q+j
			for i := range to {
				to[i] = z[at]
				at += g * q
			}
		}
	}
}

// drawLevels makes effects of the standard normals of the arrow's levels, given the cores,
// and reports whether all levels are positive definite.
func (m *base) drawLevels(d *cdf.Draws, b *drawing, w *arrowBlock) bool {
	s := &m.stats
	if s.g == 0 {
		return true
	}
	b.sort(len(m.post.gauss), s.c)
	mixed := len(b.runs) > 1
	w.size(s.q, s.c)
	for level := range s.g {
		rb, ra, rh := s.record(level)
		for j := range b.rows {
			row := d.Row(m.k + j*s.g + level)[b.from : b.from+b.n]
			b.rows[j] = row
			if mixed {
				b.rows[j] = lin.Row(b.u, b.n, j)
				pick(b.rows[j], row, b.order)
			}
		}
		for _, r := range b.runs {
			if !w.load(m.post.gauss[r.normal].m, rb, ra, rh) {
				return false
			}
			b.effects(w, r.from, r.to)
		}
		if !mixed {
			continue
		}
		for j, u := range b.rows {
			row := d.Row(m.k + j*s.g + level)[b.from : b.from+b.n]
			for i, k := range b.order {
				row[k] = u[i]
			}
		}
	}
	return true
}

// run is draws of one normal, by their place in the order.
type run struct{ normal, from, to int }

// sort finds the order and the runs, and puts the cores into that order.
func (b *drawing) sort(normals, c int) {
	b.runs = b.runs[:0]
	for g, at := 0, 0; g < normals; g++ {
		r := run{normal: g, from: at}
		for k, normal := range b.normal {
			if normal == g {
				b.order[at] = k
				at++
			}
		}
		if r.to = at; r.to > r.from {
			b.runs = append(b.runs, r)
		}
	}
	if len(b.runs) == 1 {
		return // as they are
	}
	room := b.sums[:b.n]
	for i := range c {
		core := lin.Row(b.core, b.n, i)
		copy(room, core)
		pick(core, room, b.order)
	}
}

// pick sets dst to the numbers of x at the places.
func pick(dst, x []float64, places []int) {
	for i, k := range places {
		dst[i] = x[k]
	}
}

// effects makes effects of the standard normals of a level, which is factored, in draws
// from, ..., to-1 of the order. What is done with each draw is
//
//	u_j = h_j + (z_j - lin.Dot(F_j, core)),  then lin.SolveLowerT(q, L, u),
//
// in this order of operations; each is done with all draws, which lie side by side, before the next.
func (b *drawing) effects(w *arrowBlock, from, to int) {
	n, fours := to-from, w.c/4*4 // lin.Dot has four sums of fours of entries, and adds what is left to the first
	sum := func(i int) []float64 { return b.sums[i*b.n : i*b.n+n] }
	total := sum(0)
	for j, h := range w.h {
		for i := range min(w.c, 4) {
			clear(sum(i))
		}
		for i, f := range lin.Row(w.f, w.c, j) {
			to := total
			if i < fours {
				to = sum(i % 4)
			}
			lin.Axpy(f, b.core[i*b.n+from:][:n], to)
		}
		if fours > 0 {
			lin.Axpy(1, sum(1), total)
			lin.Axpy(1, sum(3), sum(2))
			lin.Axpy(1, sum(2), total)
		}
		u := b.rows[j][from:to]
		if w.c > 0 {
			lin.Axpy(-1, total, u)
		}
		lin.Axpy(h, b.ones[:n], u)
	}
	for i := w.q - 1; i >= 0; i-- {
		u, by := b.rows[i][from:to], total
		for k := range by {
			by[k] = w.l[i*w.q+i]
		}
		vec.DivideEach(u, u, by)
		for j := range i {
			lin.Axpy(-w.l[i*w.q+j], u, b.rows[j][from:to])
		}
	}
}
