package linear

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// What is published of a posterior in series: of single coefficients by the diagonals that are known, of other functionals
// and of rows by products with M.

// quadratic and cubic return the sum of c times the powers of -d.
func quadratic(d float64, c *[3]float64) float64 { return c[0] - d*(c[1]-d*c[2]) }

func cubic(d float64, c *[4]float64) float64 { return c[0] - d*(c[1]-d*(c[2]-d*c[3])) }

// settleSeries sets the mean at the plug-in.
func (m *Model) settleSeries(w *work) {
	clear(w.c)
	m.post.center(m.s2/m.post.s0-1, w.c)
	m.post.basis().Times(w.c, m.post.beta)
}

// powers sets x.u to M a and x.t to Ga for each of the rows of a, M in units of the prior.
func (m *Model) powers(x *nodeMixture, rows int, a []float64) {
	n := rows * m.P
	x.u, x.t, x.scaled = lin.Grow(x.u, n), lin.Grow(x.t, n), lin.Grow(x.scaled, n)
	lin.RowsUpperT(rows, m.P, a, m.post.m, x.u)
	for r := range rows {
		u, scaled := lin.Row(x.u, m.P, r), lin.Row(x.scaled, m.P, r)
		for i, v := range x.inverse { // M has the units of the columns
			u[i] *= v
			scaled[i] = float64(u[i] * v)
		}
		m.levels.Solve(u)
		m.levels.Precision(scaled)
	}
	lin.RowsUpper(rows, m.P, x.scaled, m.post.m, x.t)
}

// mixSeries is mixRows by the series.
func (m *Model) mixSeries(x *nodeMixture, rows int, c []float64) {
	q := &m.post
	m.powers(x, rows, c)
	for r := range rows {
		a, u, t := lin.Row(c, m.P, r), lin.Row(x.u, m.P, r), lin.Row(x.t, m.P, r)
		h := [4]float64{lin.Dot(a, q.h[0]), lin.Dot(a, q.h[1]), lin.Dot(a, q.h[2]), lin.Dot(a, q.h[3])}
		x.follow(q.s0, r, &h, &[3]float64{lin.Dot(a, a), lin.Dot(u, u), lin.Dot(t, t)})
	}
}

// follow fills in the means and variances of a row at the nodes.
func (x *nodeMixture) follow(s0 float64, row int, h *[4]float64, v *[3]float64) {
	k := len(x.s)
	means, variances := lin.Row(x.means, k, row), lin.Row(x.v, k, row)
	for i, s := range x.s {
		d := s/s0 - 1
		means[i], variances[i] = cubic(d, h), (1+d)*quadratic(d, v)
	}
}

// takeCoefficient sets the mixture to the law of shift + weight beta_j given the data.
func (m *Model) takeCoefficient(x *nodeMixture, j int, shift, weight float64) {
	q, k := &m.post, len(x.s)
	x.means, x.v = lin.Grow(x.means, k), lin.Grow(x.v, k)
	row := q.m[j*m.P+j : (j+1)*m.P]
	var h [4]float64
	for i := range h {
		h[i] = float64(weight * lin.Dot(row, q.h[i][j:]))
	}
	v := m.spreads(j)
	lin.Scale(float64(weight*weight), v[:])
	x.follow(q.s0, 0, &h, &v)
	x.take(0, shift, false)
}

// spreads returns a'a, a'Ga and a'GGa of coefficient j.
func (m *Model) spreads(j int) [3]float64 {
	q := &m.post
	row := q.m[j*m.P+j : (j+1)*m.P]
	return [3]float64{lin.Dot(row, row), q.spread[0][j], q.spread[1][j]}
}

// covarySeries multiplies v, in the basis M, by the posterior's covariance at the plug-in.
func (m *Model) covarySeries(w *work, v []float64) {
	d := m.s2/m.post.s0 - 1
	copy(w.l, v)
	power := 1.0
	for range 2 {
		m.powers(&w.mix, 1, w.l)
		copy(w.l, w.mix.t)
		power *= -d
		lin.Axpy(power, w.l, v)
	}
	lin.Scale(1+d, v)
}

// sensitivitySeries is that of a functional of beta, given the prior's pull times the covariance at the plug-in.
func (m *Model) sensitivitySeries(w *work, f *cdf.Functional, pull []float64) float64 {
	d := m.s2/m.post.s0 - 1
	if len(f.Param) == 1 {
		j := f.Param[0]
		v := m.spreads(j)
		return math.Abs(lin.Dot(lin.Row(m.post.m, m.P, j)[j:], pull[j:])) / math.Sqrt((1+d)*quadratic(d, &v))
	}
	m.direction(w, f, w.c)
	m.powers(&w.mix, 1, w.c)
	v := [3]float64{lin.Dot(w.c, w.c), lin.Dot(w.mix.u, w.mix.u), lin.Dot(w.mix.t, w.mix.t)}
	return math.Abs(lin.Dot(w.c, pull)) / math.Sqrt((1+d)*quadratic(d, &v))
}

// covarianceSeries writes the mean over sigma2 of the covariances of the functionals in w.joint, and leaves their
// means at the nodes in w.means.
func (m *Model) covarianceSeries(w *work, k int, dst []float64) {
	p, x := m.P, &w.mix
	m.mixRows(x, k, w.joint) // leaves powers behind
	w.means = append(w.means[:0], x.means[:k*len(x.s)]...)
	var moment [3]float64 // of 1+d times powers of -d
	for n, s := range x.s {
		d := s/m.post.s0 - 1
		v := x.W[n] * (1 + d)
		for i := range moment {
			moment[i] += v
			v *= -d
		}
	}
	at := 0
	for i := range k {
		for j := range i + 1 {
			dst[at] = moment[0]*lin.Dot(lin.Row(w.joint, p, i), lin.Row(w.joint, p, j)) +
				moment[1]*lin.Dot(lin.Row(x.u, p, i), lin.Row(x.u, p, j)) +
				moment[2]*lin.Dot(lin.Row(x.t, p, i), lin.Row(x.t, p, j))
			at++
		}
	}
}

// drawSeries draws beta = M (h + v), v ~ N(0, (1+d) (I + dG)^{-1}), for draws of sigma2.
func (m *Model) drawSeries(s *cdf.Step, w *work, sigma []float64) {
	q, p := &m.post, m.P
	for from := 0; from < len(sigma); from += earlyRows {
		rows := min(earlyRows, len(sigma)-from)
		z := w.block[:rows*p]
		for i := range z {
			z[i] = s.RNG.NormFloat64()
		}
		m.rootSeries(w, sigma[from:from+rows], z)
		for r := range rows {
			q.center(sigma[from+r]/q.s0-1, lin.Row(z, p, r))
		}
		w.joint = lin.Grow(w.joint, rows*p)
		lin.RowsUpperT(rows, p, z, q.m, w.joint)
		for r := range rows {
			for i, v := range lin.Row(w.joint, p, r) {
				s.Draws.Row(i)[from+r] = v
			}
		}
	}
}

// rootSeries multiplies the rows of z by the symmetric root of the posterior's covariance in the basis M, each at its
// sigma2: (1+d)^(1/2) (I - d/2 G + 3/8 d d GG), but for 5/16 of the cube of dG.
func (m *Model) rootSeries(w *work, sigma, z []float64) {
	x, p := &w.mix, m.P
	w.joint = append(w.joint[:0], z...)
	for power := range 2 {
		m.powers(x, len(sigma), w.joint)
		copy(w.joint, x.t)
		for r, s := range sigma {
			d := s/m.post.s0 - 1
			factor := -0.5 * d
			if power == 1 {
				factor = 0.375 * d * d
			}
			lin.Axpy(factor, lin.Row(w.joint, p, r), lin.Row(z, p, r))
		}
	}
	for r, s := range sigma {
		lin.Scale(math.Sqrt(s/m.post.s0), lin.Row(z, p, r))
	}
}
