package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// posterior is what follows from the statistics and is not part of the
// state: the marginal of every variance, and nu as a mixture of normals, one
// per node of the only term's variance, or per combination of points of several.
type posterior struct {
	ready bool
	vars  []variance // per term
	// Per term, see powers: how the density of s2 ends, and information that is none.
	power, nothing []float64
	gauss          []gauss
	wt             []float64 // of the normals, sum 1
	// Those that describe variables where a few do, and their weights.
	few   []gauss
	fewWt []float64
	laws  vec.Laws // few again, side by side, up to mostOfCore
	s2e   float64  // variance of the rows' own effects
}

// gauss is nu given the precisions of the terms: the core's mean and
// the Cholesky factor of its precision, from which the effects of a level
// follow by its record.
type gauss struct {
	m   []float64 // per term
	b   []float64 // c
	l   []float64 // c x c, lower triangle
	log float64   // log of the integral over nu of prior and likelihood
}

// conditional makes g the posterior of nu at the precisions m and reports
// whether it exists.
func (g *gauss) conditional(p *shape, s *stats, m []float64, w *work) bool {
	r := &w.reduced
	if !s.reduce(r, m[:s.q], nil, false, &w.block) {
		return false
	}
	g.m = append(g.m[:0], m...)
	g.b, g.l = lin.Grow(g.b, s.c), lin.Grow(g.l, s.c*s.c)
	p.corePrecision(s, m, r, g.l)
	if !lin.Cholesky(s.c, g.l) {
		return false
	}
	for i, v := range s.h {
		g.b[i] = v - r.h[i]
	}
	lin.SolveLower(s.c, g.l, g.b)
	g.log = 0.5 * (r.quad + lin.Dot(g.b, g.b) - r.logs)
	for i := range s.c {
		g.log -= math.Log(g.l[i*s.c+i])
	}
	lin.SolveLowerT(s.c, g.l, g.b)
	for t := range m {
		g.log += 0.5 * p.levelsOf(s, t) * math.Log(m[t])
	}
	return lin.Finite(g.b...) && lin.Finite(g.log)
}

func (g *gauss) copyFrom(o *gauss) {
	g.m, g.b, g.l, g.log = append(g.m[:0], o.m...), append(g.b[:0], o.b...), append(g.l[:0], o.l...), o.log
}

// levelsOf returns the number of levels of term t's factor.
func (p *shape) levelsOf(s *stats, t int) float64 {
	for f := len(p.factors) - 1; f >= 0; f-- {
		if t >= p.factors[f].term {
			return float64(s.levels(f))
		}
	}
	return 0
}

// settle computes the marginals of the variances and the mixture.
func (q *posterior) settle(p *shape, s *stats, m []float64, s2e float64, w *work) bool {
	q.s2e, q.few = s2e, q.few[:0]
	q.vars = lin.Resize(q.vars, p.terms)
	w.m = append(w.m[:0], m...)
	for t := range q.vars {
		v := &q.vars[t]
		w.asked = 0
		logDensity := func(l float64) (float64, bool) {
			w.m[t] = math.Exp(-l)
			g := &w.recent[w.asked%nodes]
			w.asked++
			ok := g.conditional(p, s, w.m, w)
			w.m[t] = m[t]
			return g.log + p.logPrior(l), ok
		}
		if !v.place(-math.Log(m[t]), logDensity) {
			return false
		}
	}
	if p.terms != 1 {
		return q.mixTerms(p, s, m, w)
	}
	return q.mix(w)
}

// mix takes the normals at every few nodes of the only variance, which place asked
// for last: the rule is exact to working precision at a distance of .7 sd of log s2.
func (q *posterior) mix(w *work) bool {
	v := &q.vars[0]
	stride := max(1, int(0.7*v.spread()/v.h))
	q.wt, w.l = q.wt[:0], w.l[:0]
	q.gauss = lin.Resize(q.gauss, nodes)
	total := 0.0
	for i := 0; i < nodes; i += stride {
		weight := math.Exp(v.f[i])
		if weight < 1e-8 {
			continue
		}
		q.gauss[len(q.wt)].copyFrom(&w.recent[(w.asked+i)%nodes])
		q.wt, w.l = append(q.wt, weight), append(w.l, v.l[i])
		total += weight
	}
	q.gauss = q.gauss[:len(q.wt)]
	lin.Scale(1/total, q.wt)
	if total > 0 && w.few.find(w.l, q.wt) {
		q.few, q.fewWt = lin.Resize(q.few, len(w.few.at)), append(q.fewWt[:0], w.few.wt...)
		for k := range q.few {
			q.few[k].between(v, w.few.at[k], func(node int) *gauss { return &w.recent[(w.asked+node)%nodes] })
		}
		q.layOut()
	}
	return total > 0 // else all mass lies between nodes, or nowhere
}

// layOut lays the few normals out side by side, if their core is one that is asked for so: others have many numbers.
func (q *posterior) layOut() {
	if len(q.few[0].b) > mostOfCore {
		return
	}
	q.laws.Resize(len(q.few[0].b), len(q.few))
	for k := range q.few {
		g := &q.few[k]
		q.laws.Set(k, g.m[0], g.b, g.l)
	}
}

// logPrior is the log density of l = log s2, but for a constant.
func (p *shape) logPrior(l float64) float64 {
	prior := &p.settings.Prior
	if p.half() {
		return 0.5*l - math.Log1p(math.Exp(l)/(prior.GroupScale*prior.GroupScale))
	}
	return -prior.GroupShape*l - prior.GroupRate*math.Exp(-l)
}

// place is an affine function of nu that a row or a functional asks
// for: constant + core'(core entries) + z'(effects of a level of the arrow).
type place struct {
	constant float64
	core     []float64 // c
	level    int       // of the arrow; -1: none that is known
	z        []float64 // q
	// unseen has per term the squared entry of a level that is not known: the
	// effect there is N(0, s2).
	unseen []float64
	open   bool // unseen is not zero
}

func (a *place) reset(s *stats, terms int) {
	a.core, a.z, a.unseen = lin.Grow(a.core, s.c), lin.Grow(a.z, s.q), lin.Grow(a.unseen, terms)
	clear(a.core)
	clear(a.z)
	clear(a.unseen)
	a.constant, a.level, a.open = 0, -1, false
}

// mostOfCore is the greatest core that atFew and vec.Laws, which agree to the bit, are for.
const mostOfCore = 3

// atFew is at for one effect per level and a core of up to three entries,
// as most have: what it calls costs more than the numbers.
func (g *gauss) atFew(s *stats, a *place, xi []float64) (mean, variance float64) {
	c := len(xi)
	rec := s.records[a.level*(c+2) : (a.level+1)*(c+2)]
	zi := a.z[0] * (1 / (rec[c] + g.m[0]))
	mean = a.constant + float64(zi*rec[c+1])
	variance = float64(a.z[0] * zi)
	dot, squares := 0.0, 0.0
	for i, v := range a.core[:c] {
		v += float64(-zi * rec[i])
		dot += float64(v * g.b[i])
		row, below := g.l[i*c:i*c+i+1], 0.0
		for j, l := range row[:i] {
			below += float64(l * xi[j])
		}
		v = (v - below) / row[i]
		xi[i] = v
		squares += float64(v * v)
	}
	return mean + dot, variance + squares
}

// at returns mean and variance of the place under the normal. The core's
// entries are overwritten by scratch, so xi is theirs.
func (g *gauss) at(s *stats, a *place, xi []float64, w *arrowBlock) (mean, variance float64) {
	if a.level >= 0 && s.q == 1 && s.c <= mostOfCore {
		return g.atFew(s, a, xi[:s.c])
	}
	copy(xi, a.core)
	mean = a.constant
	if a.level >= 0 {
		b, lam, h := s.record(a.level)
		if s.q == 1 {
			inv := 1 / (lam[0] + g.m[0])
			zi := a.z[0] * inv
			mean += zi * h[0]
			variance += a.z[0] * zi
			lin.Axpy(-zi, b, xi)
		} else {
			w.size(s.q, s.c)
			if !w.load(g.m, b, lam, h) {
				return math.NaN(), math.NaN()
			}
			copy(w.z, a.z)
			lin.SolveLower(s.q, w.l, w.z)
			for j, z := range w.z {
				mean += z * w.h[j]
				variance += z * z
				lin.Axpy(-z, lin.Row(w.f, s.c, j), xi)
			}
		}
	}
	mean += lin.Dot(xi, g.b)
	lin.SolveLower(s.c, g.l, xi)
	return mean, variance + lin.Dot(xi, xi)
}
