package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// rate returns the mean rate of row i whose predictor has the given mean, and twice lift as its variance, its derivative, and the predictor
// that has that rate, log of the rate where rows have no effects of their own:
//
//	rate = exp(mean + lift)
//
// With effects e of the rows' own, e ~ N(-s2e/2, s2e), of which t = e + s2e/2 is profiled by a Gaussian of mean
// tm and variance tv, a count tells the sum of both, and less of the predictor's variance is left to the rate:
//
//	rate = exp(lifted - s2e/2 + tm + tv/2),  tv = 1/(rate + 1/s2e),  tm = s2e (y - rate),
//	lifted = mean + lift/(1 + s2e rate)^2,
//
// to second order in the predictor (ADR 129). The derivative is that of the profile, rate/(1 + s2e rate).
func (f *fit) rate(i int, mean, lift float64) (rate, curvature, lifted float64) {
	if f.s2e == 0 {
		rate = math.Exp(min(mean+lift, etaMax))
		return rate, min(rate, steepest*(1+f.rows.y[i])), mean + lift
	}
	// With x = s2e rate that is x + log x = l + tv/2 + lift/(1 + x)^2: see omega. What is added to l follows
	// from x.
	y, s2 := f.rows.y[i], f.s2e
	l := math.Log(s2) + mean + float64(s2*(y-0.5))
	added := func(u float64) float64 { return u * (0.5*s2 + float64(lift*u)) } // where u is 1/(1 + x)
	x, more := 0.0, 0.0
	for range 50 {
		x = omega(l + more)
		u := 1 / (1 + x)
		miss := added(u) - more
		falls := u * u * (0.5*s2 + 2*float64(lift*u))
		x *= 1 + max(miss/(1+x+float64(falls*x)), -0.5) // x is positive
		more = added(1 / (1 + x))
		if math.Abs(miss) < 1e-6 { // what is left is of the order of its square
			break
		}
	}
	rate = x / s2
	curvature = rate / (1 + x)
	if x > 1e6 { // the same, without the cancellation in y - rate
		rate = y - (math.Log(rate)-mean+0.5*s2-more)/s2
	}
	return rate, curvature, mean + float64(lift/((1+x)*(1+x)))
}

// fit alternates between q(nu) and the precisions of the terms until neither
// moves. first says that there are no past rows. It reports whether all
// numbers stayed finite.
func (f *fit) fit(first bool, absorbed *rowVariance) bool {
	f.size()
	if !f.start(first) {
		return false
	}
	f.begunB, f.begunU = append(f.begunB[:0], f.b...), append(f.begunU[:0], f.u...)
	at, to, was, had := f.terms[0], f.terms[1], f.terms[2], f.terms[3]
	for outer := range outerMax {
		if outer > 0 && (!f.base() || !f.factor(f.now, f.wbar)) {
			return false
		}
		if outer == 0 && !first {
			if !f.nearer() {
				return false
			}
		} else if _, finite := f.newton(); !finite {
			return false
		}
		copy(at, f.m)
		at[f.shape.terms] = f.s2e
		if !f.precisions(to) {
			return false
		}
		to[f.shape.terms] = f.overdispersed(absorbed)
		change := 0.0
		for t := range to {
			if at[t] == 0 {
				continue // no effects of the rows' own
			}
			change = max(change, math.Abs(to[t]/at[t]-1))
			x, y := math.Log(at[t]), math.Log(to[t])
			// The map contracts by a factor that the last two steps tell.
			if outer > 0 && x != was[t] {
				if r := (y - had[t]) / (x - was[t]); r > 0 {
					to[t] = math.Exp(x + min(max((y-x)/(1-min(r, 0.9)), -2), 2))
				}
			}
			was[t], had[t] = x, y
		}
		if !lin.Finite(change) {
			return false
		}
		if change < outerTol {
			return true
		}
		if outer < outerMax-1 {
			copy(f.m, to)
			f.s2e = to[f.shape.terms]
		}
	}
	return true
}

// precisions writes E[1/s2] of every term at the present q(nu): under the
// half-Cauchy prior the fixed point of
//
//	m = (k+1)/(2b + T),  b = 1/(m + 1/A^2),  T = E|u|^2
//
// over k levels, else (a + k/2)/(r + T/2). A term without levels keeps its
// own.
func (f *fit) precisions(to []float64) bool {
	s, c, q := f.stats, f.stats.c, f.stats.q
	copy(to, f.m)
	to = to[:f.shape.terms]
	squares, levels := f.terms[4], f.terms[5]
	clear(squares)
	clear(levels)
	inv := f.covariance(f.now.core)
	for i, t := range s.term {
		if t >= 0 {
			levels[t]++
			squares[t] += f.b[i]*f.b[i] + inv[i*c+i]
		}
	}
	for j := range q {
		levels[j] = float64(s.g)
		r := &f.reduced
		ae, ee := lin.Row(r.ae, c, j), r.ee[j*c*c:(j+1)*c*c]
		sum := r.a2[j] + r.inv[j] - 2*lin.Dot(ae, f.b)
		for i := range c {
			for l := range i + 1 {
				v := ee[i*c+l] * (inv[i*c+l] + float64(f.b[i]*f.b[l]))
				if l < i {
					v *= 2
				}
				sum += v
			}
		}
		squares[j] += max(sum, r.inv[j])
	}
	for t := range f.design.touched {
		l, rows := f.now.l[t*q*q:(t+1)*q*q], f.now.f[t*q*c:(t+1)*q*c]
		for j := range q {
			u := f.u[t*q+j]
			squares[j] += float64(u*u) + f.levelVariance(l, rows, f.now.core, j)
		}
	}
	for t, k := range levels {
		if k > 0 {
			to[t] = f.shape.precision(k, squares[t])
		}
	}
	return lin.Finite(to...)
}

// precision returns E[1/s2] of a term over k levels, whose effects have squares of that sum in the mean.
func (p *shape) precision(k, squares float64) float64 {
	prior := &p.settings.Prior
	m := (prior.GroupShape + 0.5*k) / (prior.GroupRate + 0.5*squares)
	if p.half() {
		m = halfCauchyPrecision(k, squares, prior.GroupScale)
	}
	return min(max(m, 1e-8), 1e12)
}

// halfCauchyPrecision is the positive root m of
// T m^2 - (k - 1 - T c) m - (k+1) c = 0, c = 1/A^2.
func halfCauchyPrecision(k, t, scale float64) float64 {
	c := 1 / (scale * scale)
	p := k - 1 - t*c
	root := math.Sqrt(p*p + 4*t*(k+1)*c)
	if p > 0 {
		return (p + root) / (2 * t)
	}
	return 2 * (k + 1) * c / (root - p)
}

// levelVariance returns the variance of effect j of a level with factors l, f
// towards the core's factor.
func (f *fit) levelVariance(l, rows, core []float64, j int) float64 {
	c, q := f.stats.c, f.stats.q
	clear(f.zeta)
	clear(f.xi)
	f.zeta[j] = 1
	lin.SolveLower(q, l, f.zeta)
	v := 0.0
	for i, z := range f.zeta {
		v += float64(z * z)
		lin.Axpy(z, lin.Row(rows, c, i), f.xi)
	}
	lin.SolveLower(c, core, f.xi)
	return v + lin.Dot(f.xi, f.xi)
}

// covariance returns the core's covariance, lower triangle.
func (f *fit) covariance(core []float64) []float64 {
	c := f.stats.c
	f.cov, f.inv = lin.Grow(f.cov, c*c), lin.Grow(f.inv, c*c)
	lin.InvertLower(c, core, f.inv)
	// Sig = L^-T L^-1: rows of L^-1 are added from the last one up.
	clear(f.cov)
	for k := range c {
		addOuter(f.cov, c, 1, f.inv[k*c:k*c+k+1])
	}
	return f.cov
}

// settle writes the rows' expansions at the fit.
func (f *fit) settle() {
	for i := range f.rows.n {
		w := f.now.w[i]
		f.rows.w[i] = w
		f.rows.g[i] = f.now.grad[i] + w*f.now.eta[i]
	}
}
