package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// forgottenBelow is the information of an effect, in units of one over the largest variance that the marginal of its term
// reaches, below which nothing is known of it.
const forgottenBelow = 0.01

// forgotten reports whether nothing is left to tell an effect from one of a level that never came: rows that are many times
// forgotten, or a slope whose column was 0 in all of them. Its law is that of its prior, over all that s2 may be.
func (m *base) forgotten(factor, at, level int) bool {
	s, term := &m.stats, m.factors[factor].term+at
	if factor == 0 && s.arrow {
		_, within, _ := s.record(level)
		return m.tellsNothing(within[at*s.q+at], term)
	}
	i := int(s.at[factor][level]) + at
	return m.tellsNothing(s.lam[i*s.c+i], term)
}

// tellsNothing is forgotten of an effect of the term that rows say so much of, the coefficients known.
func (m *base) tellsNothing(information float64, term int) bool {
	return information < m.post.nothing[term]
}

// powers finds those of s2 by which the density of the log of each term's variance falls in the end: k/2 + a over the k levels
// that are not forgotten, a = 1/2 under the half-Cauchy prior.
func (m *base) powers() {
	q := &m.post
	q.power, q.nothing = lin.Grow(q.power, m.terms), lin.Grow(q.nothing, m.terms)
	for t := range q.nothing {
		v := &q.vars[t]
		q.nothing[t] = forgottenBelow * math.Exp(-v.l[len(v.l)-1])
	}
	for f := range m.factors {
		factor := &m.factors[f]
		for at := range factor.q {
			left := 0
			for level := range m.stats.levels(f) {
				if !m.forgotten(f, at, level) {
					left++
				}
			}
			power := 0.5 + 0.5*float64(left)
			if !m.half() {
				power += m.settings.Prior.GroupShape - 0.5
			}
			q.power[factor.term+at] = power
		}
	}
}

// ofPrior reports whether effect j, counted over the terms, has no sd: nothing is known of it, and the law of its variance has no mean.
func (m *base) ofPrior(j int) bool {
	for f := range m.factors {
		factor, n := &m.factors[f], m.stats.levels(f)
		if j < n*factor.q {
			return m.post.power[factor.term+j/n] <= 1 && m.forgotten(f, j/n, j%n)
		}
		j -= n * factor.q
	}
	return false
}

// withoutMoments takes moments of the place from a row that do not exist: where an effect is forgotten the sd, if s2 has no mean, and
// the mean, if its root has none.
func (m *base) withoutMoments(r *cdf.Row, a *place) {
	least, s := math.Inf(1), &m.stats
	if a.level >= 0 {
		for at, z := range a.z {
			if z != 0 && m.forgotten(0, at, a.level) {
				least = min(least, m.post.power[at])
			}
		}
	}
	for i, t := range s.term {
		if t >= 0 && a.core[i] != 0 && m.tellsNothing(s.lam[i*s.c+i], int(t)) {
			least = min(least, m.post.power[t])
		}
	}
	if least <= 1 {
		r.SD = math.NaN()
	}
	if least <= 0.5 {
		r.Mean = math.NaN()
	}
}
