package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

const (
	// etaMax bounds the linear predictor where its exponential is taken.
	etaMax = 45
	// stepMax bounds the change of a row's linear predictor in one step.
	stepMax = 4
	// stepFar is a change of it that tells that the fit is far away: where rates are
	// much too high each step takes one off their logarithms.
	stepFar = 0.5
	// vague bounds the variance of a row's linear predictor in the mean of its
	// rate. Above it, which is where counts of zero meet a vague prior, the mean
	// says nothing about the rate, and its exponential nothing to arithmetic.
	vague = 4
	// steepest bounds the curvature of a row, over 1 + its count, so that far
	// from the fit the matrices keep their factors.
	steepest = 1e10
	// outerTol ends the updates of the precisions, overTol those of s2e (relative).
	outerTol = 1e-6
	overTol  = 1e-2
	outerMax = 20
)

// fit finds the Gaussian q(nu) that maximises
//
//	h'mu - mu'(Lam+D)mu/2 - tr((Lam+D)Sig)/2 + logdet(Sig)/2
//	  + sum_i weight_i (y_i (o_i + c_i'mu) - exp(o_i + c_i'mu + c_i'Sig c_i/2))
//
// over the present rows i, D the precision of the prior. The optimal Sig is
// (Lam + D + sum_i wbar_i c_i c_i')^-1, so the unknowns are mu and one
// number wbar per row. What rows' own effects make of the last term is in fit.rate. Levels that no row touches enter the objective only
// through a quadratic form, whose maximum over them is found beforehand: a
// step costs nothing that grows with their number.
//
// Source: arXiv:1401.3632, appendix D, as a Newton iteration about the
// present iterate.
type fit struct {
	shape  *shape
	stats  *stats
	rows   *rowStats
	design *design
	m      []float64 // precisions of the terms
	s2e    float64   // variance of the rows' own effects, 0: none
	anew   bool      // the statistics are of the present rows, which are expanded anew
	// estimate is that of s2e at the fit, which need not have been made anew for it.
	estimate float64

	reduced reduced // the untouched levels
	block   arrowBlock
	lam     []float64 // c x c: the core's precision, untouched levels integrated out
	h       []float64 // c
	b       []float64 // c: mean of the core
	u       []float64 // touched x q: means of the touched levels
	wbar    []float64
	begunB  []float64 // c and touched x q: where it began
	begunU  []float64
	now     *point
	next    *point
	points  [2]point

	gradB, gradU, stepB, stepU []float64
	candB, candU, candW        []float64
	terms                      [6][]float64 // scratch, one number per term and one for s2e
	like                       rowLike      // of the present rows
	likes                      rowsLike
	over                       overWork
	xi, zeta, cov, inv         []float64
	// Of a wide core: the inverse of its factor, c x c, that transposed, zeros, and some rows.
	inverse, upper, none, some []float64
}

// point is Sig at some wbar, factored, and the rows there.
type point struct {
	f       []float64 // touched x q x c: F = L^-1 B
	l       []float64 // touched x q x q: L, LL' = A
	core    []float64 // c x c: Cholesky factor
	logs    float64   // log|Sig^-1| but for the untouched levels
	v       []float64 // n: c'Sig c
	eta     []float64 // n: c'mu
	lifted  []float64 // n: of fit.rate
	w, grad []float64 // n: curvature and gradient, weighted
	value   float64   // of the objective
}

func (f *fit) size() {
	n, c, q, t := f.rows.n, f.stats.c, f.stats.q, len(f.design.touched)
	f.lam, f.h, f.b = lin.Grow(f.lam, c*c), lin.Grow(f.h, c), lin.Grow(f.b, c)
	f.u, f.wbar = lin.Grow(f.u, t*q), lin.Grow(f.wbar, n)
	f.gradB, f.stepB, f.candB = lin.Grow(f.gradB, c), lin.Grow(f.stepB, c), lin.Grow(f.candB, c)
	f.gradU, f.stepU, f.candU = lin.Grow(f.gradU, t*q), lin.Grow(f.stepU, t*q), lin.Grow(f.candU, t*q)
	for i := range f.terms {
		f.terms[i] = lin.Grow(f.terms[i], f.shape.terms+1)
	}
	f.candW, f.xi, f.zeta = lin.Grow(f.candW, n), lin.Grow(f.xi, c), lin.Grow(f.zeta, q)
	if c >= wide {
		f.some, f.none = lin.Grow(f.some, blockRows*c), lin.Grow(f.none, c)
		f.inverse, f.upper = lin.Grow(f.inverse, c*c), lin.Grow(f.upper, c*c)
	}
	for i := range f.points {
		p := &f.points[i]
		p.f, p.l, p.core = lin.Grow(p.f, t*q*c), lin.Grow(p.l, t*q*q), lin.Grow(p.core, c*c)
		p.lifted, p.v, p.eta, p.w, p.grad = lin.Grow(p.lifted, n), lin.Grow(p.v, n), lin.Grow(p.eta, n), lin.Grow(p.w, n), lin.Grow(p.grad, n)
	}
	f.now, f.next = &f.points[0], &f.points[1]
}

// base integrates the untouched levels out at the present precisions.
func (f *fit) base() bool {
	s := f.stats
	if !s.reduce(&f.reduced, f.m[:s.q], f.design.local, true, &f.block) {
		return false
	}
	f.shape.corePrecision(s, f.m, &f.reduced, f.lam)
	for i, v := range s.h {
		f.h[i] = v - f.reduced.h[i]
	}
	return true
}

// corePrecision writes the core's Lam + D less what the reduced levels take.
func (p *shape) corePrecision(s *stats, m []float64, r *reduced, lam []float64) {
	for i := range s.c {
		row := lam[i*s.c : i*s.c+i+1]
		for j := range row {
			row[j] = s.lam[i*s.c+j] - r.lam[i*s.c+j]
		}
		if t := s.term[i]; t >= 0 {
			row[i] += m[t]
		} else {
			row[i] += 1 / p.settings.Prior.BetaVariance
		}
	}
}

// factor makes p the point of the given wbar and writes the rows' variances.
func (f *fit) factor(p *point, wbar []float64) bool {
	s, d, r := f.stats, f.design, f.rows
	c, q := s.c, s.q
	copy(p.core, f.lam)
	for t, g := range d.touched {
		b, a, _ := s.record(int(g))
		copy(p.f[t*q*c:], b)
		copy(p.l[t*q*q:], a)
		for j := range q {
			p.l[t*q*q+j*q+j] += f.m[j]
		}
	}
	for i, w := range wbar {
		if w == 0 {
			continue
		}
		x := lin.Row(r.x, r.k, i)
		d.addSquare(w, x, i, p.core, c)
		for j, v := range lin.Row(d.z, q, i) {
			t := int(d.t[i])
			d.addCore(float64(w*v), x, i, lin.Row(p.f, c, t*q+j))
			lin.Axpy(float64(w*v), lin.Row(d.z, q, i), p.l[t*q*q+j*q:t*q*q+(j+1)*q])
		}
	}
	p.logs = 0
	for t := range d.touched {
		l, b := p.l[t*q*q:(t+1)*q*q], p.f[t*q*c:(t+1)*q*c]
		if !lin.Cholesky(q, l) {
			return false
		}
		solveRows(q, c, l, b)
		for j := range q {
			addOuter(p.core, c, -1, lin.Row(b, c, j))
			p.logs += 2 * math.Log(l[j*q+j])
		}
	}
	if c < wide {
		if !lin.Cholesky(c, p.core) {
			return false
		}
	} else if !lin.FactorInverse(c, p.core, f.inverse) {
		return false
	}
	for i := range c {
		p.logs += 2 * math.Log(p.core[i*c+i])
	}
	f.variances(p)
	return true
}

// variances sets v of the point's rows to c_i'Sig c_i.
func (f *fit) variances(p *point) {
	c := f.stats.c
	if c < wide {
		for i := range p.v {
			v := f.depends(p, i, f.xi)
			lin.SolveLower(c, p.core, f.xi)
			p.v[i] = v + lin.Dot(f.xi, f.xi)
		}
		return
	}
	vec.Transpose(c, c, f.inverse, c, f.upper, c)
	var dots, squares [blockRows]float64
	for from := 0; from < len(p.v); from += blockRows {
		v := p.v[from:min(from+blockRows, len(p.v))]
		for i := range v {
			v[i] = f.depends(p, from+i, lin.Row(f.some, c, i))
		}
		lin.Spread(len(v), c, f.some, f.upper, f.none, dots[:], squares[:])
		for i := range v {
			v[i] += squares[i]
		}
	}
}

// blockRows is how many rows' variances of a wide core are computed at a time.
const blockRows = 64

// depends writes how row i depends on the core, once what its level has of the core is taken out, and returns the variance that the level leaves it.
func (f *fit) depends(p *point, i int, xi []float64) (v float64) {
	d, r, c, q := f.design, f.rows, f.stats.c, f.stats.q
	clear(xi)
	d.addCore(1, lin.Row(r.x, r.k, i), i, xi)
	if q > 0 {
		t := int(d.t[i])
		copy(f.zeta, lin.Row(d.z, q, i))
		lin.SolveLower(q, p.l[t*q*q:(t+1)*q*q], f.zeta)
		for j, z := range f.zeta {
			v += float64(z * z)
			lin.Axpy(-z, lin.Row(p.f, c, t*q+j), xi)
		}
	}
	return v
}

// evaluate describes the rows at mean (b, u): rates, gradients, curvatures
// and the objective.
func (f *fit) evaluate(p *point, b, u, wbar []float64) {
	d, r, q := f.design, f.rows, f.stats.q
	p.value = f.quadratic(b, u) - 0.5*p.logs
	for i, y := range r.y {
		eta := d.dotCore(lin.Row(r.x, r.k, i), i, b)
		if q > 0 {
			t := int(d.t[i])
			eta += lin.Dot(lin.Row(d.z, q, i), lin.Row(u, q, t))
		}
		p.eta[i] = eta
		rate, curvature, lifted := f.rate(i, r.offset[i]+eta, 0.5*min(p.v[i], vague))
		p.lifted[i] = lifted
		p.grad[i] = r.weight[i] * (y - rate)
		p.w[i] = r.weight[i] * curvature
		p.value += r.weight[i]*(y*(r.offset[i]+eta)-rate) + 0.5*wbar[i]*p.v[i]
	}
}

// quadratic is the value of the past rows and the prior at mean (b, u), the
// untouched levels at their best.
func (f *fit) quadratic(b, u []float64) float64 {
	s, c, q := f.stats, f.stats.c, f.stats.q
	sum := lin.Dot(f.h, b)
	for i, v := range b {
		row := f.lam[i*c : i*c+i+1]
		sum -= v * (lin.Dot(row[:i], b) + 0.5*float64(row[i]*v))
	}
	for t, g := range f.design.touched {
		rb, ra, rh := s.record(int(g))
		ut := lin.Row(u, q, t)
		for j, v := range ut {
			sum += v * (rh[j] - lin.Dot(lin.Row(rb, c, j), b) - 0.5*float64(f.m[j]*v) - 0.5*lin.Dot(lin.Row(ra, q, j), ut))
		}
	}
	return sum
}

// gradient writes the gradient of the objective at (b, u).
func (f *fit) gradient(p *point) {
	s, d, r, c, q := f.stats, f.design, f.rows, f.stats.c, f.stats.q
	copy(f.gradB, f.h)
	for i := range c {
		row := f.lam[i*c : i*c+i+1]
		f.gradB[i] -= lin.Dot(row, f.b)
		lin.Axpy(-f.b[i], row[:i], f.gradB)
	}
	for t, g := range d.touched {
		rb, ra, rh := s.record(int(g))
		ut, gt := lin.Row(f.u, q, t), lin.Row(f.gradU, q, t)
		for j, v := range ut {
			lin.Axpy(-v, lin.Row(rb, c, j), f.gradB)
			gt[j] = rh[j] - lin.Dot(lin.Row(rb, c, j), f.b) - float64(f.m[j]*v) - lin.Dot(lin.Row(ra, q, j), ut)
		}
	}
	for i, g := range p.grad {
		d.addCore(g, lin.Row(r.x, r.k, i), i, f.gradB)
		if q > 0 {
			t := int(d.t[i])
			lin.Axpy(g, lin.Row(d.z, q, i), lin.Row(f.gradU, q, t))
		}
	}
}

// solve overwrites (b, u) with Sig (b, u), Sig of the point.
func (f *fit) solve(p *point, b, u []float64) {
	c, q := f.stats.c, f.stats.q
	for t := range f.design.touched {
		ut := lin.Row(u, q, t)
		lin.SolveLower(q, p.l[t*q*q:(t+1)*q*q], ut)
		for j, v := range ut {
			lin.Axpy(-v, lin.Row(p.f, c, t*q+j), b)
		}
	}
	lin.SolveLower(c, p.core, b)
	lin.SolveLowerT(c, p.core, b)
	for t := range f.design.touched {
		ut := lin.Row(u, q, t)
		for j := range ut {
			ut[j] -= lin.Dot(lin.Row(p.f, c, t*q+j), b)
		}
		lin.SolveLowerT(q, p.l[t*q*q:(t+1)*q*q], ut)
	}
}

// start begins at the posterior of the past rows. Before the first row there
// is none: the intercept then begins at the logarithm of the mean rate.
func (f *fit) start(first bool) bool {
	s, q := f.stats, f.stats.q
	clear(f.wbar)
	if !f.base() || !f.factor(f.now, f.wbar) {
		return false
	}
	if !first {
		copy(f.b, f.h)
		for t, g := range f.design.touched {
			_, _, h := s.record(int(g))
			copy(lin.Row(f.u, q, t), h)
		}
		f.solve(f.now, f.b, f.u)
		return !f.anew || f.leave()
	}
	f.begin()
	return true
}

// leave takes the rows' expansions, which are all there is, out of the statistics.
func (f *fit) leave() bool {
	f.stats.scale(0)
	copy(f.wbar, f.rows.w)
	return f.base() && f.factor(f.now, f.wbar)
}
