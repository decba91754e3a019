package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	edgeWeight = 1e-4 // an edge node with more moves its side out
	tailWeight = 1e-8 // nodes with less beyond them are given up
	leftWeight = .1   // an edge node with more says that the posterior is elsewhere
	reach      = 6    // nodes per axis that an interpolation uses
)

// regrid is scratch space for new limits.
type regrid struct {
	known   bool      // the mean
	product []float64 // of F on the reserve
	next    grid
	logv    []float64 // nodes^2
	half    []float64 // nodes^2: interpolated along one axis
	inside  []float64 // nodes^2: at the new nodes, clamped to the old limits
	beyond  []float64 // nodes^2: reserve at the new nodes
	clamped []float64 // nodes^2: reserve at the clamped nodes
}

func (r *regrid) clear() {
	if r.product == nil {
		const n = nodes * nodes
		r.next = newGrid(r.known)
		for _, x := range []*[]float64{&r.product, &r.logv, &r.half, &r.inside, &r.beyond, &r.clamped} {
			*x = make([]float64, n)
		}
	}
	copy(r.product, none[:])
}

// check moves the limits of the grid to where the posterior is. It reports
// whether the statistics are finite, also those of the reserve: a state that has others cannot be loaded.
func (m *Model) check(w *work) bool {
	m.grid.flush(w.product, w.log)
	if m.reserved {
		m.reserve.flush(w.regrid.product, w.log)
		if !m.reserve.finite() {
			return false
		}
	}
	m.changed()
	for range 8 {
		if !m.loadable(w) {
			return false
		}
		w.marginals()
		if m.grid.left(&w.axis) {
			m.grid.copyFrom(&m.reserve)
			m.changed()
			continue
		}
		low, high := m.grid.low, m.grid.high
		for axis := range low {
			low[axis], high[axis] = m.grid.limits(axis, &w.axis[axis])
		}
		if low == m.grid.low && high == m.grid.high {
			return true
		}
		if !m.reserved {
			m.reserve, m.reserved = newGrid(m.family.known), true
			m.reserve.copyFrom(&m.grid)
		}
		w.regrid.move(&m.grid, &m.reserve, low, high)
		m.changed()
	}
	return m.loadable(w)
}

// loadable reports whether the grid is one that UnmarshalBinary takes, and weighs it.
func (m *Model) loadable(w *work) bool {
	return m.grid.finite() && w.weighState(m) && lin.Finite(w.rate...)
}

// left reports whether the posterior left the limits at once, as behind a response that is 50 sds off. Limits that follow it
// by and by extrapolate what the reserve has at its nodes: that is coarse, but so is what is known behind such a row.
func (g *grid) left(weights *[2][nodes]float64) bool {
	for axis := range weights {
		w := &weights[axis]
		if w[0] > leftWeight && g.low[axis] > fullLow[axis] || w[nodes-1] > leftWeight && g.high[axis] < fullHigh[axis] {
			return true
		}
	}
	return false
}

// limits returns the limits of an axis that suit its marginal weights.
func (g *grid) limits(axis int, weight *[nodes]float64) (low, high float64) {
	low, high = g.low[axis], g.high[axis]
	width := high - low
	grown := false
	if weight[0] > edgeWeight && low > fullLow[axis] {
		low, grown = max(fullLow[axis], low-0.25*width), true
	}
	if weight[nodes-1] > edgeWeight && high < fullHigh[axis] {
		high, grown = min(fullHigh[axis], high+0.25*width), true
	}
	if grown {
		return low, high
	}
	i, j := 0, nodes-1
	for sum := weight[i]; sum < tailWeight && i < nodes-4; sum += weight[i] {
		i++
	}
	for sum := weight[j]; sum < tailWeight && j > 3; sum += weight[j] {
		j--
	}
	i, j = max(i-1, 0), min(j+1, nodes-1)
	for j-i < 3 {
		i, j = max(i-1, 0), min(j+1, nodes-1)
	}
	if 4*(j-i) >= 3*(nodes-1) {
		return low, high
	}
	return g.at(axis, i), g.at(axis, j)
}

// stencil holds, per new coordinate, the first old node and the weights of a
// Lagrange polynomial through it and the next ones.
type stencil struct {
	first  int
	weight [reach]float64
}

// through returns the stencil of coordinate x on an axis of g.
func (g *grid) through(axis int, x float64) (s stencil) {
	at := (x - g.low[axis]) / g.spacing(axis)
	s.first = min(max(int(math.Floor(at))-reach/2+1, 0), nodes-reach)
	at -= float64(s.first)
	for k := range reach {
		w := 1.0
		for o := range reach {
			if o != k {
				w *= (at - float64(o)) / float64(k-o)
			}
		}
		s.weight[k] = w
	}
	return s
}

// lattice is the stencils of nodes new coordinates on both axes.
type lattice [2][nodes]stencil

// over returns the lattice of the nodes of to on g, with their coordinates
// clamped to the limits of bound.
func (g *grid) over(to, bound *grid) (l lattice) {
	for axis := range l {
		for i := range nodes {
			l[axis][i] = g.through(axis, min(max(to.at(axis, i), bound.low[axis]), bound.high[axis]))
		}
	}
	return l
}

// interpolate writes the field at the lattice into dst, by way of half.
func (l *lattice) interpolate(dst, field, half []float64) {
	for i := range nodes {
		row := lin.Row(field, nodes, i)
		for j := range nodes {
			s, sum := &l[logAxis][j], 0.0
			for k, w := range s.weight {
				sum += float64(w * row[s.first+k])
			}
			half[i*nodes+j] = sum
		}
	}
	for i := range nodes {
		s, out := &l[etaAxis][i], lin.Row(dst, nodes, i)
		clear(out)
		for k, w := range s.weight {
			lin.Axpy(w, lin.Row(half, nodes, s.first+k), out)
		}
	}
}

// move gives the grid new limits. Beyond the old ones the statistics go on
// as those of the reserve do: extrapolating polynomials ends far off.
func (r *regrid) move(g, reserve *grid, low, high [2]float64) {
	to := &r.next
	to.place(low, high)
	own := g.over(to, g)
	wider := false
	for axis := range low {
		wider = wider || low[axis] < g.low[axis] || high[axis] > g.high[axis]
	}
	var at, edge lattice
	if wider {
		at, edge = reserve.over(to, reserve), reserve.over(to, g)
	}
	fields, from, tail := to.fields(), g.fields(), reserve.fields()
	for k := range fields {
		if fields[k] == nil {
			continue
		}
		own.interpolate(r.inside, r.shown(k, from[k]), r.half)
		if wider {
			shown := r.shown(k, tail[k])
			at.interpolate(r.beyond, shown, r.half)
			edge.interpolate(r.clamped, shown, r.half)
			for n := range r.inside {
				r.inside[n] += r.beyond[n] - r.clamped[n]
			}
		}
		for n, x := range r.inside {
			switch k {
			case vField:
				x = math.Exp(x)
			case seField, rrField:
				x = max(x, 0)
			}
			fields[k][n] = x
		}
	}
	g.copyFrom(to)
}

// shown returns the field as it is interpolated: variances by their logarithm.
func (r *regrid) shown(k int, field []float64) []float64 {
	if k != vField {
		return field
	}
	for n, v := range field {
		r.logv[n] = math.Log(v)
	}
	return r.logv
}
